// task.md §4.6 to §4.8: conditions, order and number of rows, deletion, and who sees what.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { callText, failure } from './agent-kit.ts';
import { A, B, outcome, PLUGINS, taskToken } from './task-kit.ts';
import { FORMAT } from './token-kit.ts';

interface Row {
  readonly id: number;
  readonly uuid: string;
  readonly type: string;
  readonly cron: string | null;
  readonly timestamp: number | null;
  readonly success: boolean | null;
}

/** Ids are those of the table after `fill`. */
// biome-ignore format: one row per line
const ROWS: Row[] = [
  { id: 1, uuid: A, type: 'ping', cron: 'edge latency', timestamp: 30, success: true },
  { id: 2, uuid: A, type: 'ip', cron: null, timestamp: 10, success: true },
  { id: 3, uuid: A, type: 'http_request', cron: null, timestamp: 10, success: false },
  { id: 4, uuid: A, type: 'ping', cron: 'edge latency', timestamp: null, success: null },
  { id: 5, uuid: B, type: 'ping', cron: 'Edge latency', timestamp: 20, success: false },
  { id: 6, uuid: B, type: 'web_shell', cron: null, timestamp: null, success: null },
  { id: 7, uuid: B, type: 'version', cron: null, timestamp: 40, success: true },
];

const uuid = { uuid: A };

/** [name, conditions, ids in the order of the answer] */
// biome-ignore format: one case per line
const answers: [name: string, condition: unknown[], ids: number[]][] = [
  ['none: all, oldest first, running ones lowest', [], [4, 6, 2, 3, 5, 1, 7]],
  ['task_id', [{ task_id: 3 }], [3]],
  ['task_id of nothing', [{ task_id: 99 }], []],
  ['two task_ids', [{ task_id: 3 }, { task_id: 4 }], []],
  ['one task_id twice', [{ task_id: 3 }, { task_id: 3 }], [3]],
  ['uuid', [uuid], [4, 2, 3, 1]],
  ['uuid in capitals and braces', [{ uuid: `{${A.toUpperCase()}}` }], [4, 2, 3, 1]],
  ['two uuids', [uuid, { uuid: B }], []],
  ['task_id of another agent', [uuid, { task_id: 5 }], []],
  ['timestamp_from_to, both ends included', [{ timestamp_from_to: [10, 30] }], [2, 3, 5, 1]],
  ['timestamp_from', [{ timestamp_from: 20 }], [5, 1, 7]],
  ['timestamp_to never matches running tasks', [{ timestamp_to: 20 }], [2, 3, 5]],
  ['times that exclude each other', [{ timestamp_from: 20 }, { timestamp_to: 10 }], []],
  ['the narrowest of several times', [{ timestamp_from: 10 }, { timestamp_from: 20 }, { timestamp_to: 40 }, { timestamp_to: 30 }], [5, 1]],
  ['negative times', [{ timestamp_from: -5 }, { timestamp_to: 10 }], [2, 3]],
  ['is_success', ['is_success'], [2, 1, 7]],
  ['is_success: null', [{ is_success: null }], [2, 1, 7]],
  ['is_success: true', [{ is_success: true }], [2, 1, 7]],
  ['is_success: false is is_failure', [{ is_success: false }], [3, 5]],
  ['is_failure', ['is_failure'], [3, 5]],
  ['is_failure: null', [{ is_failure: null }], [3, 5]],
  ['is_failure: false is is_success', [{ is_failure: false }], [2, 1, 7]],
  ['is_running', ['is_running'], [4, 6]],
  ['is_running: null', [{ is_running: null }], [4, 6]],
  ['is_running: false', [{ is_running: false }], [2, 3, 5, 1, 7]],
  ['flags that exclude each other', ['is_success', 'is_running'], []],
  ['type ping', [{ type: 'ping' }], [4, 5, 1]],
  ['type ip is exactly ip', [{ type: 'ip' }], [2]],
  ['type version, a bare word', [{ type: 'version' }], [7]],
  ['type in capitals', [{ type: 'PING' }], []],
  ['type url, the name of an inner member', [{ type: 'url' }], []],
  ['type with a quote', [{ type: `ping' or '1'='1` }], []],
  ['type with U+0000', [{ type: 'ping\0' }], []],
  ['two types', [{ type: 'ping' }, { type: 'ip' }], []],
  ['cron_source, exact', [{ cron_source: 'edge latency' }], [4, 1]],
  ['cron_source with U+0000', [{ cron_source: '\0' }], []],
  ['two cron_sources', [{ cron_source: 'edge latency' }, { cron_source: 'x' }], []],
  ['is_manual: no job made it', ['is_manual'], [6, 2, 3, 7]],
  ['is_manual: null, newest first', [{ is_manual: null }, { limit: 9 }], [7, 3, 2, 6]],
  ['is_manual: false is what jobs made', [{ is_manual: false }], [4, 5, 1]],
  ['limit: newest first', [{ limit: 3 }], [7, 1, 5]],
  ['limit over all: running ones last, ids descending', [{ limit: 100 }], [7, 1, 5, 3, 2, 6, 4]],
  ['limit 0', [{ limit: 0 }], []],
  ['the last limit counts', [{ limit: 0 }, { limit: 1 }], [7]],
  ['limit 100001', [{ limit: 100_001 }], [7, 1, 5, 3, 2, 6, 4]],
  ['last', ['last'], [7]],
  ['last: null', [{ last: null }], [7]],
  ['last: true', [{ last: true }], [7]],
  ['last: false is no condition', [{ last: false }], [4, 6, 2, 3, 5, 1, 7]],
  ['last wins over limit 0', [{ limit: 0 }, 'last'], [7]],
  ['last wins over a later limit', ['last', { limit: 5 }], [7]],
  ['last of an agent: a running row only if there is no other', [uuid, 'last'], [1]],
  ['last of a task id, as front ends poll', [{ task_id: 4 }, 'last'], [4]],
  ['everything at once', [uuid, { type: 'ping' }, { cron_source: 'edge latency' }, { timestamp_from_to: [0, 99] }, 'is_success', { limit: 5 }], [1]],
];

