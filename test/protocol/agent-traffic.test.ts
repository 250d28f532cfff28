// proof: 60
// `agent_query_traffic` (agent.md §6.7): bytes of agents by the day and month, from counters that are sums over interfaces.
import { randomUUID } from 'node:crypto';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { monthOf, perDay } from '../../plugins/series/src/traffic/days.ts';
import { loop } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import { type SharedServers, sharedServers } from '../shared-servers.ts';
import { failure, summaryReport, UNKNOWN } from './agent-kit.ts';
import { eventually } from './token-kit.ts';

const PLUGINS = ['token', 'agent-uuid', 'agent', 'series', 'metrics', 'server-info'];
const SECOND = 1_000;
const MINUTE = 60_000;
const DAY = 86_400_000;
const GB = 1_000_000_000;
const ROUNDS = 200;

interface Period {
  readonly uuid: string;
  readonly begin: number;
  readonly received: number;
  readonly transmitted: number;
  readonly quota?: number;
}

/** What a machine reports at the end of an hour of its own, GB; `boot` counts its starts. */
interface Sample {
  readonly gb: number;
  readonly boot: number;
}
const hours = (count: number, from: number, boot = 0): Sample[] =>
  Array.from({ length: count }, (_, hour) => ({ gb: from + hour, boot }));
const samples = (values: readonly number[], boot = 0): Sample[] =>
  values.map((gb) => ({ gb, boot }));

