// proof: 40
// agent.md §3.2: a report from a clock that is ahead counts as of its arrival wherever the newest is asked.
import { randomUUID } from 'node:crypto';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { SUMMARY } from '../../plugins/agent/src/kinds.ts';
import { EVERY_ROW, newestSql } from '../../plugins/agent/src/store/newest.ts';
import { until } from '../bus-kit.ts';
import { loop } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import { sharedServers } from '../shared-servers.ts';
import { KINDS, PLUGINS, summaryReport } from './agent-kit.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

interface Stored {
  readonly timestamp: number;
  readonly arrived: number;
}

/** The newest of rows in the order of their arrival, as the page words it. */
function newestOf(rows: readonly Stored[]): Stored | undefined {
  const counts = ({ timestamp, arrived }: Stored) =>
    timestamp > arrived + 60 * SECOND ? arrived : timestamp;
  let newest: Stored | undefined;
  for (const row of rows) if (!newest || counts(row) >= counts(newest)) newest = row;
  return newest;
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`agent: clocks that are ahead (${dialect})`);
  let app: TestApp;
  let A: string;

  test.before(async () => {
    app = await bootForTest([...PLUGINS, 'metrics'], {}, { dialect, clock: true });
  });
  test.before.each(() => {
    A = randomUUID();
  });
  test.after(() => app.stop());

  const call = (method: string, ...params: unknown[]) =>
    app.call(method, [app.superToken, ...params]);

  for (const { kind, report, query, multiLast, remove, make } of KINDS) {
    /** Reports `ahead` ms before (positive: after) the server's time. */
    const reports = async (ahead: number): Promise<number> => {
      const time = app.clock.now() + ahead;
      await call(report, make(A, time));
      return time;
    };
    const last = (...conditions: unknown[]): Promise<{ timestamp: number }[]> =>
      call(query, { fields: [], condition: [{ uuid: A }, ...conditions] });
    const shown = async () => {
      const answers = [
        await call(multiLast, [A], []),
        await last('last'),
        await last({ limit: 1 }),
      ];
      const times = answers.map(([row]) => row?.timestamp);
      assert.is(new Set(times).size, 1, `multi-last, last and limit 1 agree: ${times}`);
      return times[0];
    };

    test(`${kind}: an agent whose clock was ahead and is set right shows its newest report, before and after a start`, async () => {
      for (const ahead of [HOUR, DAY]) {
        const wrong = await reports(ahead);
        assert.is(await shown(), wrong, 'answered as it was sent');
        await app.clock.advance(SECOND);
        const right = await reports(-200);
        assert.is(await shown(), right);
        await app.restart();
        assert.is(await shown(), right, 'read from the database');
      }
    });

    test(`${kind}: a server whose clock was ahead together with its agent's shows the newest report when both are set right`, async () => {
      await reports(0);
      for (const ahead of [0, HOUR]) {
        await app.clock.sleep(DAY);
        const wrong = await reports(ahead);
        assert.is(await shown(), wrong);
        await app.clock.sleep(-DAY);
        const right = await reports(0);
        assert.is(await shown(), right);
        await app.restart();
        assert.is(await shown(), right, 'read from the database');
        await app.clock.advance(SECOND);
        const next = await reports(0);
        assert.is(await shown(), next);
      }
    });

    test(`${kind}: an agent that reported only while the clocks were ahead is shown all the same`, async () => {
      await app.clock.sleep(DAY);
      await reports(0);
      const wrong = await reports(SECOND);
      await app.clock.sleep(-DAY);
      assert.is(await shown(), wrong);
      await app.restart();
      assert.is(await shown(), wrong, 'read from the database');
    });

    test(`${kind}: up to 60 s ahead the timestamp counts, beyond it the arrival`, async () => {
      const near = await reports(60 * SECOND);
      await app.clock.advance(SECOND);
      await reports(0);
      assert.is(await shown(), near);
      await reports(60 * SECOND + 1);
      assert.is(await shown(), near, 'it counts as of its arrival, which is earlier');
      await app.clock.advance(60 * SECOND);
      const later = await reports(60 * SECOND + 1);
      assert.is(await shown(), later);
    });

    test(`${kind}: a late, buffered report does not replace a newer one`, async () => {
      await reports(HOUR);
      await app.clock.advance(SECOND);
      const right = await reports(0);
      await reports(-10 * SECOND);
      assert.is(await shown(), right);
      await app.restart();
      assert.is(await shown(), right);
    });

    test(`${kind}: a clock that stays ahead shows each report, and a delete with last takes the newest`, async () => {
      const times: number[] = [];
      for (const ahead of [DAY, DAY, HOUR, HOUR]) {
        times.push(await reports(ahead));
        await app.clock.advance(SECOND);
        assert.is(await shown(), times.at(-1));
      }
      while (times.length > 0) {
        assert.is(await shown(), times.pop());
        assert.is((await call(remove, [{ uuid: A }, 'last'])).deleted, 1);
      }
      assert.is(await shown(), undefined);
    });

    test(`${kind}: any order of clocks gives what a look at all rows gives, with and without a window`, async () => {
      const offsets = fc.constantFrom(-HOUR, -SECOND, 0, 60_000, 60_001, 80_000, DAY, 200 * DAY);
      const steps = fc.array(fc.tuple(offsets, fc.constantFrom(0, 0, 0, 1, 1, 30)), {
        minLength: 1,
        maxLength: 12,
      });
      await fc.assert(
        fc.asyncProperty(steps, async (all) => {
          A = randomUUID();
          const rows: Stored[] = [];
          for (const [offset, pause_s] of all) {
            const timestamp = app.clock.now() + offset;
            // The same static report at the same time is one row.
            if (rows.some((row) => row.timestamp === timestamp)) continue;
            await reports(offset);
            rows.push({ timestamp, arrived: app.clock.now() });
            assert.is(await shown(), newestOf(rows)?.timestamp);
            await app.clock.advance(pause_s * SECOND);
          }
          const from = rows[0]!.arrived - SECOND;
          for (const [low, high] of [
            [from, from + 70 * SECOND],
            [from + 70 * SECOND, from + 3 * DAY],
          ] as const) {
            const inside = rows.filter(({ timestamp: time }) => time >= low && time <= high);
            const [found] = await last({ timestamp_from_to: [low, high] }, 'last');
            assert.is(found?.timestamp, newestOf(inside)?.timestamp, `${low}-${high}`);
          }
          const [arrived] = await last({ storage_time_to: rows[0]!.arrived }, 'last');
          const first = rows.filter((row) => row.arrived === rows[0]!.arrived);
          assert.is(arrived?.timestamp, newestOf(first)?.timestamp);
        }),
        { numRuns: loop(4, 60) },
      );
    });
  }

  test('static: the same state reported by a clock that is set right has the right time', async () => {
    const { report, query, make } = KINDS[0];
    const state = make(A, app.clock.now() + HOUR);
    await call(report, state);
    await app.clock.advance(SECOND);
    const time = app.clock.now();
    await call(report, { ...state, time });
    const rows = await call(query, { fields: [], condition: [{ uuid: A }] });
    assert.equal(rows, [{ uuid: A, timestamp: time }]);
  });

  test('last without an agent is the newest of all', async () => {
    await call('agent_delete_dynamic_summary', []);
    const report = (uuid: string, ahead: number) =>
      call(
        'agent_report_dynamic_summary',
        summaryReport({ uuid, time: app.clock.now() + ahead, uptime: Math.abs(ahead) }),
      );
    const B = randomUUID();
    for (const [uuid, ahead] of [
      [A, DAY],
      [B, -1],
      [A, HOUR],
      [B, 0],
    ] as const) {
      await app.clock.advance(SECOND);
      await report(uuid, ahead);
      const asked = { fields: ['uptime'], condition: ['last'] };
      const [row] = await call('agent_query_dynamic_summary', asked);
      assert.equal([row.uuid, row.uptime], [uuid, Math.abs(ahead)]);
    }
  });

  test('a subscriber and /svc/metrics see the report of the clock that was set right', async () => {
    const socket = await app.connect();
    const items: { uptime?: number }[] = [];
    socket.raw.on('message', (data: Buffer) => {
      items.push(...(JSON.parse(data.toString()).params?.result.agents ?? []));
    });
    const asked = { agents: [A], fields: ['uptime'], interval_ms: 250 };
    await call('agent_report_dynamic_summary', summaryReport({ uuid: A, uptime: 10 }));
    await socket.call('agent_subscribe', { token: app.superToken, ...asked });
    const report = (ahead: number, uptime: number) =>
      call(
        'agent_report_dynamic_summary',
        summaryReport({ uuid: A, time: app.clock.now() + ahead, uptime }),
      );
    const sees = async (uptime: number) => {
      await until(`uptime ${uptime}`, async () => {
        await app.clock.advance(250);
        return items.at(-1)?.uptime === uptime;
      });
      const headers = { authorization: `Bearer ${app.superToken}` };
      await app.clock.advance(2 * SECOND);
      const page = await (await app.fetch('/svc/metrics?only=agents', { headers })).text();
      const line = page.split('\n').find((one) => one.includes(A) && one.includes('uptime'));
      assert.is(line?.split(' ').at(-1), String(uptime));
    };
    await report(HOUR, 11);
    await sees(11);
    await report(0, 12);
    await sees(12);
    socket.close();
  });

  test('the newest rows are found over indexes, however many there are', async () => {
    if (dialect === 'postgres') {
      const sql = `select indexname as name from pg_indexes where indexname like 'idx-%-ahead'`;
      const names = (await app.sql(sql)).map(({ name }) => name);
      assert.equal(names.sort(), KINDS.map(({ table }) => `idx-${table}-ahead`).sort());
      return;
    }
    const window = { from: 5, to: 9 };
    for (const whose of [1, undefined]) {
      for (const filter of [EVERY_ROW, { ...EVERY_ROW, timestamp: window }]) {
        const { text, params } = newestSql({ dialect }, SUMMARY, { filter, whose, now: 0 });
        const plan = await app.sql(`explain query plan ${text}`, params);
        const steps = plan.map(({ detail }) => detail).filter((step) => /\bm\b/.test(step));
        for (const step of steps) assert.match(step, / USING INDEX /);
        assert.ok(steps.length >= 2);
      }
    }
  });

  test.run();
}

{
  const test = suite('agent: clocks that are ahead, on several servers (postgres)');

  test('another server shows the newest report, too', async () => {
    const servers = await sharedServers(2, PLUGINS, {}, { clock: true });
    try {
      const [one, other] = servers.apps as [TestApp, TestApp];
      const uuid = randomUUID();
      const report = (ahead: number, uptime: number) =>
        one.call('agent_report_dynamic_summary', [
          servers.superToken,
          summaryReport({ uuid, time: one.clock.now() + ahead, uptime }),
        ]);
      for (const [ahead, uptime] of [
        [HOUR, 1],
        [0, 2],
      ] as const) {
        await report(ahead, uptime);
        await until(`uptime ${uptime}`, async () => {
          for (const app of servers.apps) await app.clock.advance(SECOND);
          const asked = [servers.superToken, [uuid], ['uptime']];
          const [row] = await other.call('agent_dynamic_summary_multi_last_query', asked);
          return row?.uptime === uptime;
        });
      }
    } finally {
      await servers.stop();
    }
  });

  test.run();
}