/** JSON of condition lists that do not decode. */
// biome-ignore format: one case per line
const malformed: string[] = [
  '[{"last":"1"}]', '[{"last":1}]', '[{"is_success":"true"}]', '[{"is_success":1}]', '["first"]', '["is_done"]', '[{}]', '[null]', '[1]', '[[]]', 'null', '{}', '"last"',
  '[{"last":null,"limit":1}]', `[{"uuid":"${A}","type":"ping"}]`, '[{"storage_time_to":1}]', '[{"uuid":"x"}]', '[{"uuid":null}]',
  '[{"task_id":-1}]', '[{"task_id":1.5}]', '[{"task_id":"1"}]', '[{"task_id":18446744073709551616}]', '[{"limit":-1}]', '[{"limit":1.5}]', '[{"limit":null}]', '[{"limit":18446744073709551616}]',
  '[{"timestamp_from_to":[1]}]', '[{"timestamp_from_to":[1,2,3]}]', '[{"timestamp_from_to":1}]', '[{"timestamp_from":null}]', '[{"timestamp_to":"1"}]', '[{"timestamp_to":9223372036854775808}]',
  '[{"type":null}]', '[{"type":1}]', '[{"cron_source":null}]', '[{"cron_source":1}]',
];

/** Largest numbers of the grammar: legal. */
const extremes: [string, number][] = [
  ['[{"limit":18446744073709551615}]', 7],
  ['[{"limit":10000000000}]', 7],
  ['[{"task_id":18446744073709551615}]', 0],
  ['[{"task_id":9223372036854775807}]', 0],
  ['[{"timestamp_from_to":[-9223372036854775808,9223372036854775807]}]', 5],
];

const LISTED =
  'ping tcp_ping http_ping http_request web_shell execute read_config edit_config ip version dns'.split(
    ' ',
  );
const each = (verb: string, types = LISTED) => types.map((type) => ({ [verb]: type }));