/** The days of the program that showed the fault, GB, and what went over the wire. */
const days: [name: string, all: Sample[], moved: number][] = [
  ['an ordinary day', hours(25, 500), 24],
  ['a tunnel with 100 GB behind it goes down at noon', [...hours(12, 500), ...hours(12, 412)], 23],
  [
    'a tunnel goes up and down three times',
    samples([500, 501, 402, 403, 503, 504, 405, 406, 506, 507, 408, 409]),
    9,
  ],
  [
    'a restart between two buckets',
    [...samples([500, 510, 520, 530]), ...samples([2, 4, 6, 8], 1)],
    38,
  ],
  [
    'a restart within a bucket, 50 GB after its beginning',
    [...samples([500, 510, 520, 570]), ...samples([2, 30, 31, 32], 1)],
    102,
  ],
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`agent: traffic (${dialect})`);
  let app: TestApp;
  let A: string;

  test.before(async () => {
    const series = {
      traffic_month_day: 15,
      traffic_quota_gb: 1_000,
      traffic_plans: [{ agent: UNKNOWN, quota_gb: 5 }],
    };
    app = await bootForTest(PLUGINS, { series }, { dialect, clock: true });
  });
  test.before.each(() => {
    A = randomUUID();
  });
  test.after(() => app.stop());

  const traffic = (over: object = {}): Promise<Period[]> =>
    app.call('agent_query_traffic', {
      token: app.superToken,
      uuids: [A],
      from: app.clock.now() - 400 * DAY,
      to: app.clock.now() + DAY,
      by: 'day',
      ...over,
    });
  const sum = (periods: readonly Period[]) =>
    periods.reduce((all, { received }) => all + received, 0);
  const report = (received: number, over: object = {}) =>
    app.call('agent_report_dynamic_summary', [
      app.superToken,
      summaryReport({
        uuid: A,
        time: app.clock.now(),
        total_received: received,
        total_transmitted: 0,
        receive_speed: 0,
        transmit_speed: 0,
        boot_time: 1_780_000_000,
        uptime: Math.floor(app.clock.now() / SECOND) - 1_780_000_000,
        ...over,
      }),
    ]);
  /** Waits until what was reported is counted. */
  const counted = async () => {
    const until = app.clock.now();
    for (let round = 0; round < ROUNDS; round++) {
      const [state] = await app.sql(`select value from series_state where name = 'traffic'`);
      if (Number(state?.value ?? 0) > until) return;
      await app.clock.sleep(61 * SECOND);
      await new Promise((resolve) => setTimeout(resolve, 10));
      // A report of another agent: without any, the time of the last step is stored seldom.
      if (round % 4 === 0)
        await app.call('agent_report_dynamic_summary', [
          app.superToken,
          summaryReport({
            uuid: UNKNOWN,
            time: app.clock.now(),
            total_received: 1,
            total_transmitted: 1,
          }),
        ]);
    }
    throw new Error('the reports were not counted');
  };

  for (const [name, all, moved] of days) {
    test(`${name}, hour by hour: no byte is invented, and few are lost`, async () => {
      const start = Math.floor(app.clock.now() / SECOND);
      for (const [hour, { gb, boot }] of all.entries()) {
        const since =
          start + (boot > 0 ? all.findIndex((one) => one.boot === boot) * 300 : -86_400);
        const uptime = start + hour * 300 - since + 10;
        await report(gb * GB, { boot_time: since, uptime, receive_speed: null });
        await app.clock.sleep(5 * MINUTE);
      }
      await counted();
      const got = sum(await traffic()) / GB;
      assert.ok(got <= moved * 1.05 + 1, `${got} of ${moved}`);
      assert.ok(got >= moved * 0.85, `${got} of ${moved}`);
    });

    test(`${name}, with reports that follow closely: what went over the wire`, async () => {
      const start = Math.floor(app.clock.now() / SECOND);
      const step_s = 2;
      const pieces = loop(6, 12);
      let before = all[0] as Sample;
      for (const [hour, sample] of all.entries()) {
        const since =
          start +
          (sample.boot > 0
            ? all.findIndex((one) => one.boot === sample.boot) * 2 * pieces
            : -86_400);
        const jumps = sample.boot === before.boot && Math.abs(sample.gb - before.gb) > 60;
        // A jump is the tunnel.
        const tunnel = jumps ? Math.sign(sample.gb - before.gb) * 100 : 0;
        const base = sample.boot === before.boot ? before.gb + tunnel : 0;
        const rate = ((sample.gb - base) * GB) / (pieces * step_s);
        for (let piece = hour === 0 ? pieces : 1; piece <= pieces; piece++) {
          const uptime = Math.floor(app.clock.now() / SECOND) - since;
          const received = Math.round(base * GB + rate * piece * step_s);
          await report(received, { boot_time: since, uptime, receive_speed: Math.round(rate) });
          await app.clock.sleep(step_s * SECOND);
        }
        before = sample;
      }
      await counted();
      const got = sum(await traffic()) / GB;
      assert.ok(got >= moved * 0.95 && got <= moved * 1.05 + 1, `${got} of ${moved}`);
    });
  }

  test('buffered reports, a clock that is set right and a start of the server count each byte once', async () => {
    let bytes = 50 * GB;
    const more = async (over: object = {}) => {
      bytes += GB;
      await report(bytes, { receive_speed: GB, ...over });
      await app.clock.sleep(SECOND);
    };
    await report(bytes);
    await app.clock.sleep(SECOND);
    await more();
    // An hour ahead, where the machine's start seems to be an hour later, too; then right again.
    for (let n = 0; n < 3; n++)
      await more({ time: app.clock.now() + 60 * MINUTE, boot_time: 1_780_003_600 });
    await more();
    await counted();
    assert.is(sum(await traffic()), 5 * GB);
    // Away for ten minutes, of which the machine reports afterwards, in order and once too late.
    const away = app.clock.now();
    await app.clock.sleep(10 * MINUTE);
    for (let n = 1; n <= 10; n++) await more({ time: away + n * 50 * SECOND });
    await report(bytes - 2 * GB, { time: away + 8 * 50 * SECOND });
    await app.restart();
    await more();
    await counted();
    assert.is(sum(await traffic()), 16 * GB);
    await app.restart();
    await counted();
    assert.is(sum(await traffic()), 16 * GB);
  });

  test('months begin on the day of the configuration, and tell the quota', async () => {
    await report(0);
    await app.clock.sleep(SECOND);
    await report(7 * GB, { receive_speed: 7 * GB });
    await counted();
    const id = (await app.sql(`select max(uuid_id) as id from traffic_counter`))[0].id;
    const day = (year: number, month: number, date: number) => Date.UTC(year, month - 1, date);
    for (const [at, gb] of [
      [day(2024, 2, 14), 1],
      [day(2024, 2, 15), 2],
      [day(2024, 2, 29), 3],
      [day(2024, 3, 14), 4],
      [day(2024, 3, 15), 5],
    ] as const)
      await app.sql(
        `insert into traffic_day (uuid_id, day, received, transmitted) values (${id}, ${at / DAY}, ${gb * GB}, 1)`,
      );
    const asked = { from: day(2024, 2, 20), to: day(2024, 3, 15), by: 'month' };
    const own = (
      await app.sql(`select uuid_id from traffic_day where day = ${day(2024, 2, 14) / DAY}`)
    )[0];
    assert.is(own.uuid_id, id);
    const months = await traffic(asked);
    assert.equal(months, [
      { uuid: A, begin: day(2024, 2, 15), received: 9 * GB, transmitted: 3, quota: 1_000 * GB },
    ]);
    const all = await traffic({ ...asked, from: day(2024, 1, 20), to: day(2024, 3, 16) });
    assert.equal(
      all.map(({ begin, received }) => [begin, received / GB]),
      [
        [day(2024, 1, 15), 1],
        [day(2024, 2, 15), 9],
        [day(2024, 3, 15), 5],
      ],
    );
    assert.equal(
      (await traffic({ from: day(2024, 2, 15), to: day(2024, 3, 1) })).map(({ begin }) => begin),
      [day(2024, 2, 15), day(2024, 2, 29)],
    );
    const headers = { authorization: `Bearer ${app.superToken}` };
    await app.clock.advance(2 * SECOND);
    await report(7 * GB);
    const page = await (await app.fetch('/svc/metrics?only=agents', { headers })).text();
    const line = (name: string) =>
      page
        .split('\n')
        .find((one) => one.startsWith(`svc_agent_traffic_${name}{`) && one.includes(A));
    assert.is(line('month_received_bytes')?.split(' ').at(-1), String(7 * GB));
    assert.is(line('quota_bytes')?.split(' ').at(-1), String(1_000 * GB));
  });

  test('rights, unknown agents and impossible ranges', async () => {
    await report(1);
    const now = app.clock.now();
    const token = await app.token([
      { scopes: [{ agent_uuid: A }], permissions: [{ dynamic_monitoring_summary: 'read' }] },
    ]);
    assert.equal(await traffic({ token }), []);
    const other = randomUUID();
    assert.is((await failure(traffic({ token, uuids: [A, other] }))).code, 102);
    assert.is((await failure(traffic({ uuids: [other] }))).code, 106);
    for (const over of [
      { from: now, to: now },
      { from: now - 801 * DAY, to: now },
    ])
      assert.is((await failure(traffic(over))).code, 108);
    for (const over of [{ by: 'week' }, { uuids: [] }, { uuids: Array(101).fill(A) }, { from: -1 }])
      assert.is((await failure(traffic(over))).code, -32602);
  });

  test('the traffic of an agent goes with a delete of all its summaries', async () => {
    await report(0);
    await app.clock.sleep(SECOND);
    await report(GB, { receive_speed: GB });
    await counted();
    assert.is(sum(await traffic()), GB);
    await app.call('agent_delete_dynamic_summary', [app.superToken, [{ uuid: A }]]);
    assert.equal(await traffic(), []);
  });

  test.run();
}

