// agent.md §7: deletes.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { A, B, C, callText, failure, KINDS, PLUGINS, summaryReport, UNKNOWN } from './agent-kit.ts';

const uuid = { uuid: A };

/** Deletes over reports of A at 10, 20, 30, 40 and of B at 15, 30; what is left of A, and of B. */
// biome-ignore format: one case per line
const cases: [name: string, conditions: unknown[], deleted: number, leftA: number[], leftB: number[]][] = [
  ['nothing: everything', [], 6, [], []],
  ['uuid', [uuid], 4, [], [15, 30]],
  ['timestamp_to, as the maintenance worker does', [uuid, { timestamp_to: 20 }], 2, [30, 40], [15, 30]],
  ['timestamp_from', [uuid, { timestamp_from: 20 }], 3, [10], [15, 30]],
  ['timestamp_from_to, both ends', [uuid, { timestamp_from_to: [20, 30] }], 2, [10, 40], [15, 30]],
  ['from after to', [uuid, { timestamp_from_to: [30, 20] }], 0, [10, 20, 30, 40], [15, 30]],
  ['last', [uuid, 'last'], 1, [10, 20, 30], [15, 30]],
  ['last as an object', [uuid, { last: null }], 1, [10, 20, 30], [15, 30]],
  ['last beats limit', [uuid, { limit: 3 }, 'last'], 1, [10, 20, 30], [15, 30]],
  ['limit: the newest', [uuid, { limit: 3 }], 3, [10], [15, 30]],
  ['the last limit counts', [uuid, { limit: 3 }, { limit: 1 }], 1, [10, 20, 30], [15, 30]],
  ['limit 0', [uuid, { limit: 0 }], 0, [10, 20, 30, 40], [15, 30]],
  ['limit of a range', [uuid, { timestamp_to: 30 }, { limit: 2 }], 2, [10, 40], [15, 30]],
  ['limit above the number of rows', [uuid, { limit: 100 }], 4, [], [15, 30]],
  ['times of all agents', [{ timestamp_to: 15 }], 2, [20, 30, 40], [30]],
  ['limit over all agents, the later of two equal times', [{ limit: 2 }], 2, [10, 20, 30], [15]],
  ['last over all agents', ['last'], 1, [10, 20, 30], [15, 30]],
  ['storage_time_to: nothing is older', [{ storage_time_to: 1000 }], 0, [10, 20, 30, 40], [15, 30]],
  ['storage_time_from', [{ storage_time_from: 1000 }], 6, [], []],
  ['storage_time_from and agent', [uuid, { storage_time_from: 1000 }], 4, [], [15, 30]],
  ['storage_time_from and limit', [{ storage_time_from: 1000 }, { limit: 1 }], 1, [10, 20, 30], [15, 30]],
  ['two agents match nothing', [uuid, { uuid: B }], 0, [10, 20, 30, 40], [15, 30]],
];

