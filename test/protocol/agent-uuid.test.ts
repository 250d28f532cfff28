// agent-uuid.md: the registry of agents.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { A, B, C, failure, KINDS, PLUGINS, summaryReport } from './agent-kit.ts';

const DELETED = { success: true, message: 'Agent UUID soft-deleted' };
const NOT_FOUND = { success: false, message: 'Agent UUID not found' };
const LIST = 'agent-uuid_list_all';
const LIST_WITH_MODE = 'agent-uuid_list_all_with_agent_mode';
const DELETE = 'agent-uuid_delete';

const everywhere = (...permissions: unknown[]) => [{ scopes: ['global'], permissions }];
const list = { monitoring_uuid: 'list' };
const remove = { monitoring_uuid: 'delete' };

/** Limits of a token, and whether it may list and delete. */
// biome-ignore format: one case per line
const rights: [name: string, limits: unknown[], mayList: boolean, mayDelete: boolean][] = [
  ['nothing', [], false, false],
  ['list', everywhere(list), true, false],
  ['delete', everywhere(remove), false, true],
  ['both', everywhere(list, remove), true, true],
  ['both on one agent only', [{ scopes: [{ agent_uuid: A }], permissions: [list, remove] }], false, false],
  ['global scope without the right beside a right without global scope', [...everywhere(), { scopes: [{ agent_uuid: A }], permissions: [list, remove] }], false, false],
  ['the older list right', everywhere({ svc: 'list_all_agent_uuid' }), false, false],
  ['the older delete right', everywhere({ svc: 'delete_agent_uuid' }), false, false],
  ['rights on monitoring data', everywhere({ dynamic_monitoring_summary: 'write' }, { dynamic_monitoring_summary: 'delete' }), false, false],
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`agent-uuid (${dialect})`);
  let app: TestApp;

  test.before.each(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect });
  });
  test.after.each(() => app.stop());

  const call = (method: string, ...params: unknown[]) =>
    app.call(method, [app.superToken, ...params]);
  const report = (uuid: string) => call('agent_report_dynamic_summary', summaryReport({ uuid }));

  test('no agents: empty lists; then sorted by UUID, lower case', async () => {
    assert.equal([await call(LIST), await call(LIST_WITH_MODE)], [[], []]);
    for (const uuid of [C, A.toUpperCase(), B.replaceAll('-', '')]) await report(uuid);
    assert.equal(await call(LIST), [A, B, C]);
    const modes = [A, B, C].map((uuid) => ({ uuid, soft_delete: false }));
    assert.equal(await call(LIST_WITH_MODE), modes);
    await app.restart();
    assert.equal(await call(LIST), [A, B, C]);
  });

  test('delete: gone from the list, marked in the other, twice the same, unknown is no error', async () => {
    await report(A);
    await report(B);
    assert.equal(await call(DELETE, A), DELETED);
    const check = async () => {
      assert.equal(await call(LIST), [B]);
      assert.equal(await call(LIST_WITH_MODE), [
        { uuid: A, soft_delete: true },
        { uuid: B, soft_delete: false },
      ]);
    };
    await check();
    assert.equal(await call(DELETE, A), DELETED);
    assert.equal(await call(DELETE, C), NOT_FOUND);
    await check();
    await app.restart();
    await check();
    assert.equal(await call(DELETE, C), NOT_FOUND);
  });

  test('every spelling of a UUID addresses the same agent; both spellings of the parameter', async () => {
    const token = app.superToken;
    const upper = A.toUpperCase();
    const ways: unknown[] = [
      [token, upper],
      [token, A.replaceAll('-', '')],
      [token, `{${A}}`],
      [token, `urn:uuid:${A}`, 'surplus'],
      { token, agent_uuid: A, unknown: 1 },
      { token, agentUuid: upper },
    ];
    for (const params of ways) {
      await report(A);
      assert.equal(await call(LIST), [A]);
      assert.equal(await app.call(DELETE, params), DELETED);
      assert.equal(await call(LIST), []);
    }
  });

  test('malformed parameters are -32602 even with a bad credential', async () => {
    const bad: unknown[] = [
      ['nobody:wrong'],
      ['nobody:wrong', 'no uuid'],
      ['neither', `${A} `],
      ['neither', null],
      ['neither', 5],
      [],
      { token: 'neither', agent_uuid: A, agentUuid: A },
    ];
    for (const params of bad) {
      const { code, message, data } = await failure(app.call(DELETE, params));
      assert.equal([code, message, typeof data], [-32602, 'Invalid params', 'string']);
    }
    for (const method of [LIST, LIST_WITH_MODE]) {
      assert.is((await failure(app.call(method, []))).code, -32602);
      assert.is((await failure(app.call(method, { token: 5 }))).code, -32602);
    }
  });

  test('rights: the permission and global scope, nothing else', async () => {
    await report(A);
    const calls: [method: string, right: string, params: unknown[], allowed: 2 | 3][] = [
      [LIST, 'List', [], 2],
      [LIST_WITH_MODE, 'List', [], 2],
      [DELETE, 'Delete', [A], 3],
    ];
    for (const row of rights) {
      const token = await app.token(row[1]);
      for (const [method, right, params, column] of calls) {
        if (row[column]) {
          await app.call(method, [token, ...params]);
          continue;
        }
        const { code, message, data } = await failure(app.call(method, [token, ...params]));
        assert.is(code, 102, `${row[0]}: ${method}`);
        assert.match(message, new RegExp(`^Permission denied: .*${right}`));
        assert.is(data, undefined);
      }
    }
  });

  test('credentials: malformed 101, wrong 102, expired and early 102', async () => {
    const late = await app.token(everywhere(list, remove), { timestamp_to: 1 });
    const early = await app.token(everywhere(list, remove), { timestamp_from: 4102444800000 });
    for (const [method, ...params] of [[LIST], [LIST_WITH_MODE], [DELETE, A]]) {
      const refused = (token: string) => failure(app.call(method as string, [token, ...params]));
      const malformed = await refused('neither');
      assert.is(malformed.code, 101);
      assert.match(malformed.message, /^Parse error: /);
      assert.is((await refused('nobody:wrong')).message, 'Permission denied: Invalid credentials');
      for (const token of [late, early]) {
        const { code, message } = await refused(token);
        assert.is(code, 102);
        assert.match(message, /^Permission denied: Permission Denied: Missing MonitoringUuid/);
      }
    }
  });

  for (const { kind, report: method, make } of KINDS) {
    test(`a ${kind} report registers, and brings a deleted agent back`, async () => {
      await call(method, make(A, 1));
      await call(DELETE, A);
      assert.equal(await call(LIST), []);
      await call(method, make(A, 2));
      assert.equal(await call(LIST_WITH_MODE), [{ uuid: A, soft_delete: false }]);
      await app.restart();
      assert.equal(await call(LIST), [A]);
    });
  }

  test('a delete of the registry keeps the data and the id of the agent', async () => {
    await report(A);
    const [before] = await app.sql('select id from monitoring_uuid');
    await call(DELETE, A);
    const rows = await call('agent_query_dynamic_summary', {
      fields: [],
      condition: [{ uuid: A }],
    });
    assert.is(rows.length, 1);
    await report(A);
    const after = await app.sql('select id from monitoring_uuid');
    assert.equal(after, [before]);
  });

  test('a report that is refused registers no agent', async () => {
    const token = await app.token(everywhere({ dynamic_monitoring: 'write' }));
    const { code } = await failure(
      app.call('agent_report_dynamic_summary', [token, summaryReport()]),
    );
    assert.is(code, 102);
    assert.equal(await call(LIST_WITH_MODE), []);
  });

  test('a failure of the database: 103 with the text of the chapter', async () => {
    await report(A);
    await app.sql('alter table monitoring_uuid rename to away');
    const deleting = await failure(call(DELETE, A));
    const registering = await failure(report(B));
    const listed = await call(LIST);
    await app.sql('alter table away rename to monitoring_uuid');
    assert.is(deleting.code, 103);
    assert.match(deleting.message, /^Database error: Failed to soft delete agent UUID: /);
    assert.is(deleting.data, undefined);
    assert.is(registering.code, 103);
    assert.match(registering.message, /^Database error: UUID cache error: /);
    assert.equal(listed, [A], 'the lists need no database');
    await report(B);
    assert.equal(await call(LIST), [A, B]);
  });

  test('a fleet that reports for the first time at once is registered as a whole', async () => {
    const uuids = Array.from(
      { length: 600 },
      (_none, index) => `66666666-0000-4000-8000-${index.toString(16).padStart(12, '0')}`,
    );
    const sockets = await Promise.all([1, 2, 3, 4].map(() => app.connect()));
    const answers = await Promise.all(
      uuids.map((uuid, index) => {
        const params = [app.superToken, summaryReport({ uuid })];
        return sockets[index % 4]!.call('agent_report_dynamic_summary', params);
      }),
    );
    assert.is(answers.filter(({ status }) => status === 'buffered').length, uuids.length);
    assert.equal(await call(LIST), uuids);
    const [row] = await app.sql('select count(*) as n from dynamic_monitoring_summary');
    assert.is(Number(row.n), uuids.length);
  });

  test('deletes and reports of one agent at the same time leave table and memory equal', async () => {
    await report(A);
    await Promise.all(
      Array.from({ length: 20 }, (_none, index) => (index % 2 ? report(A) : call(DELETE, A))),
    );
    const inMemory = await call(LIST_WITH_MODE);
    await app.restart();
    assert.equal(await call(LIST_WITH_MODE), inMemory);
  });

  test.run();
}
