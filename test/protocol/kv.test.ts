// kv.md §3 and §4: methods, order of checks, every error row. Tables read: [what holds, method, parameters behind the credential, expected].

import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { CREDENTIAL, DONE, type KvServer, kvServer, MARKER, PARAMS, WRONG } from './kv-kit.ts';

const missing = (name: string) => `103 Database error: Namespace '${name}' not found`;
const STAR = "108 Invalid input: Key cannot contain '*' character";
const WILDCARD =
  "108 Invalid input: Wildcard key must contain exactly one '*' and it must be at the end";
const item = (namespace: string, key: string) => ({ namespace, key });

type Case = [name: string, method: string, params: unknown[], expected: unknown];

/** On the namespaces `notes` {a, b, dir/x} and the empty name. Nothing here changes anything. */
const cases: Case[] = [
  ['a value comes bare', 'kv_get_value', ['notes', 'a'], { n: 1, list: [true, null] }],
  ['a missing key is null', 'kv_get_value', ['notes', 'nothing'], null],
  ['the empty key may be asked for', 'kv_get_value', ['notes', ''], null],
  ['the marker is an ordinary key', 'kv_get_value', ['notes', MARKER], null],
  ['a missing namespace of a read is 103', 'kv_get_value', ['none', 'a'], missing('none')],
  ['namespaces are case-sensitive', 'kv_get_value', ['Notes', 'a'], missing('Notes')],
  ['namespaces are not trimmed', 'kv_get_value', [' notes', 'a'], missing(' notes')],
  ['a missing namespace of a write is 103', 'kv_set_value', ['none', 'a', 1], missing('none')],
  ['a missing namespace of a deletion is 103', 'kv_delete_key', ['none', 'a'], missing('none')],
  ['a missing namespace is not deleted', 'kv_delete_namespace', ['none'], missing('none')],
  ['a missing namespace has no keys', 'kv_get_all_keys', ['none'], missing('none')],
  ['a star is no key to read', 'kv_get_value', ['notes', 'a*'], STAR],
  ['a star is no key to write', 'kv_set_value', ['notes', '*', 1], STAR],
  ['a star is no key to delete', 'kv_delete_key', ['notes', '*a'], STAR],
  [
    'keys come in byte order with the marker',
    'kv_get_all_keys',
    ['notes'],
    [MARKER, 'a', 'b', 'dir/x'],
  ],
  ['the empty namespace is a namespace', 'kv_get_all_keys', [''], [MARKER]],
  ['namespaces come in byte order', 'kv_list_all_namespace', [], ['', 'notes']],
  [
    'an existing namespace is not created again',
    'kv_create',
    ['notes'],
    "103 Database error: Namespace 'notes' already exists",
  ],
  ['a namespace must be given', 'kv_create', [], PARAMS],
  ['a namespace must be a string', 'kv_create', [7], PARAMS],
  ['a value must be given', 'kv_set_value', ['notes', 'a'], PARAMS],
  ['a key must be a string', 'kv_set_value', ['notes', 1, 1], PARAMS],
  ['items must be a list', 'kv_get_multi_value', ['notes'], PARAMS],
  ['an item needs its namespace', 'kv_get_multi_value', [[{ key: 'a' }]], PARAMS],
  ['an item needs its key', 'kv_get_multi_value', [[{ namespace: 'notes' }]], PARAMS],
  [
    'no item is 108',
    'kv_get_multi_value',
    [[]],
    '108 Invalid input: namespace_key cannot be empty',
  ],
  [
    'an empty namespace in an item is 108',
    'kv_get_multi_value',
    [[item('', 'a')]],
    '108 Invalid input: namespace cannot be empty',
  ],
  [
    'an empty key in an item is 108',
    'kv_get_multi_value',
    [[item('notes', '')]],
    '108 Invalid input: Key cannot be empty',
  ],
  ['a star in the middle is 108', 'kv_get_multi_value', [[item('notes', 'a*b')]], WILDCARD],
  ['two stars are 108', 'kv_get_multi_value', [[item('notes', 'a**')]], WILDCARD],
  ['a leading star is 108', 'kv_get_multi_value', [[item('notes', '*a')]], WILDCARD],
  [
    'one bad item fails the whole call',
    'kv_get_multi_value',
    [[item('notes', 'a'), item('notes', '*a*')]],
    WILDCARD,
  ],
  [
    'exact items answer in request order, repeated ones repeatedly, missing ones with null',
    'kv_get_multi_value',
    [[item('notes', 'b'), item('none', 'a'), item('notes', 'x'), item('notes', 'b')]],
    [
      { ...item('notes', 'b'), value: 'two' },
      { ...item('none', 'a'), value: null },
      { ...item('notes', 'x'), value: null },
      { ...item('notes', 'b'), value: 'two' },
    ],
  ],
  [
    'a wildcard answers once per key, and nothing where nothing matches',
    'kv_get_multi_value',
    [[item('none', '*'), item('notes', 'z*'), item('notes', '*'), item('notes', 'dir/*')]],
    [
      { ...item('notes', MARKER), value: null },
      { ...item('notes', 'a'), value: { n: 1, list: [true, null] } },
      { ...item('notes', 'b'), value: 'two' },
      { ...item('notes', 'dir/x'), value: 3 },
      { ...item('notes', 'dir/x'), value: 3 },
    ],
  ],
  [
    'unknown members of an item are ignored',
    'kv_get_multi_value',
    [[{ ...item('notes', 'b'), more: 1 }]],
    [{ ...item('notes', 'b'), value: 'two' }],
  ],
];