const huge = ['9223372036854775807', '9223372036854775808', '18446744073709551615'];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`agent: deletes (${dialect})`);
  let app: TestApp;

  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect });
    await call('agent_report_dynamic_summary', summaryReport({ uuid: C }));
  });
  test.after(() => app.stop());
  test.before.each(async () => {
    for (const { remove } of KINDS) await call(remove, []);
  });

  const call = (method: string, ...params: unknown[]) =>
    app.call(method, [app.superToken, ...params]);

  for (const { kind, report, query, remove, make } of KINDS) {
    const fill = async () => {
      for (const time of [30, 10, 40, 20]) await call(report, make(A, time));
      for (const time of [15, 30]) await call(report, make(B, time));
    };
    const left = async (agent: string) => {
      const rows = await call(query, { fields: [], condition: [{ uuid: agent }] });
      return rows.map((row: any) => row.timestamp);
    };

    for (const [name, conditions, deleted, leftA, leftB] of cases) {
      test(`${kind}: ${name}`, async () => {
        await fill();
        const result = await call(remove, conditions);
        assert.equal(result, { success: true, deleted, condition_count: conditions.length });
        assert.equal([await left(A), await left(B)], [leftA, leftB]);
      });
    }

    test(`${kind}: limits above 2^63-1 delete what there is`, async () => {
      for (const limit of huge) {
        await fill();
        const params = `["${app.superToken}",[{"uuid":"${A}"},{"limit":${limit}}]]`;
        const { result } = JSON.parse(await callText(app, remove, params));
        assert.equal(result, { success: true, deleted: 4, condition_count: 2 }, limit);
      }
    });

    test(`${kind}: the data of a soft-deleted agent, an agent without data, an unknown agent`, async () => {
      await fill();
      await call('agent-uuid_delete', A);
      assert.is((await call(remove, [uuid])).deleted, 4);
      assert.is((await call(remove, [{ uuid: C }])).deleted, 0);
      const { code, message, data } = await failure(call(remove, [{ uuid: UNKNOWN }]));
      const text = `Not found in database: Agent UUID not found in monitoring registry: ${UNKNOWN}`;
      assert.equal([code, message, data], [105, text, undefined]);
      assert.is((await failure(call(remove, [uuid, { uuid: UNKNOWN }]))).code, 105);
    });

    test(`${kind}: params by name; malformed ones are -32602`, async () => {
      await fill();
      const token = app.superToken;
      const named = { token, conditions: [uuid, { timestamp_to: 10 }], condition: [], more: 1 };
      assert.is((await app.call(remove, named)).deleted, 1);
      for (const params of [
        [token],
        [token, null],
        [token, {}],
        { token, condition: [] },
        [token, [{}]],
        [token, [{ last: 1 }]],
      ]) {
        const failed = await failure(app.call(remove, params));
        assert.equal([failed.code, failed.message], [-32602, 'Invalid params']);
      }
      assert.is((await left(A)).length, 3);
    });
  }

  test('many rows are deleted in several statements and all counted', async () => {
    const report = (time: number) => call('agent_report_dynamic_summary', summaryReport({ time }));
    for (let at = 0; at < 1250; at += 50) {
      await Promise.all(
        Array.from({ length: 50 }, (_none, index) => report(Math.floor((at + index) / 2))),
      );
    }
    assert.is((await call('agent_delete_dynamic_summary', [uuid, { limit: 510 }])).deleted, 510);
    const condition = [uuid, 'last'];
    const [row] = await call('agent_query_dynamic_summary', { fields: [], condition });
    assert.is(row.timestamp, 369);
    assert.is((await call('agent_delete_dynamic_summary', [{ timestamp_to: 300 }])).deleted, 602);
    assert.is(
      (await call('agent_delete_dynamic_summary', [{ storage_time_from: 0 }])).deleted,
      138,
    );
    assert.is((await call('agent_delete_dynamic_summary', [])).deleted, 0);
  });

  test('reports are answered while a large delete runs', async () => {
    const report = (time: number) => call('agent_report_dynamic_summary', summaryReport({ time }));
    const round = async () => {
      for (let at = 0; at < 3000; at += 100) {
        await Promise.all(Array.from({ length: 100 }, (_none, index) => report(at + index)));
      }
      const order: string[] = [];
      const deleting = call('agent_delete_dynamic_summary', [{ timestamp_to: 3000 }]).then(
        ({ deleted }) => order.push(`deleted ${deleted}`),
      );
      await report(9000).then(() => order.push('reported'));
      await deleting;
      const rows = await call('agent_query_dynamic_summary', { fields: [], condition: [uuid] });
      assert.equal(
        rows.map((row: any) => row.timestamp),
        [9000],
      );
      await call('agent_delete_dynamic_summary', []);
      return order;
    };
    // A machine that leaves the report lying may delete everything meanwhile: not time after time.
    let order = await round();
    for (let left = 4; left > 0 && order[0] !== 'reported'; left--) order = await round();
    assert.equal(order, ['reported', 'deleted 3000']);
  });

  test('a failure of the database is 103 without data', async () => {
    await app.sql('alter table dynamic_monitoring rename to away');
    const { code, message, data } = await failure(call('agent_delete_dynamic', []));
    await app.sql('alter table away rename to dynamic_monitoring');
    assert.is(code, 103);
    assert.match(message, /^Database error: /);
    assert.is(data, undefined);
  });

  test.run();
}
