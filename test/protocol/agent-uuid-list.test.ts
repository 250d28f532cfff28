// `agent-uuid_list` (docs/protocol/agent-uuid.md §7).
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { A, B, failure, staticReport, summaryReport } from './agent-kit.ts';
import { readyAgent, type SimAgent } from './task-kit.ts';
import { eventually } from './token-kit.ts';

const PLUGINS = ['token', 'agent-uuid', 'agent', 'agent-events', 'task', 'kv', 'server-info'];
const DELETED = '5555f1c5-7a35-4d0e-9c1b-52d3a8e0f411';
const SECOND = 1_000;

const list = { monitoring_uuid: 'list' };
const summary = { dynamic_monitoring_summary: 'read' };
const address = { task: { read: 'ip' } };
const version = { task: { read: 'version' } };
const system = { static_monitoring: { read: 'system' } };
const names = { kv: { read: 'metadata_*' } };
const one = [{ agent_uuid: A }];

const VERSION = Object.fromEntries(
  [
    'binary_type',
    'cargo_version',
    'git_branch',
    'git_commit_sha',
    'git_commit_date',
    'git_commit_message',
    'build_time',
    'cargo_target_triple',
    'rustc_channel',
    'rustc_version',
    'rustc_commit_date',
    'rustc_commit_hash',
    'rustc_llvm_version',
  ].map((name) => [name, name === 'cargo_version' ? '0.4.2' : name]),
);

type Row = Readonly<Record<string, unknown>>;

/** Which members are known, beside the two that every caller of the list sees. */
const known = (row: Row | undefined): string[] =>
  Object.keys(row ?? {}).filter(
    (name) => row?.[name] !== null && name !== 'uuid' && name !== 'first_seen',
  );

const PRESENCE = ['connected_for_tasks', 'last_refusal', 'last_seen', 'tasks_allowed'];
const EVERYTHING = ['address', 'host_name', 'name', 'tags', 'version', ...PRESENCE].sort();

// biome-ignore format: one case per line
const rights: [name: string, limits: unknown[], members: string[]][] = [
  ['the right to the list alone tells the UUIDs', [{ scopes: ['global'], permissions: [list] }], []],
  ['the older right to the list, too', [{ scopes: ['global'], permissions: [{ svc: 'list_all_agent_uuid' }] }], []],
  ['the right to summaries tells presence, and no address', [{ scopes: ['global'], permissions: [list, summary] }], PRESENCE],
  ['the right to the address', [{ scopes: ['global'], permissions: [list, address] }], ['address']],
  ['the right to the version', [{ scopes: ['global'], permissions: [list, version] }], ['version']],
  ['the right to keys of every namespace tells names', [{ scopes: ['global'], permissions: [list, names] }], ['host_name', 'name', 'tags']],
  ['the right to one key tells one', [{ scopes: ['global'], permissions: [list, { kv: { read: 'metadata_name' } }] }], ['host_name', 'name']],
  ['the right to the tags alone tells no host name', [{ scopes: ['global'], permissions: [list, { kv: { read: 'metadata_tags' } }] }], ['tags']],
  ['the right to the report that holds the host name', [{ scopes: ['global'], permissions: [list, system] }], ['host_name']],
  ['the right to another part of that report tells no host name', [{ scopes: ['global'], permissions: [list, { static_monitoring: { read: 'cpu' } }] }], []],
  ['the right to that report of this agent alone', [{ scopes: ['global'], permissions: [list] }, { scopes: one, permissions: [system] }], ['host_name']],
  ['the right to that report of another agent', [{ scopes: ['global'], permissions: [list] }, { scopes: [{ agent_uuid: B }], permissions: [system] }], []],
  ['the right to the namespace of the agent', [{ scopes: ['global'], permissions: [list] }, { scopes: [{ kv_namespace: A }], permissions: [names] }], ['host_name', 'name', 'tags']],
  ['all of it for one agent', [{ scopes: one, permissions: [list, summary, address, version] }, { scopes: [{ kv_namespace: A }], permissions: [names] }], EVERYTHING],
  ['the right to summaries of another agent', [{ scopes: ['global'], permissions: [list] }, { scopes: [{ agent_uuid: B }], permissions: [summary] }], []],
];