/** [what holds, method, named parameters with the credential, expected]. */
const orders: [string, string, (good: string) => object, string][] = [
  [
    'the key rule comes before the credential',
    'kv_set_value',
    () => ({ token: 'no credential', namespace: 'notes', key: '*', value: 1 }),
    STAR,
  ],
  [
    'a read knows the same order',
    'kv_get_value',
    () => ({ token: 'no credential', namespace: 'notes', key: '*' }),
    STAR,
  ],
  [
    'a deletion knows the same order',
    'kv_delete_key',
    () => ({ token: 'no credential', namespace: 'notes', key: '*' }),
    STAR,
  ],
  [
    'a malformed credential is 101',
    'kv_set_value',
    () => ({ token: 'no credential', namespace: 'notes', key: 'a', value: 1 }),
    CREDENTIAL,
  ],
  [
    'a wrong credential is 102 before the namespace is looked up',
    'kv_get_value',
    () => ({ token: 'nobody:x', namespace: 'none', key: 'a' }),
    WRONG,
  ],
  [
    'the first item is judged before the credential',
    'kv_get_multi_value',
    () => ({ token: 'no credential', namespace_key: [item('', 'a')] }),
    '108 Invalid input: namespace cannot be empty',
  ],
  [
    'the credential is judged before the second item',
    'kv_get_multi_value',
    () => ({ token: 'no credential', namespaceKey: [item('notes', 'a'), item('', 'a')] }),
    CREDENTIAL,
  ],
  [
    'no item is 108 before the credential',
    'kv_get_multi_value',
    () => ({ token: 'no credential', namespace_key: [] }),
    '108 Invalid input: namespace_key cannot be empty',
  ],
  [
    'creation answers a wrong secret like an ordinary token',
    'kv_create',
    (good) => ({ token: `${good.slice(0, good.indexOf(':'))}:wrong`, namespace: 'new' }),
    '102 Permission denied: Only SuperToken can create KV namespace',
  ],
  [
    'creation answers a malformed credential with 101',
    'kv_create',
    () => ({ token: 'no credential', namespace: 'new' }),
    CREDENTIAL,
  ],
  ...['kv_delete_namespace', 'kv_get_all_keys'].map((method): (typeof orders)[number] => [
    `${method} refuses a wrong credential`,
    method,
    () => ({ token: 'nobody:x', namespace: 'notes' }),
    WRONG,
  ]),
  [
    'kv_list_all_namespace refuses a wrong credential',
    'kv_list_all_namespace',
    () => ({ token: 'nobody:x' }),
    WRONG,
  ],
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`kv (${dialect})`);
  let server: KvServer;

  test.before(async () => {
    server = await kvServer({ kv: { max_items: 5000 } }, { dialect });
    await server.fill('notes', { a: { n: 1, list: [true, null] }, b: 'two', 'dir/x': 3 });
    await server.fill('', {});
  });
  test.after(() => server.app.stop());

  for (const [name, method, params, expected] of cases) {
    test(name, async () => {
      const before = await server.rows();
      assert.equal(await server.asSuper(method, ...params), expected);
      assert.equal(await server.rows(), before);
    });
  }

  for (const [name, method, params, expected] of orders) {
    test(name, async () => {
      const before = await server.rows();
      assert.is(await server.outcome(method, params(server.app.superToken)), expected);
      assert.equal(await server.rows(), before);
    });
  }

  test('a namespace lives as long as any of its keys, and only creation brings it back', async () => {
    const { asSuper } = server;
    assert.equal(await asSuper('kv_create', 'short'), { namespace: 'short', kv: {} });
    assert.equal(await asSuper('kv_get_all_keys', 'short'), [MARKER]);
    assert.equal(await asSuper('kv_set_value', 'short', 'a', 1), DONE);
    assert.equal(await asSuper('kv_delete_key', 'short', MARKER), DONE);
    assert.equal(await asSuper('kv_set_value', 'short', 'b', 2), DONE);
    assert.equal(await asSuper('kv_delete_key', 'short', 'b'), DONE);
    assert.equal(
      await asSuper('kv_delete_key', 'short', 'b'),
      DONE,
      'a missing key is deleted too',
    );
    assert.equal(await asSuper('kv_get_all_keys', 'short'), ['a']);
    assert.equal(await asSuper('kv_delete_key', 'short', 'a'), DONE);
    assert.is(await asSuper('kv_set_value', 'short', 'a', 1), missing('short'));
    assert.is(await asSuper('kv_delete_key', 'short', 'a'), missing('short'));
    assert.equal(await asSuper('kv_create', 'short'), { namespace: 'short', kv: {} });
    assert.equal(await asSuper('kv_delete_namespace', 'short'), DONE);
  });

  test('deleting a namespace takes every key and nothing else', async () => {
    const { asSuper, rows } = server;
    await server.fill('gone', { a: 1, b: 2 });
    const others = (await rows()).filter(({ namespace }) => namespace !== 'gone');
    assert.equal(await asSuper('kv_delete_namespace', 'gone'), DONE);
    assert.equal(await rows(), others);
  });

  test('a value is overwritten, the marker too', async () => {
    const { asSuper } = server;
    await server.fill('again', { a: 1 });
    assert.equal(await asSuper('kv_set_value', 'again', 'a', [2]), DONE);
    assert.equal(await asSuper('kv_set_value', 'again', MARKER, 'set'), DONE);
    assert.equal(await asSuper('kv_get_value', 'again', 'a'), [2]);
    assert.is(await asSuper('kv_get_value', 'again', MARKER), 'set');
    await asSuper('kv_delete_namespace', 'again');
  });

  test('of two creations at once, one is told that the namespace exists', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => server.asSuper('kv_create', 'race')),
    );
    const made = answers.filter((answer) => answer.namespace === 'race');
    const told = answers.filter((answer) => /^103 .*'race' already exists$/.test(answer));
    assert.equal([made.length, told.length], [1, 7]);
    await server.asSuper('kv_delete_namespace', 'race');
  });

  test('a value set while its namespace is deleted never outlives it without a marker', async () => {
    const { asSuper, rows } = server;
    for (let turn = 0; turn < 20; turn++) {
      await asSuper('kv_create', 'torn');
      await Promise.all([
        ...Array.from({ length: 6 }, (_, n) => asSuper('kv_set_value', 'torn', `k${n}`, n)),
        asSuper('kv_delete_namespace', 'torn'),
      ]);
      assert.equal(
        (await rows()).filter(({ namespace }) => namespace === 'torn'),
        [],
      );
    }
  });

  test('of many values set at once each is stored, and each is seen right after its answer', async () => {
    await server.fill('many', {});
    const socket = await server.app.connect();
    const { superToken } = server.app;
    const written = Array.from({ length: 600 }, async (_, n) => {
      const namespace = n % 7 === 0 ? 'unknown' : 'many';
      const set = [superToken, namespace, `k${n}`, n];
      const answer = await socket.call('kv_set_value', set).catch((error) => error.message);
      if (namespace === 'unknown') return assert.match(answer, /'unknown' not found/);
      assert.is(await socket.call('kv_get_value', [superToken, 'many', `k${n}`]), n);
    });
    await Promise.all(written);
    const keys = await server.asSuper('kv_get_all_keys', 'many');
    assert.is(keys.length, 1 + 600 - Math.ceil(600 / 7));
    assert.is((await server.rows()).filter(({ namespace }) => namespace === 'unknown').length, 0);
    socket.close();
    await server.asSuper('kv_delete_namespace', 'many');
  });

  test('of values set at once for one key, one stays', async () => {
    await server.fill('one', {});
    const values = Array.from({ length: 40 }, (_, n) => n);
    const answers = await Promise.all(
      values.map((value) => server.asSuper('kv_set_value', 'one', 'k', value)),
    );
    assert.ok(answers.every((answer) => answer.success === true));
    assert.ok(values.includes(await server.asSuper('kv_get_value', 'one', 'k')));
    await server.asSuper('kv_delete_namespace', 'one');
  });

  test('entries of a batch run in order', async () => {
    const call = (id: number, method: string, ...rest: unknown[]) => ({
      jsonrpc: '2.0',
      id,
      method,
      params: [server.app.superToken, 'batch', ...rest],
    });
    const answers = await server.app.rpc([
      call(1, 'kv_create'),
      call(2, 'kv_set_value', 'a', 1),
      call(3, 'kv_set_value', 'a', 2),
      call(4, 'kv_get_value', 'a'),
      call(5, 'kv_delete_key', 'a'),
      call(6, 'kv_get_value', 'a'),
      call(7, 'kv_delete_namespace'),
    ]);
    const results = answers.map(({ result }: { result: unknown }) => result);
    assert.equal(results.slice(1), [DONE, DONE, 2, DONE, null, DONE]);
  });

  test('twelve keys of each of many agents are read at once', async () => {
    const agents = Array.from({ length: 150 }, (_, n) => `agent-${String(n).padStart(3, '0')}`);
    const keys = Array.from({ length: 12 }, (_, n) => `metadata_${String(n).padStart(2, '0')}`);
    for (const agent of agents) {
      await server.fill(agent, Object.fromEntries(keys.map((key) => [key, `${agent} ${key}`])));
    }
    const expected = agents.flatMap((namespace) =>
      keys.map((key) => ({ namespace, key, value: `${namespace} ${key}` })),
    );
    const exact = expected.map(({ namespace, key }) => ({ namespace, key }));
    assert.equal(await server.asSuper('kv_get_multi_value', exact), expected);
    const wild = agents.map((namespace) => ({ namespace, key: 'metadata_*' }));
    assert.equal(await server.asSuper('kv_get_multi_value', wild), expected);
    // More items than are looked up on the main thread.
    const missing = Array.from({ length: 3000 }, (_, n) => ({ namespace: 'none', key: `k${n}` }));
    const answer = await server.asSuper('kv_get_multi_value', [...missing, ...exact]);
    assert.equal(answer.slice(3000), expected);
    assert.ok(answer.slice(0, 3000).every((one: { value: unknown }) => one.value === null));
    const all = ['', ...agents, 'notes'];
    assert.equal(await server.asSuper('kv_list_all_namespace'), all);
    for (const agent of agents) await server.asSuper('kv_delete_namespace', agent);
  });

  test('all values of one call are of one moment', async () => {
    await server.fill('moment', { a: 0, b: 0 });
    let done = false;
    const write = async () => {
      for (let n = 1; n <= 60; n++) {
        await server.asSuper('kv_set_value', 'moment', 'a', n);
        await server.asSuper('kv_set_value', 'moment', 'b', n);
      }
      done = true;
    };
    const filler = Array.from({ length: 400 }, () => item('moment', 'none'));
    const items = [item('moment', 'b'), ...filler, item('moment', 'a*')];
    const read = async () => {
      while (!done) {
        const answer = await server.asSuper('kv_get_multi_value', items);
        const lead = answer.at(-1).value - answer[0].value;
        assert.ok(lead === 0 || lead === 1, `a is ${lead} ahead of b`);
      }
    };
    await Promise.all([write(), read(), read()]);
    await server.asSuper('kv_delete_namespace', 'moment');
  });

  test('values of several megabytes are stored and read', async () => {
    const big = 'x'.repeat(3_000_000);
    await server.fill('big', { a: big, b: big });
    const read = await server.asSuper('kv_get_multi_value', [{ namespace: 'big', key: '*' }]);
    assert.equal(
      read.map(({ value }: { value: string | null }) => value?.length ?? 0),
      [0, 3_000_000, 3_000_000],
    );
    assert.is((await server.asSuper('kv_get_value', 'big', 'a')).length, 3_000_000);
    await server.asSuper('kv_delete_namespace', 'big');
  });

  test('a failure of the database is 103 with a neutral text', async () => {
    const calls: [string, ...unknown[]][] = [
      ['kv_create', 'new'],
      ['kv_set_value', 'notes', 'a', 1],
      ['kv_get_value', 'notes', 'a'],
      ['kv_get_multi_value', [item('notes', '*')]],
      ['kv_delete_key', 'notes', 'a'],
      ['kv_delete_namespace', 'notes'],
      ['kv_get_all_keys', 'notes'],
      ['kv_list_all_namespace'],
    ];
    await server.app.sql('alter table kv rename to elsewhere');
    for (const [method, ...params] of calls) {
      const answer = await server.asSuper(method, ...params);
      assert.match(answer, /^103 Database error: (?!.*(kv|table|relation|exist))/, method);
    }
    await server.app.sql('alter table elsewhere rename to kv');
    assert.is(await server.asSuper('kv_get_value', 'notes', 'b'), 'two');
  });

  test('generous limits answer 108 and store nothing', async () => {
    const { asSuper } = server;
    const bound = 'ü'.repeat(512);
    const tooLong = `${bound}x`;
    assert.equal(await asSuper('kv_create', bound), { namespace: bound, kv: {} });
    assert.equal(await asSuper('kv_set_value', bound, bound, 1), DONE);
    assert.is(await asSuper('kv_get_value', bound, bound), 1);
    const before = await server.rows();
    assert.match(await asSuper('kv_create', tooLong), /^108 Invalid input: namespace is longer/);
    assert.match(await asSuper('kv_set_value', bound, tooLong, 1), /^108 Invalid input: key is/);
    const items = (count: number) => Array.from({ length: count }, () => item('notes', 'b'));
    assert.is((await asSuper('kv_get_multi_value', items(5000))).length, 5000);
    assert.match(await asSuper('kv_get_multi_value', items(5001)), /^108 .*more than 5000 items/);
    assert.equal(await server.rows(), before);
    await asSuper('kv_delete_namespace', bound);
  });

  test.run();
}

const branded = suite('kv (another brand)');
branded('the marker carries the brand word', async () => {
  const server = await kvServer({ brand: { word: 'acme' } }, { dialect: 'sqlite' });
  try {
    await server.asSuper('kv_create', 'a');
    assert.equal(await server.asSuper('kv_get_all_keys', 'a'), ['__acme_namespace_marker__']);
  } finally {
    await server.app.stop();
  }
});
branded('a value over the configured size is 108, one of that size is stored', async () => {
  const server = await kvServer({ kv: { max_value_bytes: 10 } }, { dialect: 'sqlite' });
  try {
    await server.fill('a', { fits: 'ü'.repeat(4) });
    const answer = await server.asSuper('kv_set_value', 'a', 'over', `${'ü'.repeat(4)}x`);
    assert.is(answer, '108 Invalid input: value is longer than 10 bytes');
    assert.equal(await server.asSuper('kv_get_all_keys', 'a'), [MARKER, 'fits']);
  } finally {
    await server.app.stop();
  }
});
branded.run();
