// monitoring-data.md §6: the static hash and deduplication.
import { createHash } from 'node:crypto';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { A, B, PLUGINS, staticReport } from './agent-kit.ts';

const BUFFERED = { status: 'buffered' };
const SKIPPED = { status: 'skipped', reason: 'duplicate_hash' };

/** A hash, then another one of the same agent, and what the second is answered. */
// biome-ignore format: one case per line
const pairs: [name: string, first: number[], second: number[], answer: typeof BUFFERED][] = [
  ['equal', [1, 2, 3], [1, 2, 3], SKIPPED],
  ['different', [1, 2, 3], [1, 2, 4], BUFFERED],
  ['both empty', [], [], SKIPPED],
  ['empty and sixteen zeros: equal after padding', [], new Array(16).fill(0), SKIPPED],
  ['zero-padded', [7], [7, 0, 0], SKIPPED],
  ['equal in the first 16 bytes', new Array(16).fill(9), new Array(20).fill(9), SKIPPED],
  ['different in byte 16', new Array(16).fill(9), [...new Array(15).fill(9), 8], BUFFERED],
  ['1000 bytes', [], new Array(1000).fill(255), BUFFERED],
];

/** Canonical JSON of monitoring-data.md §6.1. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  const members = names.map((name) => `${JSON.stringify(name)}:${canonical((value as any)[name])}`);
  return `{${members.join(',')}}`;
}

const hashOf = ({ cpu, system, gpu }: any): number[] => [
  ...createHash('sha256')
    .update([cpu, system, gpu].map(canonical).join('\n'))
    .digest()
    .subarray(0, 16),
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`monitoring data: static hash (${dialect})`);
  let app: TestApp;

  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect });
  });
  test.after(() => app.stop());
  test.before.each(() => app.call('agent_delete_static', [app.superToken, []]));

  const call = (method: string, ...params: unknown[]) =>
    app.call(method, [app.superToken, ...params]);
  const report = (over: Record<string, unknown>) => call('agent_report_static', staticReport(over));
  const machine = (host: string, time: number, uuid = A) => {
    const content = staticReport({ uuid, time });
    content.system.system_host_name = host;
    return { ...content, data_hash: hashOf(content) };
  };
  const stored = () =>
    call('agent_query_static', { fields: ['system'], condition: [{ uuid: A }] }).then((rows) =>
      rows.map((row: any) => [row.system.system_host_name, row.timestamp]),
    );
  const newest = () =>
    call('agent_static_data_multi_last_query', [A], ['system']).then((rows) =>
      rows.map((row: any) => [row.system.system_host_name, row.timestamp]),
    );

  test('the hash of the chapter is the hash of its example', () => {
    const example = hashOf(staticReport({ gpu: [] }));
    assert.is(Buffer.from(example).toString('hex'), '64f2c99a7c725bf03b61688cb26a4021');
  });

  for (const [name, first, second, answer] of pairs) {
    test(`two hashes, ${name}: ${answer.status}`, async () => {
      assert.equal(await report({ time: 1, data_hash: first }), BUFFERED);
      assert.equal(await report({ time: 2, data_hash: second }), answer);
      assert.equal(await newest(), [['node-α', 2]], 'the second one is the latest either way');
      assert.is((await stored()).length, answer === SKIPPED ? 1 : 2);
    });
  }

  test('the server trusts the hash: other content under a known hash is not stored', async () => {
    await report(machine('one', 1));
    const { data_hash } = machine('one', 1);
    assert.equal(await report({ ...machine('two', 2), data_hash }), SKIPPED);
    assert.equal(await stored(), [['one', 2]]);
    assert.equal(await newest(), [['two', 2]]);
  });

  test('a duplicate moves the stored time, never backwards', async () => {
    await report(machine('one', 10));
    const [before] = await app.sql('select storage_time from static_monitoring');
    while (Date.now() <= Number(before.storage_time)) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    assert.equal(await report(machine('one', 20)), SKIPPED);
    assert.equal(await stored(), [['one', 20]]);
    const [after] = await app.sql('select storage_time from static_monitoring');
    assert.ok(Number(after.storage_time) > Number(before.storage_time));
    assert.equal(await report(machine('one', 15)), SKIPPED);
    assert.equal(await stored(), [['one', 20]]);
    assert.equal(await newest(), [['one', 20]]);
  });

  test('A, then B, then A again: A is the latest, after a restart too', async () => {
    assert.equal(await report(machine('one', 1)), BUFFERED);
    assert.equal(await report(machine('two', 2)), BUFFERED);
    assert.equal(await report(machine('one', 3)), SKIPPED);
    const check = async () => {
      const condition = [{ uuid: A }, 'last'];
      const [row] = await call('agent_query_static', { fields: ['system'], condition });
      assert.equal([row.system.system_host_name, row.timestamp], ['one', 3]);
      assert.equal(await newest(), [['one', 3]]);
    };
    await check();
    await app.restart();
    await check();
    assert.equal(await report(machine('two', 4)), SKIPPED, 'the table knows the hash');
    assert.equal(await newest(), [['two', 4]]);
  });

  /** Reported at 10, 20 and 30; answered with this time, or not found. */
  // biome-ignore format: one window per line
  const windows: [condition: unknown[], time: number | undefined][] = [
    [[], 30],
    [['last'], 30],
    [[{ timestamp_from_to: [5, 15] }], 10],
    [[{ timestamp_from_to: [10, 10] }], 10],
    [[{ timestamp_from_to: [5, 15] }, 'last'], 10],
    [[{ timestamp_from_to: [25, 35] }], 30],
    [[{ timestamp_from_to: [30, 30] }], 30],
    [[{ timestamp_from_to: [5, 35] }], 10],
    [[{ timestamp_from_to: [12, 18] }], 10],
    [[{ timestamp_from: 10 }], 10],
    [[{ timestamp_from: 11 }], 30],
    [[{ timestamp_from: 31 }], undefined],
    [[{ timestamp_to: 10 }], 10],
    [[{ timestamp_to: 40 }], 10],
    [[{ timestamp_to: 9 }], undefined],
    [[{ timestamp_from_to: [1, 9] }], undefined],
    [[{ timestamp_from_to: [31, 40] }], undefined],
    [[{ timestamp_from: -(2 ** 53) }, { timestamp_to: 2 ** 53 }], 10],
  ];
  test('a row is found by any time between its first and its last report', async () => {
    // The second one is late: it was made before the others.
    for (const time of [20, 10, 30]) await report(machine('one', time));
    const check = async () => {
      for (const [condition, time] of windows) {
        for (const agent of [[], [{ uuid: A }]]) {
          const query = { fields: ['system'], condition: [...agent, ...condition] };
          const found = (await call('agent_query_static', query)).map((row: any) => row.timestamp);
          assert.equal(found, time === undefined ? [] : [time], JSON.stringify(condition));
        }
      }
      assert.equal(await newest(), [['one', 30]]);
    };
    await check();
    await app.restart();
    await check();
  });

  test('a row is found by any storage time between its first and its last report', async () => {
    await report(machine('one', 1));
    const [{ storage_time: first }] = await app.sql('select storage_time from static_monitoring');
    while (Date.now() <= Number(first)) await new Promise((resolve) => setTimeout(resolve, 1));
    await report(machine('one', 2));
    const [{ storage_time: last }] = await app.sql('select storage_time from static_monitoring');
    for (const [from, to, count] of [
      [Number(first), Number(first), 1],
      [Number(last), Number(last), 1],
      [0, Number(first) - 1, 0],
      [Number(last) + 1, Number(last) + 2, 0],
    ]) {
      const condition = [{ uuid: A }, { storage_time_from_to: [from, to] }];
      const found = await call('agent_query_static', { fields: [], condition });
      assert.is(found.length, count, `${from} to ${to}`);
    }
  });

  test('several rows in a window come in the order of the times that they show', async () => {
    await report(machine('one', 1));
    await report(machine('two', 2));
    await report(machine('one', 3));
    const inWindow = async (...more: unknown[]) => {
      const condition = [{ uuid: A }, { timestamp_from_to: [0, 10] }, ...more];
      const rows = await call('agent_query_static', { fields: ['system'], condition });
      return rows.map((row: any) => [row.system.system_host_name, row.timestamp]);
    };
    assert.equal(await inWindow(), [
      ['one', 1],
      ['two', 2],
    ]);
    assert.equal(await inWindow({ limit: 5 }), [
      ['two', 2],
      ['one', 1],
    ]);
  });

  test('what is still reported is not deleted by the time of its first report', async () => {
    await report(machine('one', 10));
    await report(machine('one', 30));
    assert.is((await call('agent_delete_static', [{ uuid: A }, { timestamp_to: 20 }])).deleted, 0);
    assert.is((await call('agent_delete_static', [{ uuid: A }, { timestamp_to: 30 }])).deleted, 1);
  });

  test('two agents may report the same hash', async () => {
    assert.equal(await report({ uuid: A }), BUFFERED);
    assert.equal(await report({ uuid: B }), BUFFERED);
    const rows = await call('agent_query_static', { fields: [], condition: [] });
    assert.equal(rows.map((row: any) => row.uuid).sort(), [A, B]);
  });

  test('after a delete the same report is stored again', async () => {
    await report({});
    await call('agent_delete_static', [{ uuid: A }]);
    assert.equal(await report({}), BUFFERED);
    await call('agent_delete_static', [{ uuid: A }, 'last']);
    assert.equal(await report({}), BUFFERED);
    assert.is((await stored()).length, 1);
  });

  test('a row deleted behind the back of the server is stored again', async () => {
    await report({});
    await app.sql('delete from static_monitoring');
    assert.equal(await report({}), BUFFERED);
    assert.is((await stored()).length, 1);
  });

  test('identical reports at the same time: one is stored, nothing of others is lost', async () => {
    const uuids = [A, B];
    const reports = uuids.flatMap((uuid) => new Array(8).fill(machine('same', 5, uuid)));
    const answers = await Promise.all(reports.map((one) => call('agent_report_static', one)));
    const kept = answers.filter(({ status }) => status === 'buffered').length;
    assert.equal([kept, answers.length], [2, 16]);
    const rows = await call('agent_query_static', { fields: [], condition: [] });
    assert.equal(rows.map((row: any) => row.uuid).sort(), uuids);
  });

  test.run();
}
