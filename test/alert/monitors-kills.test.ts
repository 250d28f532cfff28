// proof only: 240
// watchdog: 1200
/** Three servers that are killed while monitors go down and come back: each outage is told once, and so is its end. */

import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { site } from '../monitor/scenarios-kit.ts';
import { type Fleet, type Member, startFleet } from '../process/fleet.ts';
import { any, until, up } from '../process/havoc.ts';
import { rpc } from '../process/server.ts';
import { loop } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import { startReceiver } from './scenario-kit.ts';

/** Each is one of other monitors: what goes up and down again and again is told as flapping. */
const OUTAGES = loop(2, 6);
const MONITORS = ['shop', 'cart', 'mail'];
/** A server that is killed leaves its turns and its monitors to the others within seconds. */
const MOST_MS = 120_000;

async function callOn(fleet: Fleet, method: string, params: object): Promise<any> {
  const url = any(up(fleet)).site.url;
  const { result, error } = await rpc(url, method, { token: fleet.superToken, ...params });
  if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
  return result;
}

/** Gives all servers the key of the first one, as operators do. */
async function shareKey({ members, end, start }: Fleet): Promise<void> {
  const [first, ...others] = members as [Member, ...Member[]];
  for (const member of others) {
    await end(member, 'SIGTERM');
    copyFileSync(join(first.site.dir, 'secrets.key'), join(member.site.dir, 'secrets.key'));
    await start(member);
  }
}

/** Kills the servers one after another, the one that judges among them. */
async function killAll(fleet: Fleet): Promise<void> {
  for (const member of fleet.members) {
    await pause(Math.random() * 2_000);
    await fleet.end(member, 'SIGKILL');
    await pause(Math.random() * 500);
    await fleet.start(member);
  }
}

const test = suite('alerts: monitors and kills');

test(`${OUTAGES} outages over kills of three servers with one postgres are told once each, with their ends`, async () => {
  const receiver = await startReceiver(() => 0);
  const sites = await Promise.all(Array.from({ length: OUTAGES }, () => site()));
  let fleet: Fleet | undefined;
  try {
    fleet = await startFleet(3);
    const all = fleet;
    await shareKey(all);
    const config = { url: receiver.url('A') };
    await callOn(all, 'channel_create', { channel: { name: 'A', kind: 'webhook', config } });
    const steps = [{ after_s: 0, channels: ['A'] }];
    const policy = { name: 'default', steps, group_by: 'rule', wait_s: 2, interval_s: 0 };
    await callOn(all, 'alert_policy_set', { policy });
    for (const [at, { url }] of sites.entries())
      for (const name of MONITORS) {
        const checked = { kind: 'http', spec: { url }, interval_s: 10, retries: 0 };
        await callOn(all, 'monitor_create', { monitor: { name: `${name} ${at}`, ...checked } });
      }
    const told = (type: string) =>
      new Set(
        receiver.received
          .filter((one) => one.type === type)
          .flatMap(({ body }) => body.alerts.filter(({ rule }) => rule === 'Monitor down'))
          .map(({ id }) => id),
      );
    const areAll = (state: string) => async () => {
      const { monitors } = await callOn(all, 'monitor_list', {});
      return monitors.every((one: any) => one.state === state);
    };
    await until('all are up', areAll('up'), MOST_MS);
    for (const [at, web] of sites.entries()) {
      for (const [reply, type] of [
        [500, 'alert.opened'],
        [200, 'alert.closed'],
      ] as const) {
        web.reply = reply;
        await killAll(all);
        const heard = () => told(type).size === (at + 1) * MONITORS.length;
        await until(`${type} of outage ${at + 1}`, heard, MOST_MS);
      }
    }
    await pause(15_000);
    const count = OUTAGES * MONITORS.length;
    const outages = await all.read(
      'select count(*) as n from monitor_outage where to_at > from_at',
    );
    assert.is(Number(outages[0]?.['n']), count);
    for (const type of ['alert.opened', 'alert.closed']) {
      assert.is(told(type).size, count, type);
      // A kill between an answer and its commit has a message come twice, with one id.
      const ids = new Map<string, Set<string>>();
      for (const { id, body } of receiver.received.filter((one) => one.type === type))
        for (const alert of body.alerts)
          ids.set(alert.id, (ids.get(alert.id) ?? new Set()).add(id));
      for (const [alert, messages] of ids) assert.is(messages.size, 1, `${type} ${alert}`);
    }
    const events = await all.read(
      "select kind, count(*) as n from alert_event where subject_kind = 'monitor' group by kind order by kind",
    );
    assert.equal(
      events.map(({ kind, n }) => [kind, Number(n)]),
      [
        ['closed', count],
        ['opened', count],
      ],
    );
  } finally {
    await fleet?.remove();
    for (const web of sites) await web.stop();
    await receiver.stop();
  }
});

test.run();
