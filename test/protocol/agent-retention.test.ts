// monitoring-data.md §8: built-in retention, off by default.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { A, B, KINDS, PLUGINS } from './agent-kit.ts';
import { eventually } from './token-kit.ts';

const HOUR_MS = 3_600_000;
const PERIOD_MS = 10 * 60_000;

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`agent: retention (${dialect})`);
  let app: TestApp;
  test.after.each(() => app.stop());

  const call = (method: string, ...params: unknown[]) =>
    app.call(method, [app.superToken, ...params]);
  const fill = async () => {
    const now = app.clock.now();
    for (const { report, make } of KINDS) {
      for (const age of [3 * HOUR_MS, HOUR_MS, 0]) await call(report, make(A, now - age));
      await call(report, make(B, now - 3 * HOUR_MS));
    }
  };
  const rows = async () => {
    const counts: Record<string, number> = {};
    for (const { kind, query } of KINDS) {
      counts[kind] = (await call(query, { fields: [], condition: [] })).length;
    }
    return counts;
  };
  /** The job runs beside the calls. */
  const settled = (expected: Record<string, number>) =>
    eventually(async () => assert.equal(await rows(), expected));

  test('nothing is deleted without limits', async () => {
    app = await bootForTest(PLUGINS, {}, { dialect, clock: true });
    await fill();
    await app.clock.advance(2 * PERIOD_MS);
    assert.equal(await rows(), { static: 4, dynamic: 4, summary: 4 });
  });

  test('each kind has its own limit; last values follow', async () => {
    const agent = {
      database_limit_dynamic_monitoring: 2 * HOUR_MS,
      database_limit_dynamic_monitoring_summary: HOUR_MS / 2,
    };
    app = await bootForTest(PLUGINS, { agent }, { dialect, clock: true });
    await fill();
    for (const { multiLast } of KINDS) assert.is((await call(multiLast, [A, B], [])).length, 2);
    await app.clock.advance(PERIOD_MS);
    await settled({ static: 4, dynamic: 2, summary: 1 });
    // The rows have gone a moment before the job hears of it.
    await eventually(async () => {
      const newest = await call('agent_dynamic_summary_multi_last_query', [A, B], []);
      assert.equal(
        newest.map((row: any) => row.uuid),
        [A],
      );
    });
  });

  test('old static reports are deleted by the time of their last report', async () => {
    const agent = { database_limit_static_monitoring: 2 * HOUR_MS };
    app = await bootForTest(PLUGINS, { agent }, { dialect, clock: true });
    const [{ report, make }] = KINDS;
    const now = app.clock.now();
    const old = make(A, now - 3 * HOUR_MS);
    await call(report, old);
    await call(report, make(A, now - 4 * HOUR_MS));
    assert.is((await call(report, { ...old, time: now })).status, 'skipped');
    await app.clock.advance(PERIOD_MS);
    await settled({ static: 1, dynamic: 0, summary: 0 });
    const [row] = await call('agent_static_data_multi_last_query', [A], []);
    assert.is(row.timestamp, now);
  });

  test.run();
}
