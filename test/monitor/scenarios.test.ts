/*
 * Scenarios of monitors, from a failing target on loopback to the messages of a channel, on a clock that the test moves.
 *
 * Shown elsewhere: 37, 38, 40 with a slower parent: scenarios-alerts.test.ts. 18, 24, 25, 32-35 of monitors:
 * test/alert/monitors-kills.test.ts, monitors-servers.test.ts. 36 (many at once), 43 by a pattern: test/alert/monitors-telling.test.ts.
 * 45-47: test/alert/window-times.test.ts. 49-51: test/alert/dispatch.test.ts, ack.test.ts. 52, 53: test/alert/monitors-rights.test.ts.
 * 54: test/alert/monitors.test.ts. 60: test/monitor/checks.test.ts (degraded), test/alert/monitors.test.ts (nothing is told).
 * 63 by lifetimes, 61 as a message: test/alert/monitors.test.ts. 65-67: test/monitor/heartbeat-late.test.ts.
 */
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { PLUGINS as ALERTING } from '../alert/kit.ts';
import { type Issued, issue } from '../checks/authority.ts';
import { suite } from '../runner/suite.ts';
import { boot, get, PLUGINS, SECOND } from './kit.ts';
import { type Reply, Scene, type Site, setStage, site, Timeline } from './scenarios-kit.ts';

type Run = (scene: Scene) => Promise<void>;
interface Scenario {
  readonly says: string;
  readonly certificate?: Issued;
  readonly run: Run;
}

const AT_ONCE = { retries: 0 };

/** A target that begins to fail in a way that is told with this reason. */
const fails = (says: string, reply: Reply, reason: RegExp, over: object = {}): Scenario => ({
  says,
  async run(scene) {
    const good: Reply = typeof reply === 'object' ? { json: '{"ok":true}' } : 200;
    scene.site.reply = good;
    await scene.make({ ...AT_ONCE, ...over });
    await scene.says('up');
    scene.site.reply = reply;
    await scene.says('down');
    assert.equal(await scene.hears(1), ['opened']);
    const [{ value, shipped }] = await scene.alerts();
    assert.match(value, reason);
    assert.is(shipped, 'monitor-down');
    scene.site.reply = good;
    assert.equal(await scene.hears(2), ['opened', 'closed']);
  },
});

/** A target whose certificate has it down from the first check on. */
const broken = (says: string, certificate: Issued, reason: RegExp): Scenario => ({
  ...{ says, certificate },
  async run(scene) {
    await scene.make(AT_ONCE);
    await scene.says('down');
    await scene.hears(1);
    const down = (await scene.alerts()).find(({ shipped }) => shipped === 'monitor-down');
    assert.match(down.value, reason);
    assert.ok(down.monitor.not_after !== null);
  },
});

const expired = issue({ name: 'old', names: ['127.0.0.1'], from_days: -88, until_days: -2 });
const other = issue({ name: 'other', names: ['other.example.net'] });
const soon = issue({ name: 'soon', names: ['127.0.0.1'], from_days: -77, until_days: 13 });
const short = issue({ name: 'short', names: ['127.0.0.1'], from_days: -3, until_days: 3 });

