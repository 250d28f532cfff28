// js-worker.md §2, §3: input rules, rights, records.

import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import {
  base64,
  CREDENTIAL,
  onCall,
  PARAMS,
  type ScriptServer,
  scriptServer,
  WRONG,
} from './js-worker-kit.ts';

const SCRIPT = base64(onCall('return 1'));
const NOT_FOUND = (name: string) => `105 Not found in database: js_worker not found: ${name}`;

/** Changes to a good create or update, and the answer of both. */
const badContent: readonly (readonly [name: string, change: object, expected: string | RegExp])[] =
  [
    ['a blank name', { name: ' \n' }, '108 Invalid input: name cannot be empty'],
    ['a missing name', { name: undefined }, PARAMS],
    ['a number as name', { name: 5 }, PARAMS],
    ['U+0000 in the name', { name: 'a\0b' }, /^108 Invalid input: name /],
    ['U+0000 in the description', { description: 'a\0b' }, /^108 Invalid input: description /],
    ['an empty route', { route_name: '' }, '108 Invalid input: route_name cannot be empty string'],
    ['a blank route', { route_name: '  ' }, '108 Invalid input: route_name cannot be empty string'],
    [
      'a route of 129 bytes',
      { route_name: 'r'.repeat(129) },
      '108 Invalid input: route_name too long (max 128 chars)',
    ],
    [
      'a route of 65 two-byte letters',
      { route_name: 'ü'.repeat(65) },
      '108 Invalid input: route_name too long (max 128 chars)',
    ],
    [
      'a slash in the route',
      { route_name: 'a/b' },
      '108 Invalid input: route_name can only contain [a-zA-Z0-9._-]',
    ],
    [
      'a letter beyond ASCII',
      { route_name: 'ü' },
      '108 Invalid input: route_name can only contain [a-zA-Z0-9._-]',
    ],
    ['the route .', { route_name: '.' }, "108 Invalid input: route_name cannot be '.' or '..'"],
    ['the route ..', { route_name: '..' }, "108 Invalid input: route_name cannot be '.' or '..'"],
    ['the route ...', { route_name: '...' }, "108 Invalid input: route_name cannot be '.' or '..'"],
    [
      'an empty script',
      { js_script_base64: '' },
      '108 Invalid input: js_script_base64 cannot be empty',
    ],
    [
      'a blank script text',
      { js_script_base64: ' \n' },
      '108 Invalid input: js_script_base64 cannot be empty',
    ],
    [
      'base64 with a line break',
      { js_script_base64: `${SCRIPT.slice(0, 8)}\n${SCRIPT.slice(8)}` },
      /^101 Parse error: Invalid js_script_base64: /,
    ],
    [
      'base64 without padding',
      { js_script_base64: 'YQ' },
      /^101 Parse error: Invalid js_script_base64: /,
    ],
    [
      'the URL alphabet',
      { js_script_base64: 'Pz8_' },
      /^101 Parse error: Invalid js_script_base64: /,
    ],
    [
      'bits behind the end',
      { js_script_base64: 'YR==' },
      /^101 Parse error: Invalid js_script_base64: /,
    ],
    [
      'bytes that are not UTF-8',
      { js_script_base64: '/w==' },
      /^101 Parse error: js_script_base64 is not valid UTF-8: /,
    ],
    [
      'a blank script',
      { js_script_base64: base64(' \n\t') },
      '108 Invalid input: Decoded js_script cannot be empty',
    ],
    [
      'a syntax error',
      { js_script_base64: base64('export default {};\nlet x = ;') },
      /^999 Other error: JavaScript precompile failed: .*SyntaxError: .*\n {4}at js_worker\.js:2:\d+\n$/s,
    ],
    [
      'a static import',
      { js_script_base64: base64('import fs from "fs";') },
      /^999 Other error: JavaScript precompile failed: .*ReferenceError: could not load module 'fs'$/s,
    ],
    [
      'a re-export',
      { js_script_base64: base64('export * from "node:os";') },
      /could not load module 'node:os'$/,
    ],
    [
      'U+0000 in the script',
      { js_script_base64: base64('let a = "\0"') },
      /^999 Other error: JavaScript precompile failed: .*Script contains NUL byte: /s,
    ],
    [
      'a parser bomb',
      { js_script_base64: base64(`export default ${'['.repeat(100_000)}`) },
      /^999 Other error: JavaScript precompile failed: /,
    ],
    [
      'half a pair in the source',
      { js_script_base64: base64('export default {onCall:1') },
      /^999 Other error: JavaScript precompile failed: /,
    ],
    ['a fraction as limit', { max_run_time: 1.5 }, PARAMS],
    ['a limit beyond int64', { max_run_time: 1e30 }, PARAMS],
    ['a word as limit', { max_heap_size: 'big' }, PARAMS],
  ];