/** The table as `ROWS` says, ids from 1; the sequence goes on behind. */
async function fill(app: TestApp, list: readonly Row[] = ROWS): Promise<void> {
  await app.sql('delete from task');
  const sqlite = app.dialect === 'sqlite';
  for (const { id, uuid, type, cron, timestamp, success } of list) {
    const key = sqlite ? `x'${uuid.replaceAll('-', '')}'` : `'${uuid}'`;
    const text = ['ip', 'version'].includes(type)
      ? `"${type}"`
      : `{"${type}":{"ip":null,"url":"x"}}`;
    const values = [id, key, `'t'`, cron === null ? 'null' : `'${cron}'`, timestamp, success]
      .map((value) => value ?? 'null')
      .join(', ');
    await app.sql(
      `insert into task (id, uuid, token, cron_source, timestamp, success, task_event_type, type_name, created_at)
       values (${values}, '${text}', '${type}', 0)`,
    );
  }
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`task: query and delete (${dialect})`);
  let app: TestApp;
  test.before(async () => {
    app = await bootForTest(PLUGINS, { max_response_body_size: 30_000_000 }, { dialect });
    await fill(app);
  });
  test.after(() => app.stop());

  const query = (condition: unknown, token = app.superToken): Promise<any> =>
    outcome(app.call('task_query', [token, { condition }]));
  const remove = (conditions: unknown, token = app.superToken): Promise<any> =>
    outcome(app.call('task_delete', [token, conditions]));
  const ids = (list: any[]) => list.map((row) => row.task_id);

  for (const [name, condition, expected] of answers) {
    test(`query: ${name}`, async () => {
      assert.equal(ids(await query(condition)), expected);
    });
  }

  test('rows have the eight members', async () => {
    const [row] = await query([{ task_id: 4 }]);
    assert.equal(row, {
      task_id: 4,
      uuid: A,
      cron_source: 'edge latency',
      timestamp: null,
      success: null,
      error_message: null,
      task_event_type: { ping: { ip: null, url: 'x' } },
      task_event_result: null,
    });
  });

  test('what does not decode is -32602 in both, before the credential, with nothing deleted', async () => {
    for (const text of malformed) {
      for (const params of [`["a:b",{"condition":${text}}]`, `["a:b",${text}]`]) {
        const method = params.includes('"condition"') ? 'task_query' : 'task_delete';
        const { error } = JSON.parse(await callText(app, method, params));
        assert.equal([error?.code, error?.message], [-32602, 'Invalid params'], text);
        assert.type(error.data, 'string');
      }
    }
    for (const value of [null, [], {}, { conditions: [] }]) {
      assert.match(await outcome(app.call('task_query', [app.superToken, value])), /^-32602 /);
    }
    assert.is((await query([])).length, 7);
  });

  test('the largest numbers', async () => {
    for (const [text, count] of extremes) {
      const params = `["${app.superToken}",{"condition":${text}}]`;
      const { result } = JSON.parse(await callText(app, 'task_query', params));
      assert.is(result?.length, count, text);
    }
  });

  test('named parameters in both spellings', async () => {
    const token = app.superToken;
    for (const name of ['task_data_query', 'taskDataQuery']) {
      const found = await app.call('task_query', { token, [name]: { condition: ['last'] } });
      assert.equal(ids(found), [7]);
    }
    const deleted = await app.call('task_delete', { token, conditions: [{ task_id: 99 }] });
    assert.equal(deleted, { success: true, deleted: 0, condition_count: 1 });
  });

  test('errors carry themselves in data, as a string of JSON', async () => {
    const denied = await taskToken(app, []);
    // biome-ignore format: one case per line
    const cases: [string, number, RegExp][] = [
      ['x', 101, new RegExp(`^Parse error: Failed to parse token: ${FORMAT}`)],
      ['a:b', 102, /^Permission denied: Invalid credentials$/],
      [denied, 102, /^Permission denied: Permission Denied: /],
    ];
    for (const [method, wrap] of [
      ['task_query', (condition: unknown) => ({ condition })],
      ['task_delete', (conditions: unknown) => conditions],
    ] as const) {
      for (const [token, code, text] of cases) {
        const error = await failure(app.call(method, [token, wrap([])]));
        assert.is(error.code, code);
        assert.match(error.message, text);
        assert.equal(JSON.parse(error.data), { error_id: code, error_message: error.message });
      }
    }
  });

  for (const verb of ['read', 'delete']) {
    const run = (condition: unknown[], token: string) =>
      verb === 'read' ? query(condition, token) : remove([...condition, { limit: 0 }], token);
    // biome-ignore format: one case per line
    const rights: [name: string, permissions: any[], scope: unknown, condition: unknown[], allowed: boolean][] = [
      ['the pattern *', [{ [verb]: '*' }], 'global', [], true],
      ['the eleven names', each(verb), 'global', [], true],
      ['ten of them', each(verb, LISTED.slice(1)), 'global', [], false],
      ['one type, asked for', [{ [verb]: 'ping' }], 'global', [{ type: 'ping' }], true],
      ['one type, another asked for', [{ [verb]: 'ping' }], 'global', [{ type: 'ip' }], false],
      ['one type, two asked for', [{ [verb]: 'ping' }], 'global', [{ type: 'ping' }, { type: 'ip' }], false],
      ['any text as type', [{ [verb]: 'no such type' }], 'global', [{ type: 'no such type' }], true],
      ['self_update by name', [{ [verb]: 'self_update' }], 'global', [{ type: 'self_update' }], true],
      ['one agent, asked for', [{ [verb]: '*' }], { agent_uuid: A }, [{ uuid: A }], true],
      ['one agent, none asked for', [{ [verb]: '*' }], { agent_uuid: A }, [], false],
      ['one agent, only a task id', [{ [verb]: '*' }], { agent_uuid: A }, [{ task_id: 1 }], false],
      ['one agent, two asked for', [{ [verb]: '*' }], { agent_uuid: A }, [{ uuid: A }, { uuid: B }], false],
      ['globally, an agent asked for', [{ [verb]: '*' }], 'global', [{ uuid: B }], true],
      ['the other verbs', [{ create: '*' }, { write: '*' }, { [verb === 'read' ? 'delete' : 'read']: '*' }, 'listen'], 'global', [], false],
    ];
    for (const [name, permissions, scope, condition, allowed] of rights) {
      test(`${verb}: ${name}`, async () => {
        const token = await taskToken(app, permissions, scope);
        const answer = await run(condition, token);
        if (allowed) assert.type(answer, 'object');
        else assert.match(answer, /^102 Permission denied: Permission Denied: /);
      });
    }
  }

  test('self_update rows are left out for who may only what the eleven names say', async () => {
    await fill(app, [...ROWS, { ...ROWS[0]!, id: 8, type: 'self_update' }]);
    const eleven = await taskToken(app, [...each('read'), ...each('delete')], { agent_uuid: A });
    const twelve = await taskToken(app, [{ read: '*' }, { delete: '*' }], { agent_uuid: A });
    assert.equal(ids(await query([uuid], eleven)), [4, 2, 3, 1]);
    assert.equal(ids(await query([uuid], twelve)), [4, 2, 3, 1, 8]);
    assert.equal(ids(await query([uuid, { task_id: 8 }], eleven)), []);
    assert.is((await remove([uuid], eleven)).deleted, 4);
    assert.equal(ids(await query([uuid])), [8]);
    assert.is((await remove([uuid], twelve)).deleted, 1);
    await fill(app);
  });

  // biome-ignore format: one case per line
  const deletions: [name: string, conditions: unknown[], left: number[]][] = [
    ['nothing matches', [{ task_id: 99 }], [4, 6, 2, 3, 5, 1, 7]],
    ['one', [{ task_id: 3 }], [4, 6, 2, 5, 1, 7]],
    ['a clean-up by time leaves running ones', [uuid, { timestamp_to: 50 }], [4, 6, 5, 7]],
    ['running ones', ['is_running'], [2, 3, 5, 1, 7]],
    ['type ip leaves http_request', [{ type: 'ip' }], [4, 6, 3, 5, 1, 7]],
    ['last: the newest', ['last'], [4, 6, 2, 3, 5, 1]],
    ['last of an agent', [uuid, 'last'], [4, 6, 2, 3, 5, 7]],
    ['limit: the newest', [{ limit: 2 }], [4, 6, 2, 3, 5]],
    ['limit 0', [{ limit: 0 }], [4, 6, 2, 3, 5, 1, 7]],
    ['last wins over limit', [{ limit: 5 }, 'last'], [4, 6, 2, 3, 5, 1]],
    ['a limit beyond all', [{ limit: 1e10 }], []],
    ['two agents', [uuid, { uuid: B }], [4, 6, 2, 3, 5, 1, 7]],
    ['no condition', [], []],
  ];
  for (const [name, conditions, left] of deletions) {
    test(`delete: ${name}`, async () => {
      await fill(app);
      const answer = await remove(conditions);
      const expected = {
        success: true,
        deleted: 7 - left.length,
        condition_count: conditions.length,
      };
      assert.equal(answer, expected);
      assert.equal(ids(await query([])), left);
      await fill(app);
    });
  }

  test('without limit the oldest 1,000, with one up to 100,000, and too large an answer is -32008', async () => {
    await fill(app, []);
    await many(app, 2_300);
    const oldest = await query([]);
    assert.equal([oldest.length, oldest[0].timestamp, oldest.at(-1).timestamp], [1_000, 1, 1_000]);
    const newest = await query([{ limit: 1_500 }]);
    assert.equal(
      [newest.length, newest[0].timestamp, newest.at(-1).timestamp],
      [1_500, 2_300, 801],
    );
    await many(app, 100_000);
    assert.is((await query([{ limit: 10_000_000_000 }])).length, 100_000);
    assert.is((await remove([{ limit: 101_000 }])).deleted, 101_000);
    assert.equal(await remove([]), { success: true, deleted: 1_300, condition_count: 0 });
    await fill(app);
  });

  test('an answer beyond the response limit is -32008', async () => {
    const sqlite = dialect === 'sqlite';
    const long = sqlite ? 'hex(zeroblob(16000000))' : "repeat('x', 32000000)";
    await app.sql(`update task set error_message = ${long} where id = 1`);
    const error = await failure(app.call('task_query', [app.superToken, { condition: [] }]));
    assert.equal([error.code, error.message], [-32008, 'Response is too big']);
    assert.equal(ids(await query([{ task_id: 2 }])), [2]);
    await fill(app);
  });

  test('any list of conditions gives what a filter over the rows gives', async () => {
    const condition = fc.oneof(
      fc.constantFrom(
        { uuid: A },
        { uuid: B },
        { type: 'ping' },
        { type: 'ip' },
        { cron_source: 'edge latency' },
      ),
      fc.constantFrom<any>('last', 'is_success', 'is_failure', 'is_running', 'is_manual', {
        is_running: false,
      }),
      fc.integer({ min: 5, max: 45 }).map((timestamp_from) => ({ timestamp_from })),
      fc.integer({ min: 5, max: 45 }).map((timestamp_to) => ({ timestamp_to })),
      fc.integer({ min: 1, max: 8 }).map((task_id) => ({ task_id })),
      fc.integer({ min: 0, max: 8 }).map((limit) => ({ limit })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(condition, { maxLength: 4 }), async (list) => {
        assert.equal(ids(await query(list)), expectedIds(list));
      }),
      { numRuns: 150 },
    );
  });

  test.run();
}