const scenarios: readonly Scenario[] = [
  {
    says: '58: one failure among good checks is told to nobody, and shows in the strip',
    async run(scene) {
      await scene.make();
      await scene.says('up');
      scene.site.reply = 500;
      const states = async () => (await get(scene.app, scene.name)).states;
      await scene.until('a failure', async () => (await states())[0].state === 'suspect');
      scene.site.reply = 200;
      await scene.lasts(40);
      assert.equal(await scene.heard(), []);
      const { monitors } = await scene.call('monitor_list', { names: [scene.name] });
      const { recent } = monitors.find(({ name }: any) => name === scene.name);
      assert.match(recent, /^u+du+$/);
    },
  },
  {
    says: '59: three failures are down since the first one, with an outage; the end says how long',
    async run(scene) {
      await scene.make();
      await scene.says('up');
      scene.site.reply = 500;
      const { since } = await scene.says('down');
      const { results } = await scene.call('monitor_results', { name: scene.name, from: 0 });
      const failed = results.filter(({ ok }: any) => !ok);
      assert.equal([failed.length, failed.at(-1).at], [3, since]);
      await scene.hears(1);
      scene.site.reply = 200;
      await scene.says('up');
      assert.equal(await scene.hears(2), ['opened', 'closed']);
      const [opened, closed] = await scene.alerts();
      const [{ from, to }] = await scene.call('monitor_outages', { name: scene.name });
      assert.equal([opened.since, closed.since], [since, from]);
      // A check counts from when it was planned, which may be before the alert opened.
      assert.ok(closed.closed_at >= to && closed.closed_at - to < 15 * SECOND);
    },
  },
  {
    says: '63: a certificate with 13 of 90 days left is a warning, one with half of six days is not',
    certificate: soon,
    async run(scene) {
      const spec = { url: scene.site.url, ignore_tls: true };
      const next = await site(short);
      try {
        await scene.make({ spec });
        await scene.make({ spec: { ...spec, url: next.url } }, `${scene.name}-short`);
        assert.equal(await scene.hears(1), ['opened']);
        const [{ shipped, severity }] = await scene.alerts();
        assert.equal([shipped, severity], ['certificate', 'warning']);
        await scene.says('up', `${scene.name}-short`);
        await scene.lasts(20);
        assert.equal(await scene.heard(`${scene.name}-short`), []);
      } finally {
        await next.stop();
      }
    },
  },
  broken('64: an expired certificate is down, with since when', expired, /expired 2 days ago/),
  broken('a certificate of another name is down, with the names', other, /other\.example\.net/),
  {
    says: '68: a job that says it failed is down at once, one that then succeeds is up at once',
    async run(scene) {
      const spec = { period_s: 3_600, grace_s: 600 };
      const { ping_url } = await scene.call('monitor_create', {
        monitor: { name: scene.name, kind: 'heartbeat', spec },
      });
      await scene.app.fetch(ping_url);
      await scene.says('up');
      const failedAt = scene.now();
      await scene.app.fetch(`${ping_url}/fail`);
      assert.equal(await scene.hears(1), ['opened']);
      assert.ok(scene.now() - failedAt <= 12 * SECOND, `${scene.now() - failedAt}`);
      await scene.app.fetch(ping_url);
      assert.equal(await scene.hears(2), ['opened', 'closed']);
      assert.is((await scene.alerts())[0].shipped, 'heartbeat-late');
    },
  },
  {
    says: '69: one that is upside down is down while it answers',
    async run(scene) {
      scene.site.reply = 'reset';
      await scene.make({ ...AT_ONCE, upside_down: true });
      await scene.says('up');
      scene.site.reply = 200;
      assert.equal(await scene.hears(1), ['opened']);
    },
  },
  fails(
    '77: an answer without the member that the condition names fails with that reason',
    { json: '{"a":1}' },
    /^status 200, the answer has no member `ok`/,
    { retries: 2, condition: 'json.ok == true' },
  ),
  fails('a target that is slow is down when its time is over', 'hang', /timed out after 1 s/, {
    timeout_s: 1,
  }),
  fails('a target that cuts the connection is down', 'reset', /closed the connection/),
  fails('a target that redirects in a circle is down', 'loop', /more than 5 redirects/),
  fails('a target that sends a bomb is down, and nothing else is harmed', 'bomb', /has no body/, {
    condition: 'body == "ok"',
  }),
  fails('a target that breaks off in its answer is down', 'half', /closed the connection/, {
    condition: 'body == "ok"',
  }),
  {
    says: '17: one that comes and goes is told three times, then as flapping, then not at all',
    async run(scene) {
      await scene.make({ ...AT_ONCE, interval_s: 10 });
      await scene.says('up');
      for (let time = 0; time < 5; time++) {
        scene.site.reply = 500;
        await scene.says('down');
        await scene.lasts(8);
        scene.site.reply = 200;
        await scene.says('up');
        await scene.lasts(8);
      }
      const pair = ['opened', 'closed'];
      assert.equal(await scene.heard(), [...pair, ...pair, ...pair, 'flapping']);
    },
  },
  {
    says: '40: below a parent that is down nothing is told, and both come back without a word of the child',
    async run(scene) {
      const child = `${scene.name}-child`;
      await scene.make(AT_ONCE);
      await scene.make({ ...AT_ONCE, parent: scene.name }, child);
      await scene.says('up', child);
      scene.site.reply = 500;
      await scene.says('down', child);
      await scene.hears(1);
      await scene.lasts(30);
      assert.equal((await scene.open(child))[0].hidden_by, { kind: 'subject', name: scene.name });
      scene.site.reply = 200;
      assert.equal(await scene.hears(2), ['opened', 'closed']);
      await scene.lasts(20);
      assert.equal(await scene.heard(child), []);
    },
  },
  {
    says: '42, 43: what opens and ends in a silence is not told; what is still open at its end is, with its true since',
    async run(scene) {
      await scene.make(AT_ONCE);
      await scene.says('up');
      const scope = { monitors: [`${scene.name}*`] };
      const silence = { scope, reason: 'works', ends_at: scene.now() + 90 * SECOND };
      await scene.call('alert_silence_create', { silence });
      scene.site.reply = 500;
      await scene.says('down');
      scene.site.reply = 200;
      await scene.says('up');
      scene.site.reply = 500;
      const { since } = await scene.says('down');
      assert.equal(await scene.hears(1), ['opened']);
      assert.ok(scene.now() >= silence.ends_at);
      assert.is((await scene.alerts())[0].since, since);
    },
  },
  {
    says: '44: an end is told in a silence to those who heard of the opening',
    async run(scene) {
      await scene.make(AT_ONCE);
      await scene.says('up');
      scene.site.reply = 500;
      await scene.hears(1);
      const scope = { monitors: [scene.name] };
      const silence = { scope, reason: 'works', ends_at: scene.now() + 600 * SECOND };
      await scene.call('alert_silence_create', { silence });
      scene.site.reply = 200;
      assert.equal(await scene.hears(2), ['opened', 'closed']);
    },
  },
  {
    says: '48: down before a pause and after it is told once',
    async run(scene) {
      await scene.make(AT_ONCE);
      await scene.says('up');
      scene.site.reply = 500;
      await scene.hears(1);
      const once = { from: scene.now(), to: scene.now() + 40 * SECOND };
      const window = { name: scene.name, scope: { monitors: [scene.name] }, once, effect: 'pause' };
      await scene.call('alert_window_create', { window });
      await scene.says('paused');
      await scene.says('down');
      await scene.lasts(30);
      assert.equal(await scene.heard(), ['opened']);
      scene.site.reply = 200;
      assert.equal(await scene.hears(2), ['opened', 'closed']);
    },
  },
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`monitors: scenarios (${dialect})`);
  let app: TestApp;
  const sites: Site[] = [];
  let failures: unknown[] = [];
  test.before(async () => {
    app = await boot(dialect, {}, [...new Set([...ALERTING, ...PLUGINS])]);
    sites.push(await setStage(app));
    const line = new Timeline(app);
    const works = [];
    for (const [at, { certificate, run }] of scenarios.entries()) {
      const own = await site(certificate);
      sites.push(own);
      works.push(() => run(new Scene(app, line, `shop-${at}`, own)));
    }
    failures = await line.run(works);
  });
  test.after(async () => {
    await app.stop();
    for (const one of sites) await one.stop();
  });
  for (const [at, { says }] of scenarios.entries())
    test(says, () => {
      if (failures[at] !== undefined) throw failures[at];
    });
  test.run();
}
