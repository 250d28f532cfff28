// `task_query_series`: loss and latency of probes in buckets (plugins/task/README.md).
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { A, B, failure } from './agent-kit.ts';

const T = 1_781_000_000_000;
const MINUTE = 60_000;

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`task: series (${dialect})`);
  let app: TestApp;

  test.before(async () => {
    app = await bootForTest(['token', 'agent-uuid', 'task'], {}, { dialect });
    const rows: [uuid: string, time: number, type: string, target: string, ms: number | null][] =
      [];
    for (let n = 1; n <= 100; n++) rows.push([A, T + n, 'ping', '192.0.2.1', n]);
    rows.push([A, T + 200, 'ping', '192.0.2.1', null], [A, T + 201, 'ping', '192.0.2.1', null]);
    rows.push([A, T + 2 * MINUTE, 'ping', '192.0.2.2', null]);
    rows.push([A, T + 3 * MINUTE, 'tcp_ping', '192.0.2.1:22', 7.5], [B, T, 'ping', '192.0.2.1', 9]);
    const uuid = (text: string) =>
      dialect === 'sqlite' ? `x'${text.replaceAll('-', '')}'` : `'${text}'`;
    const values = rows.map(
      ([agent, time, type, target, ms]) =>
        `(${uuid(agent)}, 'x', ${time}, ${ms !== null}, '${JSON.stringify({ [type]: target })}',
          ${ms === null ? 'null' : `'${JSON.stringify({ [type]: ms })}'`}, '${type}', ${time})`,
    );
    await app.sql(`insert into task (uuid, token, timestamp, success, task_event_type, task_event_result, type_name, created_at)
      values ${values.join(', ')}`);
  });
  test.after(() => app.stop());

  const query = (over: object = {}, token = app.superToken) => {
    const range = { from: T, to: T + 4 * MINUTE, points: 4 };
    return app.call('task_query_series', { token, type: 'ping', agents: [A], ...range, ...over });
  };

  test('buckets hold the loss and percentiles of the latency, and null where no probe was answered', async () => {
    const { from, step_ms, series } = await query();
    assert.equal([from, step_ms], [T, MINUTE]);
    const of = (value: number) => [value, null, null, null];
    assert.equal(series, [
      {
        uuid: A,
        count: [102, 0, 1, 0],
        loss: [2 / 102, null, 1, null],
        min: of(1),
        p50: of(50),
        p95: of(95),
        p99: of(99),
        max: of(100),
      },
    ]);
  });

  test('types, agents and targets are told apart', async () => {
    const [tcp] = (await query({ type: 'tcp_ping' })).series;
    assert.equal(
      [tcp.count, tcp.p99],
      [
        [0, 0, 0, 1],
        [null, null, null, 7.5],
      ],
    );
    const both = (await query({ agents: [B, A], target: '192.0.2.2' })).series;
    assert.equal(
      both.map(({ uuid, count }: { uuid: string; count: number[] }) => [uuid, count]),
      [
        [B, [0, 0, 0, 0]],
        [A, [0, 0, 1, 0]],
      ],
    );
    assert.equal((await query({ cron_source: 'none' })).series[0].count, [0, 0, 0, 0]);
  });

  test('needs the right to read tasks of this type for every agent', async () => {
    const permissions = [{ task: { read: 'ping' } }];
    const token = await app.token([{ scopes: [{ agent_uuid: A }], permissions }]);
    await query({}, token);
    assert.is((await failure(query({ type: 'tcp_ping' }, token))).code, 102);
    assert.is((await failure(query({ agents: [A, B] }, token))).code, 102);
    assert.is((await failure(query({ type: 'dns' }))).code, -32602);
    assert.is((await failure(query({ to: T }))).code, 108);
  });

  test.run();
}
