// proof only: 150
// watchdog: 3600
/** Servers, three on one Postgres or one on SQLite, that are killed while alerts open and end: what their channel heard is compared with the history. */
import { randomUUID } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { type Fleet, type Member, startFleet } from '../process/fleet.ts';
import { any, until, up } from '../process/havoc.ts';
import { makePlace } from '../process/place.ts';
import { rpc, startServer, superToken } from '../process/server.ts';
import type { Read } from '../process/stored.ts';
import { loop } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';

const AGENTS = 12;
/** Each machine is busy and idle for so long in turns; machines are out of step. */
const TURN_MS = 2_600;
const EVERY_MS = 250;
/**
 * An alert that flaps is held: after so long other machines take the places of these. More often, and the limit of messages
 * a minute would hold up what is to be told.
 */
const GENERATION_MS = 120_000;
const DRAIN_MS = 90_000;

interface Heard {
  readonly id: string;
  readonly type: string;
  readonly alerts: readonly { readonly id: string; readonly state: string }[];
}

async function startReceiver() {
  const heard: Heard[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { type, alerts } = JSON.parse(Buffer.concat(parts).toString());
    heard.push({ id: String(request.headers['webhook-id']), type, alerts });
    response.end('ok');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { heard, url, stop: () => new Promise((done) => server.close(done)) };
}

/** Machines that report to any server that runs, busy and idle in turns. */
function startMachines(urls: () => readonly string[], token: string) {
  const stopping = new AbortController();
  const busy = (at: number, now: number) =>
    Math.floor((now + (at * TURN_MS) / 3) / TURN_MS) % 2 === 0;
  const work = Array.from({ length: AGENTS }, async (_one, at) => {
    let [uuid, since] = [randomUUID(), Date.now()];
    while (!stopping.signal.aborted) {
      const time = Date.now();
      if (time - since > GENERATION_MS) [uuid, since] = [randomUUID(), time];
      const report = { uuid, time, cpu_usage: busy(at, time) ? 950 : 100, uptime: 1 };
      // A server that is killed meanwhile answers nothing: the next report goes to another one.
      await rpc(any(urls()), 'agent_report_dynamic_summary', [token, report]).catch(
        () => undefined,
      );
      await pause(EVERY_MS);
    }
  });
  return {
    async stop() {
      stopping.abort();
      await Promise.all(work);
    },
  };
}

/** A rule without any wait, told to one receiver. */
async function arrange(url: string, token: string, receiver: string): Promise<void> {
  const call = async (method: string, params: object) => {
    const { result, error } = await rpc(url, method, { token, ...params });
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  };
  for (const { name } of await call('alert_rule_list', {}))
    await call('alert_rule_set_enable', { name, enable: false });
  const config = { url: receiver };
  await call('channel_create', { channel: { name: 'hook', kind: 'webhook', config } });
  const steps = [{ after_s: 0, channels: ['hook'] }];
  const policy = { name: 'at-once', steps, group_by: 'subject', wait_s: 0, interval_s: 0 };
  await call('alert_policy_set', { policy });
  const condition = { condition: 'cpu_usage > 90', clear: 'cpu_usage < 80' };
  const rule = { name: 'busy', source: 'machine', scope: { all: true }, ...condition };
  await call('alert_rule_create', { rule: { ...rule, policy: 'at-once' } });
}

/** Compares what was heard with what is stored. */
async function compare(read: Read, heard: readonly Heard[], kills: number): Promise<void> {
  const outbox = await read('select message_id, state, body from notify_outbox');
  const events = await read(
    "select alert_id, episode, kind, due, batch from alert_event where kind in ('opened', 'closed', 'flapping') order by id",
  );
  const episodes = await read('select sum(episode) as episodes from alert');
  const opened = events.filter(({ kind }) => kind === 'opened');
  const keys = events
    .filter(({ kind }) => kind !== 'flapping')
    .map(({ alert_id, episode, kind }) => `${alert_id}-${episode} ${kind}`);
  assert.is(new Set(keys).size, keys.length, 'no change is stored twice');
  assert.is(opened.length, Number(episodes[0]?.['episodes']), 'no opening is missing');
  assert.ok(opened.length > kills / 3, `${opened.length} openings`);
  const times = new Map<string, number>();
  for (const { id } of heard) times.set(id, (times.get(id) ?? 0) + 1);
  const lost = outbox.filter(
    ({ message_id, state }) => state !== 3 && !times.has(String(message_id)),
  );
  assert.equal(lost, [], 'every message was heard');
  const doubles = [...times.values()].filter((count) => count > 1).length;
  assert.ok(doubles <= kills, `${doubles} doubles after ${kills} kills`);
  checkOrder(heard);
}

/** Every end was heard after its opening, and no opening twice with another id. */
function checkOrder(heard: readonly Heard[]): void {
  const openings = new Map<string, string>();
  for (const { id, type, alerts } of heard) {
    if (type !== 'alert.opened' && type !== 'alert.closed') continue;
    for (const alert of alerts) {
      if (alert.state === 'closed') assert.ok(openings.has(alert.id), `${alert.id} ends unopened`);
      else {
        assert.ok([undefined, id].includes(openings.get(alert.id)), `${alert.id} opens twice`);
        openings.set(alert.id, id);
      }
    }
  }
}

const isDrained = (read: Read) => async () => {
  const [due] = await read('select count(*) as n from alert_event where due is not null');
  const [waits] = await read('select count(*) as n from notify_outbox where state = 0');
  return Number(due?.['n']) === 0 && Number(waits?.['n']) === 0;
};

const test = suite('alerts: kills');

/** SVC_TEST_KILLS asks for more: with 200 the file takes half an hour. */
const ASKED = Number(process.env['SVC_TEST_KILLS']) || undefined;
const KILLS = ASKED ?? loop(6, 40);

test(`${KILLS} kills of three servers lose nothing and change no order`, async () => {
  const receiver = await startReceiver();
  let remove: (() => Promise<void>) | undefined;
  try {
    const fleet = await startFleet(3);
    remove = () => fleet.remove();
    await shareKey(fleet);
    const url = () => any(up(fleet)).site.url;
    await arrange(url(), fleet.superToken, receiver.url);
    const urls = () => up(fleet).map(({ site }) => site.url);
    const machines = startMachines(urls, fleet.superToken);
    for (let kill = 0; kill < KILLS; kill++) {
      await pause(200 + Math.random() * 800);
      const member: Member = any(fleet.members);
      await fleet.end(member, 'SIGKILL');
      await pause(Math.random() * 200);
      await fleet.start(member);
    }
    await pause(3 * TURN_MS);
    await machines.stop();
    await until('everything is told', isDrained(fleet.read), DRAIN_MS);
    await compare(fleet.read, receiver.heard, KILLS);
  } finally {
    await remove?.();
    await receiver.stop();
  }
});

/** Gives all servers the key of the first one: what operators do with `secrets.key`. */
async function shareKey({ members, end, start }: Fleet): Promise<void> {
  const [first, ...others] = members as [Member, ...Member[]];
  for (const member of others) {
    await end(member, 'SIGTERM');
    copyFileSync(join(first.site.dir, 'secrets.key'), join(member.site.dir, 'secrets.key'));
    await start(member);
  }
}

const ALONE = ASKED ?? loop(4, 20);

test(`${ALONE} kills of one server on SQLite lose nothing and change no order`, async () => {
  const receiver = await startReceiver();
  const place = await makePlace('sqlite');
  let server = await startServer(place.site);
  const token = superToken(server.output());
  try {
    await arrange(place.site.url, token, receiver.url);
    const machines = startMachines(() => [place.site.url], token);
    for (let kill = 0; kill < ALONE; kill++) {
      await pause(300 + Math.random() * 1_500);
      await server.end('SIGKILL');
      server = await startServer(place.site, { quiet: true });
    }
    await pause(3 * TURN_MS);
    await machines.stop();
    await until('everything is told', isDrained(place.read), DRAIN_MS);
    await compare(place.read, receiver.heard, ALONE);
  } finally {
    await server.end('SIGKILL');
    await place.remove();
    await receiver.stop();
  }
});

test.run();