/** Limits that are stored and read back as they are. */
const limits: readonly (number | null)[] = [
  null,
  0,
  -1,
  1,
  30_000,
  Number.MAX_SAFE_INTEGER,
  -(2 ** 50),
];

/** Names that must work, and what is stored. */
const names: readonly (readonly [given: string, stored: string])[] = [
  ['plain', 'plain'],
  ['  around\t', 'around'],
  ['a/b\\c', 'a/b\\c'],
  ['line\nfeed', 'line\nfeed'],
  ['star*', 'star*'],
  [
    '[extension-worker]:0b9f3f3e-5a1c-4c53-9d0e-2f7b8f6f1c11',
    '[extension-worker]:0b9f3f3e-5a1c-4c53-9d0e-2f7b8f6f1c11',
  ],
  ['定时任务', '定时任务'],
  ['n'.repeat(1000), 'n'.repeat(1000)],
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`js-worker (${dialect})`);
  let server: ScriptServer;
  test.before(async () => {
    server = await scriptServer({}, { dialect });
  });
  test.after(() => server.app.stop());
  test.before.each(async () => {
    for (const name of await server.asSuper('js-worker_list_all_js_worker'))
      await server.asSuper('js-worker_delete', { name });
    await server.app.sql('delete from js_result');
  });

  test('create answers with the record, without script and env', async () => {
    const made = await server.create(' nightly ', onCall('return 1'), {
      description: '**md**',
      route_name: ' hooks-a ',
      runtime_clean_time: 60_000,
      env: { mode: 'x' },
    });
    assert.type(made.id, 'number');
    assert.type(made.create_at, 'number');
    assert.equal(made, {
      id: made.id,
      name: 'nightly',
      description: '**md**',
      route_name: 'hooks-a',
      runtime_clean_time: 60_000,
      max_run_time: null,
      max_stack_size: null,
      max_heap_size: null,
      create_at: made.create_at,
      update_at: made.create_at,
    });
  });

  test('read gives script and env as they were sent', async () => {
    const env = { mode: 'x', z: 1, a: [null, { deep: '\u0000' }] };
    await server.create('w', onCall('return 1'), { env, max_run_time: 5 });
    const row = await server.asSuper('js-worker_read', { name: ' w ' });
    assert.equal(row, {
      name: 'w',
      description: null,
      route_name: null,
      js_script_base64: SCRIPT,
      runtime_clean_time: null,
      max_run_time: 5,
      max_stack_size: null,
      max_heap_size: null,
      env,
      create_at: row.create_at,
      update_at: row.create_at,
    });
  });

  test('the positional form of create has the order of the chapter', async () => {
    const { app } = server;
    const row = [app.superToken, 'w', 'd', SCRIPT, 'route', 1, { e: 1 }, 2, 3, 4];
    await app.call('js-worker_create', row);
    const { env, ...rest } = await server.asSuper('js-worker_read', { name: 'w' });
    assert.equal(env, { e: 1 });
    assert.equal(
      [rest.description, rest.route_name, rest.runtime_clean_time, rest.max_run_time],
      ['d', 'route', 1, 2],
    );
    assert.equal([rest.max_stack_size, rest.max_heap_size], [3, 4]);
  });

  for (const [name, change, expected] of badContent) {
    test(`${name} is refused by create and update, and nothing changes`, async () => {
      await server.create('kept', onCall('return 1'), { description: 'before' });
      const good = { name: 'kept', js_script_base64: SCRIPT };
      const answers = [
        await server.asSuper('js-worker_create', { ...good, name: 'new', ...change }),
        await server.asSuper('js-worker_update', { ...good, ...change }),
      ];
      for (const answer of answers) {
        assert.type(answer, 'string', JSON.stringify(answer));
        if (typeof expected === 'string') assert.is(answer, expected);
        else assert.match(answer, expected);
      }
      assert.equal(await server.asSuper('js-worker_list_all_js_worker'), ['kept']);
      const row = await server.asSuper('js-worker_read', { name: 'kept' });
      assert.is(row.description, 'before');
    });
  }

  for (const value of limits) {
    test(`the limit ${value} reads back unchanged`, async () => {
      const all = {
        runtime_clean_time: value,
        max_run_time: value,
        max_stack_size: value,
        max_heap_size: value,
      };
      await server.create('w', onCall('return 1'), all);
      const row = await server.asSuper('js-worker_read', { name: 'w' });
      for (const [limit, stored] of Object.entries(all)) assert.is(row[limit], stored, limit);
    });
  }

  for (const [given, stored] of names) {
    test(`the name ${JSON.stringify(given.slice(0, 60))} can be created, run and deleted`, async () => {
      assert.is((await server.create(given, onCall('return ctx.workerName'))).name, stored);
      assert.is((await server.run(given)).result, stored);
      assert.is((await server.run(given, null, { compile_mode: 'source' })).result, stored);
      assert.equal(await server.asSuper('js-worker_delete', { name: given }), {
        success: true,
        rows_affected: 1,
      });
    });
  }

  test('the longest route works', async () => {
    const route = 'Az09._-'.padEnd(128, 'x');
    assert.is(
      (await server.create('w', onCall('return 1'), { route_name: route })).route_name,
      route,
    );
  });

  test('name and route are taken once, without regard to who asks at the same time', async () => {
    await server.create('a', onCall('return 1'), { route_name: 'r' });
    assert.is(
      await server.create('a', onCall('return 1')),
      '108 Invalid input: js_worker already exists: a',
    );
    assert.is(
      await server.create('b', onCall('return 1'), { route_name: 'r' }),
      '108 Invalid input: route_name already exists: r',
    );
    assert.type(await server.create('A', onCall('return 1'), { route_name: 'R' }), 'object');
    const many = await Promise.all(
      Array.from({ length: 6 }, () => server.create('same', onCall('return 1'))),
    );
    assert.is(many.filter((answer) => typeof answer === 'object').length, 1);
    for (const answer of many.filter((each) => typeof each === 'string'))
      assert.is(answer, '108 Invalid input: js_worker already exists: same');
    const routes = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        server.create(`n${n}`, onCall('return 1'), { route_name: 'one' }),
      ),
    );
    assert.is(routes.filter((answer) => typeof answer === 'object').length, 1);
    for (const answer of routes.filter((each) => typeof each === 'string'))
      assert.is(answer, '108 Invalid input: route_name already exists: one');
  });

  test('update replaces everything and clears what is absent', async () => {
    const made = await server.create('w', onCall('return 1'), {
      description: 'd',
      route_name: 'r',
      env: { a: 1 },
      runtime_clean_time: 1,
      max_run_time: 1,
      max_stack_size: 1,
      max_heap_size: 1,
    });
    const updated = await server.update('w', onCall('return 2'));
    assert.equal(updated, {
      success: true,
      name: 'w',
      description: null,
      route_name: null,
      runtime_clean_time: null,
      max_run_time: null,
      max_stack_size: null,
      max_heap_size: null,
      update_at: updated.update_at,
    });
    assert.ok(updated.update_at > made.update_at);
    const row = await server.asSuper('js-worker_read', { name: 'w' });
    assert.is(row.env, null);
    assert.is(row.create_at, made.create_at);
    assert.is((await server.run('w')).result, 2);
  });

  test('update accepts a whole read result with stray members', async () => {
    await server.create('w', onCall('return 1'), { env: { token: 't' }, route_name: 'r' });
    const row = await server.asSuper('js-worker_read', { name: 'w' });
    const { success } = await server.asSuper('js-worker_update', { ...row, stray: 1 });
    assert.is(success, true);
    const { update_at: _before, ...before } = row;
    const { update_at: _after, ...after } = await server.asSuper('js-worker_read', { name: 'w' });
    assert.equal(after, before);
  });

  test('update of an unknown worker is 105, of a taken route 108', async () => {
    assert.is(await server.update('none', onCall('return 1')), NOT_FOUND('none'));
    await server.create('a', onCall('return 1'), { route_name: 'r' });
    await server.create('b', onCall('return 1'));
    assert.is(
      await server.update('b', onCall('return 1'), { route_name: 'r' }),
      '108 Invalid input: route_name already exists: r',
    );
    assert.is((await server.update('a', onCall('return 1'), { route_name: 'r' })).success, true);
  });

  for (const method of ['read', 'delete', 'run'] as const) {
    test(`${method} of an unknown worker is 105, of a blank name 108`, async () => {
      const member = method === 'run' ? 'js_script_name' : 'name';
      const ask = (name: string) =>
        server.asSuper(`js-worker_${method}`, { [member]: name, params: null });
      assert.is(await ask('none'), NOT_FOUND('none'));
      assert.is(await ask(' '), `108 Invalid input: ${member} cannot be empty`);
    });
  }

  test('ids are never used twice', async () => {
    const { id } = await server.create('w', onCall('return 1'));
    await server.asSuper('js-worker_delete', { name: 'w' });
    assert.ok((await server.create('w', onCall('return 1'))).id > id);
  });

  test('params are required by run, and may be null', async () => {
    await server.create('w', onCall('return params'));
    assert.is(await server.asSuper('js-worker_run', { js_script_name: 'w' }), PARAMS);
    assert.is((await server.run('w', null)).result, null);
  });

  for (const [member, bad] of [
    ['run_type', 'other'],
    ['run_type', 5],
    ['compile_mode', 'fast'],
  ] as const) {
    test(`${member} ${JSON.stringify(bad)} is -32602`, async () => {
      await server.create('w', onCall('return 1'));
      assert.is(await server.start('w', null, { [member]: bad }), PARAMS);
      assert.equal(await server.query(), []);
    });
  }

  test('a unit variant may be written as an object', async () => {
    await server.create('w', onCall('return 1'));
    const row = await server.run('w', null, {
      run_type: { call: null },
      compile_mode: { source: null },
    });
    assert.is(row.result, 1);
    assert.is(row.run_type, 'call');
  });

  const verbs = {
    create: ['create', 'Create'],
    read: ['read', 'Read'],
    update: ['write', 'Write'],
    delete: ['delete', 'Delete'],
    run: ['run_defined_js_worker', 'RunDefinedJsWorker'],
  } as const;
  for (const [method, [right, word]] of Object.entries(verbs)) {
    test(`${method} needs the right '${right}' on the worker`, async () => {
      const params = (name: string) => ({
        name,
        js_script_name: name,
        params: null,
        js_script_base64: SCRIPT,
      });
      const ask = (token: string, name: string) =>
        server.outcome(`js-worker_${method}`, { token, ...params(name) });
      const denied = `102 Permission denied: Permission denied for js_worker 'own-1', required permission: ${word}`;
      const others = Object.values(verbs)
        .map(([each]) => each)
        .filter((each) => each !== right);
      const wrongVerb = await server.token(
        ['global'],
        others.map((each) => ({ js_worker: each })),
      );
      const wrongScope = await server.token([{ js_worker: 'other*' }], [{ js_worker: right }]);
      const late = await server.token(['global'], [{ js_worker: right }], { timestamp_to: 1 });
      // The right is asked for before the worker is looked for.
      for (const token of [wrongVerb, wrongScope, late])
        assert.is(await ask(token, ' own-1 '), denied);
      assert.is(await ask('nobody:here', 'own-1'), WRONG);
      assert.is(await ask('malformed', 'own-1'), CREDENTIAL);
      const good = await server.token([{ js_worker: 'own-*' }], [{ js_worker: right }]);
      if (method !== 'create') await server.create('own-1', onCall('return 1'));
      assert.type(await ask(good, 'own-1'), 'object');
    });
  }

  test('route rules come before the credential, script rules after it', async () => {
    for (const method of ['js-worker_create', 'js-worker_update']) {
      const bad = { token: 'x', name: 'w', js_script_base64: '', route_name: '' };
      assert.is(
        await server.outcome(method, bad),
        '108 Invalid input: route_name cannot be empty string',
      );
      assert.is(await server.outcome(method, { ...bad, route_name: 'r' }), CREDENTIAL);
    }
  });

  test('list shows what the caller may list, ascending', async () => {
    for (const name of ['b', 'a-1', 'a-2', 'Z']) await server.create(name, onCall('return 1'));
    const list = (token: string) => server.outcome('js-worker_list_all_js_worker', { token });
    assert.equal(await list(server.app.superToken), ['Z', 'a-1', 'a-2', 'b']);
    const some = await server.token([{ js_worker: 'a-*' }], [{ js_worker: 'list_all_js_worker' }]);
    assert.equal(await list(some), ['a-1', 'a-2']);
    assert.equal(await list(await server.token(['global'], [{ js_worker: 'read' }])), []);
    const all = [{ js_worker: 'list_all_js_worker' }];
    assert.equal(await list(await server.token(['global'], all, { timestamp_to: 1 })), []);
    assert.is(await list('nobody:here'), WRONG);
    assert.is(await list('malformed'), CREDENTIAL);
  });

  test('the pool is shown to holders of the right in global scope only', async () => {
    const ask = (token: string) => server.outcome('js-worker_get_rt_pool', { token });
    const denied = '102 Permission denied: Permission denied: missing svc.get_rt_pool permission';
    const right = [{ svc: 'get_rt_pool' }];
    assert.is(await ask(await server.token([{ js_worker: '*' }], right)), denied);
    assert.equal(await ask(await server.token(['global'], right)), {
      total_workers: 0,
      workers: [],
    });
    await server.create('w', onCall('return 1'), { runtime_clean_time: 0 });
    assert.is((await ask(server.app.superToken)).total_workers, 0);
    await server.run('w');
    const { workers } = await ask(server.app.superToken);
    const [entry] = workers;
    assert.equal(entry, {
      script_name: 'w',
      active_requests: 0,
      last_used_ms: entry.last_used_ms,
      idle_ms: entry.idle_ms,
      runtime_clean_time_ms: 0,
    });
    assert.ok(entry.last_used_ms > 1e12 && entry.idle_ms >= 0);
    await server.update('w', onCall('return 1'), { runtime_clean_time: -5 });
    await server.run('w');
    assert.is((await ask(server.app.superToken)).workers[0].runtime_clean_time_ms, null);
  });

  test.run();
}
