// proof: 30
// `agent_query_traffic` with what broken or hostile agents report: nothing is invented, and no other agent's count stops.
import { randomUUID } from 'node:crypto';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { summaryReport } from './agent-kit.ts';

const PLUGINS = ['token', 'agent-uuid', 'agent', 'series', 'server-info'];
const SECOND = 1_000;
const DAY = 86_400_000;
const GB = 1_000_000_000;
const BOOT = 1_780_000_000;
/** A number with all its digits. */
const exact = (digits: string): object =>
  (JSON as unknown as { rawJSON(text: string): object }).rawJSON(digits);
const MOST = exact('9223372036854775807');
const LEAST = exact('-9223372036854775808');
const ROUNDS = 100;

type Values = Record<string, number | object | null>;

/** Reports of one agent, a second apart. */
const odd: [name: string, reports: Values[]][] = [
  ['the greatest speeds', [{ receive_speed: MOST }, { receive_speed: MOST }]],
  ['the least speeds', [{ receive_speed: LEAST }, { receive_speed: LEAST }]],
  ['counters that jump from end to end', [{ total_received: LEAST }, { total_received: MOST }]],
  ['the least start', [{ boot_time: LEAST }, { boot_time: 0 }, { boot_time: LEAST }]],
  ['starts at both ends', [{ boot_time: LEAST }, { boot_time: MOST }, { boot_time: LEAST }]],
  [
    'the greatest counters after three restarts',
    [0, 1, 2, 3].map((start) => ({
      ...{ total_received: MOST, total_transmitted: MOST },
      ...{ boot_time: BOOT + start * 100, uptime: 1 - start },
    })),
  ],
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`agent: traffic of odd agents (${dialect})`);
  let app: TestApp;

  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect, clock: true });
  });
  test.after(() => app.stop());

  const report = (uuid: string, values: Values) =>
    app.call('agent_report_dynamic_summary', [
      app.superToken,
      summaryReport({
        ...{ uuid, time: app.clock.now(), boot_time: BOOT },
        uptime: Math.floor(app.clock.now() / SECOND) - BOOT,
        ...{ total_received: 0, total_transmitted: 0, receive_speed: 0, transmit_speed: 0 },
        ...values,
      }),
    ]);
  const traffic = (uuid: string): Promise<{ received: number; transmitted: number }[]> =>
    app.call('agent_query_traffic', {
      ...{ token: app.superToken, uuids: [uuid], by: 'day' },
      ...{ from: app.clock.now() - 2 * DAY, to: app.clock.now() + DAY },
    });
  const received = async (uuid: string) =>
    (await traffic(uuid)).reduce((sum, period) => sum + period.received, 0);
  /** Waits until what was reported is counted. */
  const counted = async () => {
    const until = app.clock.now();
    const other = randomUUID();
    for (let round = 0; round < ROUNDS; round++) {
      const [state] = await app.sql(`select value from series_state where name = 'traffic'`);
      if (Number(state?.value ?? 0) > until) return;
      await app.clock.sleep(61 * SECOND);
      await new Promise((resolve) => setTimeout(resolve, 10));
      if (round % 4 === 0) await report(other, {});
    }
    throw new Error('the reports were not counted');
  };

  for (const [name, reports] of odd) {
    test(`${name} of one agent do not stop the count of another`, async () => {
      const [bad, good] = [randomUUID(), randomUUID()];
      for (const [at, values] of reports.entries()) {
        await report(bad, values);
        await report(good, { total_received: at * 1_000 });
        await app.clock.sleep(SECOND);
      }
      await counted();
      assert.is(await received(good), (reports.length - 1) * 1_000);
      for (const period of await traffic(bad)) {
        assert.ok(Number.isSafeInteger(period.received) && period.received >= 0);
        assert.ok(Number.isSafeInteger(period.transmitted) && period.transmitted >= 0);
      }
    });
  }

  test('two machines that report as one agent invent no bytes', async () => {
    const uuid = randomUUID();
    const now = Math.floor(app.clock.now() / SECOND);
    for (let at = 0; at < 40; at++) {
      const [since, total] = at % 2 === 0 ? [now - 50_000, 1_000 * GB] : [now - 49_000, 2_000 * GB];
      await report(uuid, {
        ...{ boot_time: since, uptime: now + at - since },
        ...{ total_received: total + at * 1_000 },
      });
      await app.clock.sleep(SECOND);
    }
    await counted();
    assert.ok((await received(uuid)) < GB, `${await received(uuid)}`);
  });

  test('an agent whose clock is set back by days is counted on, and reports that come late are not', async () => {
    const uuid = randomUUID();
    const booted = Math.floor(app.clock.now() / SECOND) - 50_000;
    const send = (back: number, total: number, over: Values = {}) => {
      const now = Math.floor(app.clock.now() / SECOND);
      const [time, boot_time] = [app.clock.now() - back, booted - back / SECOND];
      const uptime = now - booted;
      return report(uuid, { time, boot_time, uptime, total_received: total, ...over });
    };
    for (let at = 0; at < 10; at++) {
      await send(at < 5 ? 0 : DAY, 1_000 * at);
      await app.clock.sleep(SECOND);
    }
    // From before the last start of the machine, and from before the clock was set.
    await send(2 * DAY, 500, { uptime: 4_000_000, boot_time: booted - 4_000_000 });
    await send(2 * DAY, 500, { uptime: 100 });
    await counted();
    assert.is(await received(uuid), 9_000);
  });

  const interfaces: [name: string, sums: number[], speed: number | null][] = [
    ['went one after the other come back together', [200, 150, 90, 200], 1_000],
    ['went together come back one after the other', [200, 90, 140, 200], 1_000],
    ['without speeds went one after the other, come back together', [200, 150, 90, 200], null],
  ];
  for (const [name, sums, speed] of interfaces) {
    test(`two interfaces that ${name} invent no bytes`, async () => {
      const uuid = randomUUID();
      for (const sum of sums) {
        await report(uuid, { total_received: sum * GB, receive_speed: speed });
        await app.clock.sleep(SECOND);
      }
      await counted();
      assert.ok((await received(uuid)) < GB, `${await received(uuid)}`);
    });
  }

  test.run();
}