/** The chapter's rules over `ROWS`. */
function expectedIds(list: any[]): number[] {
  const matches = (row: Row, one: any): boolean => {
    if (one === 'last' || 'limit' in Object(one)) return true;
    if (one === 'is_success') return row.success === true;
    if (one === 'is_failure') return row.success === false;
    if (one === 'is_running') return row.success === null;
    if (one === 'is_manual') return row.cron === null;
    if ('is_running' in one) return row.success !== null;
    if ('uuid' in one) return row.uuid === one.uuid;
    if ('type' in one) return row.type === one.type;
    if ('cron_source' in one) return row.cron === one.cron_source;
    if ('task_id' in one) return row.id === one.task_id;
    if (row.timestamp === null) return false;
    return 'timestamp_from' in one
      ? row.timestamp >= one.timestamp_from
      : row.timestamp <= one.timestamp_to;
  };
  const kept = ROWS.filter((row) => list.every((one) => matches(row, one)));
  const time = ({ timestamp }: Row) => timestamp ?? Number.NEGATIVE_INFINITY;
  const before = (a: Row, b: Row) =>
    time(a) === time(b) ? a.id - b.id : time(a) < time(b) ? -1 : 1;
  const oldest = kept.toSorted(before).map(({ id }) => id);
  if (list.includes('last')) return oldest.reverse().slice(0, 1);
  const limit = list.filter((one) => 'limit' in Object(one)).at(-1)?.limit;
  return limit === undefined ? oldest : oldest.reverse().slice(0, limit);
}

/** Tasks of A that ended at 1, 2, 3 … */
async function many(app: TestApp, count: number): Promise<void> {
  const sqlite = app.dialect === 'sqlite';
  const key = sqlite ? `x'${A.replaceAll('-', '')}'` : `'${A}'`;
  const series = sqlite
    ? `with recursive n(value) as (select 1 union all select value + 1 from n where value < ${count})`
    : `with n(value) as (select generate_series(1, ${count}))`;
  await app.sql(
    `${series} insert into task (uuid, token, timestamp, success, task_event_type, type_name, created_at)
     select ${key}, 't', value, true, '"ip"', 'ip', 0 from n`,
  );
}