const fleet = suite('agent: traffic of several servers (postgres)');
let servers: SharedServers;
fleet.before(async () => {
  servers = await sharedServers(2, PLUGINS, {}, { clock: true });
});
fleet.after(() => servers.stop());

fleet('whichever server counts, each byte counts once', async () => {
  const uuid = randomUUID();
  const [one, two] = servers.apps as [TestApp, TestApp];
  let bytes = 0;
  for (let n = 0; n < 30; n++) {
    const app = n % 2 ? one : two;
    await app.call('agent_report_dynamic_summary', [
      servers.superToken,
      summaryReport({
        uuid,
        time: app.clock.now(),
        total_received: bytes,
        total_transmitted: 2 * bytes,
        receive_speed: GB,
        transmit_speed: 2 * GB,
        boot_time: 1,
        uptime: 100 + n * 20,
      }),
    ]);
    bytes += 20 * GB;
    await Promise.all(servers.apps.map((each) => each.clock.sleep(20 * SECOND)));
  }
  const asked = {
    uuids: [uuid],
    from: one.clock.now() - DAY,
    to: one.clock.now() + DAY,
    by: 'day',
  };
  // A round comes each minute, on one of the servers.
  await eventually(async () => {
    await Promise.all(servers.apps.map((each) => each.clock.sleep(61 * SECOND)));
    for (const app of servers.apps) {
      const found: Period[] = await app.call('agent_query_traffic', {
        token: servers.superToken,
        ...asked,
      });
      const sums = (['received', 'transmitted'] as const).map((way) =>
        found.reduce((sum, period) => sum + period[way], 0),
      );
      assert.equal(sums, [580 * GB, 1_160 * GB]);
    }
  });
});

fleet.run();

const parts = suite('agent: traffic: days and months');

parts('bytes over midnight go to their days, none is lost or added', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 40), fc.nat(100 * DAY), fc.nat(90 * DAY), (bytes, from, length) => {
      const found = perDay(bytes, from, from + length);
      assert.is(
        found.reduce((sum, [, part]) => sum + part, 0),
        bytes,
      );
      assert.ok(found.every(([, part]) => part >= 0));
    }),
  );
  assert.equal(perDay(100, DAY - 10, DAY + 30), [
    [0, 25],
    [1, 75],
  ]);
});

parts('a month begins on its day, in every year', () => {
  for (const [day, monthDay, begin] of [
    [Date.UTC(2024, 2, 14), 15, Date.UTC(2024, 1, 15)],
    [Date.UTC(2024, 0, 1), 28, Date.UTC(2023, 11, 28)],
    [Date.UTC(2024, 0, 1), 1, Date.UTC(2024, 0, 1)],
  ] as const)
    assert.is(monthOf(day / DAY, monthDay), begin / DAY);
});

parts.run();