/** A static report of a machine that calls itself so. */
function hostReport(uuid: string, system_host_name: unknown, time: number) {
  const report = staticReport({ uuid, time });
  return { ...report, system: { ...report.system, system_host_name }, data_hash: hashOf(time) };
}
const hashOf = (time: number) => Array.from(Buffer.from(String(time)));

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`agent-uuid_list (${dialect})`);
  let app: TestApp;
  let agent: SimAgent;
  let born = 0;
  const call = (params: object = {}): Promise<Row[]> =>
    app.call('agent-uuid_list', { token: app.superToken, ...params });
  const rowOf = async (uuid: string): Promise<Row | undefined> =>
    (await call()).find((row) => row['uuid'] === uuid);
  const report = (uuid: string, token = app.superToken) =>
    app.call('agent_report_dynamic_summary', [
      token,
      summaryReport({ uuid, time: app.clock.now() }),
    ]);

  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect, clock: true });
    born = app.clock.now();
    for (const uuid of [A, B, DELETED]) await report(uuid);
    await app.call('agent-uuid_delete', [app.superToken, DELETED]);
    await app.call('agent_report_static', [app.superToken, hostReport(A, 'node-α', born)]);
    await app.call('kv_create', [app.superToken, A]);
    await app.call('kv_create', [app.superToken, B]);
    for (const [namespace, key, value] of [
      [A, 'metadata_name', 'edge "7" ä'],
      [A, 'metadata_tags', ['rack 1', 'eu']],
      [B, 'metadata_name', ['no', 'text']],
      [B, 'metadata_tags', 'x'.repeat(5_000)],
    ])
      await app.call('kv_set_value', [app.superToken, namespace, key, value]);
    agent = await readyAgent(app);
    const task = { token: app.superToken, target_uuid: A, task_type: 'version' };
    await app.call('task_create_task', task);
    const [item] = await agent.received(1);
    await agent.answer(item!, { version: VERSION });
    assert.is((await failure(report(A, await app.token([])))).code, 102);
    await eventually(async () => {
      await app.clock.advance(5 * SECOND);
      assert.equal(known(await rowOf(A)).sort(), EVERYTHING);
    });
  });
  test.after(() => app.stop());

  test('tells of an agent what people know it by, and what the server has seen of it', async () => {
    const { last_refusal, first_seen, last_seen, address: from, ...row } = (await rowOf(A))!;
    assert.equal(row, {
      uuid: A,
      name: 'edge "7" ä',
      host_name: 'node-α',
      tags: ['rack 1', 'eu'],
      version: '0.4.2',
      connected_for_tasks: true,
      tasks_allowed: true,
    });
    assert.ok(Number(first_seen) >= born && Number(first_seen) <= Number(last_seen));
    assert.match(String(from), /127\.0\.0\.1|::1/);
    const { time, code, reason } = last_refusal as Row;
    assert.ok(Number(time) > born);
    assert.is(code, 102);
    assert.match(String(reason), /Write permission/);
  });

  test('a name that is no text, and tags that are no short list, are not told', async () => {
    const { name, tags } = (await rowOf(B))!;
    assert.equal([name, tags], [null, null]);
  });

  test('a host name follows the newest static report, without blanks around it; one that is empty, too long or not printable is not told', async () => {
    // biome-ignore format: one case per line
    const cases: [reported: string, told: string | null][] = [
      ['first', 'first'],
      ['second', 'second'],
      ['', null],
      ['  ', null],
      ['\t\u00a0\u3000', null],
      [' third ', 'third'],
      ['x'.repeat(254), null],
      [` ${'x'.repeat(253)} `, 'x'.repeat(253)],
      ['we\u001b[2Jb', null],
      ['web\n1', null],
      ['web\u2028one', null],
      ['web\u202egnp', null],
      ['\u2066web', null],
      ['\u200b', null],
      ['rack 1 ä', 'rack 1 ä'],
    ];
    for (const [at, [reported, expected]] of cases.entries()) {
      const time = app.clock.now() + at + 1;
      await app.call('agent_report_static', [app.superToken, hostReport(B, reported, time)]);
      assert.is((await rowOf(B))?.['host_name'], expected, JSON.stringify(reported));
    }
  });

  test('lists agents that are not deleted in order, by page, or those that are named', async () => {
    const uuids = async (params: object) => (await call(params)).map(({ uuid }) => uuid);
    assert.equal(await uuids({}), [A, B]);
    assert.equal(await uuids({ limit: 1 }), [A]);
    assert.equal(await uuids({ limit: 1, after: A }), [B]);
    assert.equal(await uuids({ after: B }), []);
    const unknown = '99999999-7a35-4d0e-9c1b-52d3a8e0f411';
    assert.equal(await uuids({ agents: [B.toUpperCase(), DELETED, unknown] }), [B]);
    assert.equal(await uuids({ agents: [] }), []);
    assert.is((await failure(call({ limit: 10_001 }))).code, -32602);
  });

  for (const [name, limits, members] of rights) {
    test(name, async () => {
      const token = await app.token(limits);
      const [row] = await call({ token });
      assert.is(row?.['uuid'], A);
      assert.equal(known(row).sort(), members);
    });
  }

  test('a token sees the agents that the older list shows it', async () => {
    const both = [{ scopes: [{ agent_uuid: B }], permissions: [list, summary] }];
    const rows = await call({ token: await app.token(both) });
    assert.equal(
      rows.map(({ uuid }) => uuid),
      [B],
    );
    const none = await app.token([{ scopes: ['global'], permissions: [summary] }]);
    assert.is((await failure(call({ token: none }))).code, 102);
  });

  test('an agent that reports and does not listen has tasks switched off; of one that is away it is not known', async () => {
    await report(B);
    const { connected_for_tasks, tasks_allowed } = (await rowOf(B))!;
    assert.equal([connected_for_tasks, tasks_allowed], [false, false]);
    await app.clock.advance(60 * SECOND);
    assert.is((await rowOf(B))?.['tasks_allowed'], null);
  });

  test('what was known is known after a restart', async () => {
    const before = (await rowOf(A))!;
    agent.socket.close();
    await app.restart();
    const after = (await rowOf(A))!;
    for (const name of [
      'name',
      'host_name',
      'tags',
      'version',
      'address',
      'first_seen',
      'last_seen',
      'last_refusal',
    ])
      assert.equal(after[name], before[name], name);
    assert.is(after['connected_for_tasks'], false);
  });
  test.run();
}

const alone = suite('agent-uuid_list without other plugins');
alone('tells the UUIDs', async () => {
  const app = await bootForTest(['token', 'agent-uuid', 'agent'], {});
  await app.call('agent_report_dynamic_summary', [app.superToken, summaryReport({ uuid: B })]);
  const [row]: Row[] = await app.call('agent-uuid_list', { token: app.superToken });
  assert.equal([row?.['uuid'], known(row)], [B, ['last_seen']]);
  await app.stop();
});
alone.run();
