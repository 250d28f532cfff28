// auth.md §5: forms of scopes and permissions, strict on input, lenient on load.

import { DatabaseChanged } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { authProbe } from './auth-probe.ts';

const A = '0b9f3f3e-5a1c-4c53-9d0e-2f7b8f6f1c11';
const listen = { task: 'listen' };
const limit = (scope: unknown, permission: unknown) => [
  { scopes: [scope], permissions: [permission] },
];

const verbs = (kind: string, names: string, value: string) =>
  names.split(' ').map((verb) => ({ [kind]: { [verb]: value } }));
const words = (kind: string, names: string) => names.split(' ').map((word) => ({ [kind]: word }));

/** The whole table of §5.2, and the token-creation permission. */
const everyPermission: unknown[] = [
  ...'cpu system gpu'.split(' ').flatMap((field) => verbs('static_monitoring', 'read', field)),
  ...words('static_monitoring', 'write delete'),
  ...'cpu ram load system disk network gpu'
    .split(' ')
    .flatMap((field) => verbs('dynamic_monitoring', 'read', field)),
  ...words('dynamic_monitoring', 'write delete'),
  ...words('dynamic_monitoring_summary', 'read write delete'),
  ...verbs('task', 'create read write delete', 'ping'),
  ...verbs('task', 'create', 'an unknown name'),
  listen,
  ...words('crontab', 'read write delete'),
  ...verbs('crontab_result', 'read delete', 'nightly*'),
  ...words('kv', 'list_all_namespace list_all_keys'),
  ...verbs('kv', 'read write delete', 'metadata_*'),
  ...words('terminal', 'connect'),
  ...words('svc', 'list_all_agent_uuid get_rt_pool delete_agent_uuid exec_sql'),
  ...words('monitoring_uuid', 'list delete'),
  ...words('js_worker', 'list_all_js_worker create read write delete'),
  ...words('js_worker', 'run_defined_js_worker run_raw_js_worker'),
  ...verbs('js_result', 'read delete', '*'),
  ...words('static_bucket', 'read write delete'),
  ...words('static_bucket_file', 'read write delete list'),
  ...words('db', 'list read create update delete exec_sql'),
  ...words('token', 'create'),
];

const everyScope = [
  'global',
  { agent_uuid: A },
  ...['kv_namespace', 'js_worker', 'static_bucket', 'db'].map((tag) => ({ [tag]: 'n*' })),
];

/** `[name, given, stored]`: other spellings of the same. */
// biome-ignore format: one case per line
const spellings: [string, unknown, unknown][] = [
  ['global as an object', limit({ global: null }, listen), limit('global', listen)],
  ['a UUID in capitals', limit({ agent_uuid: A.toUpperCase() }, listen), limit({ agent_uuid: A }, listen)],
  ['a UUID in braces', limit({ agent_uuid: `{${A}}` }, listen), limit({ agent_uuid: A }, listen)],
  ['a UUID as urn', limit({ agent_uuid: `urn:uuid:${A}` }, listen), limit({ agent_uuid: A }, listen)],
  ['a UUID of 32 digits', limit({ agent_uuid: A.replaceAll('-', '') }, listen), limit({ agent_uuid: A }, listen)],
  ['a word as an object', limit('global', { task: { listen: null } }), limit('global', listen)],
  ['a field as an object', limit('global', { static_monitoring: { read: { cpu: null } } }), limit('global', { static_monitoring: { read: 'cpu' } })],
  ['unknown members', [{ scopes: [], permissions: [], note: 'x' }], [{ scopes: [], permissions: [] }]],
  ['doubles, in the given order', limit('global', listen).concat(limit('global', listen)), limit('global', listen).concat(limit('global', listen))],
  ['no entry', [], []],
];

/** `[name, limits, start of the reason]`, refused with -32602. */
// biome-ignore format: one case per line
const refused: [string, unknown, string][] = [
  ['null', null, 'invalid type: null'],
  ['an object', {}, 'invalid type: map'],
  ['a string', 'x', 'invalid type: string'],
  ['an entry that is a string', ['x'], 'invalid type: string "x"'],
  ['an entry that is an array', [[]], 'invalid type: sequence'],
  ['an entry that is null', [null], 'invalid type: null'],
  ['no scopes', [{ permissions: [] }], 'missing field `scopes`'],
  ['no permissions', [{ scopes: [] }], 'missing field `permissions`'],
  ['scopes that are an object', [{ scopes: {}, permissions: [] }], 'invalid type: map'],
  ['scopes that are null', [{ scopes: null, permissions: [] }], 'invalid type: null'],
  ['permissions that are a string', [{ scopes: [], permissions: 'x' }], 'invalid type: string'],
  ['an unknown scope', limit({ galaxy: 'x' }, listen), 'unknown variant `galaxy`'],
  ['an unknown scope word', limit('galaxy', listen), 'unknown variant `galaxy`'],
  ['a scope tag alone', limit('db', listen), 'invalid type: unit variant'],
  ['global in capitals', limit('Global', listen), 'unknown variant `Global`'],
  ['global with content', limit({ global: 'x' }, listen), 'invalid type: string'],
  ['a scope of no member', limit({}, listen), 'invalid value: map'],
  ['a scope of two members', limit({ db: 'x', js_worker: 'y' }, listen), 'invalid value: map'],
  ['a scope that is a number', limit(5, listen), 'invalid type: integer `5`'],
  ['a scope that is null', limit(null, listen), 'invalid type: null'],
  ['a scope name that is a number', limit({ db: 1.5 }, listen), 'invalid type: floating point `1.5`'],
  ['a scope name that is null', limit({ db: null }, listen), 'invalid type: null'],
  ['a UUID that is none', limit({ agent_uuid: 'x' }, listen), 'UUID parsing failed'],
  ['a UUID one digit short', limit({ agent_uuid: A.slice(1) }, listen), 'UUID parsing failed'],
  ['an empty UUID', limit({ agent_uuid: '' }, listen), 'UUID parsing failed'],
  ['an agent pattern', limit({ agent_uuid: '*' }, listen), 'UUID parsing failed'],
  ['a bare permission', limit('global', 'task'), 'invalid type: unit variant'],
  ['an unknown bare permission', limit('global', 'x'), 'unknown variant `x`'],
  ['an unknown kind', limit('global', { magic: 'x' }), 'unknown variant `magic`'],
  ['a kind named like a built-in of the language', limit('global', { constructor: 'x' }), 'unknown variant `constructor`'],
  ['an unknown word', limit('global', { task: 'shout' }), 'unknown variant `shout`'],
  ['a word named like a built-in of the language', limit('global', { task: 'toString' }), 'unknown variant `toString`'],
  ['an unknown verb', limit('global', { task: { shout: 'x' } }), 'unknown variant `shout`'],
  ['an unknown field', limit('global', { static_monitoring: { read: 'ram' } }), 'unknown variant `ram`'],
  ['a field pattern', limit('global', { dynamic_monitoring: { read: '*' } }), 'unknown variant `*`'],
  ['a verb that needs a field', limit('global', { static_monitoring: 'read' }), 'invalid type: unit variant'],
  ['a verb that needs a pattern', limit('global', { task: 'read' }), 'invalid type: unit variant'],
  ['a pattern that is a number', limit('global', { kv: { read: 5 } }), 'invalid type: integer `5`'],
  ['a word with content', limit('global', { task: { listen: 'x' } }), 'invalid type: string'],
  ['a permission of two members', limit('global', { task: 'listen', kv: 'list_all_keys' }), 'invalid value: map'],
  ['a verb of two members', limit('global', { kv: { read: 'a', write: 'b' } }), 'invalid value: map'],
  ['a permission of no member', limit('global', {}), 'invalid value: map'],
  ['a kind that is null', limit('global', { task: null }), 'invalid type: null'],
  ['a permission that is a boolean', limit('global', true), 'invalid type: boolean `true`'],
];

/** `[name, stored JSON, limits as seen]`. */
// biome-ignore format: one case per line
const loaded: [string, unknown, unknown][] = [
  ['unknown permissions are left out', [{ scopes: ['global'], permissions: [{ magic: 'x' }, listen, 'bare', { task: 'shout' }] }], limit('global', listen)],
  ['an entry without a known permission stays, empty', [{ scopes: ['global'], permissions: [{ magic: 'x' }] }], [{ scopes: ['global'], permissions: [] }]],
  ['an unknown scope empties the whole list', [...limit('global', listen), ...limit({ galaxy: 'x' }, listen)], []],
  ['a broken entry empties the whole list', [...limit('global', listen), { scopes: ['global'] }], []],
  ['an entry that is null empties the whole list', [...limit('global', listen), null], []],
  ['a list that is no list is empty', { scopes: [] }, []],
  ['a bad UUID empties the whole list', limit({ agent_uuid: 'x' }, listen), []],
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`auth: limits (${dialect})`);
  const probe = authProbe();
  let app: TestApp;
  test.before(async () => {
    // Without other servers: nothing is read again, and warned of again, before a test says so.
    app = await bootForTest(['token', probe.plugin], { bus: { transport: 'local' } }, { dialect });
  });
  test.after(() => app.stop());

  const shown = async (token: string) => (await app.call('token_get', [token])).token_limit;

  for (const scope of everyScope) {
    test(`keeps the scope ${JSON.stringify(scope)}`, async () => {
      assert.equal(await shown(await app.token(limit(scope, listen))), limit(scope, listen));
    });
  }

  for (const permission of everyPermission) {
    test(`knows the permission ${JSON.stringify(permission)}`, async () => {
      const token = await app.token(limit('global', permission));
      assert.equal(await shown(token), limit('global', permission));
      assert.is(await app.call('probe_need', [token, ['global'], [permission]]), 'allowed');
    });
  }

  for (const [name, given, stored] of spellings) {
    test(`accepts ${name}`, async () => {
      const token = await app.token(given);
      assert.equal(await shown(token), stored);
      assert.ok(
        (await app.call('token_edit', [app.superToken, token.split(':')[0], given])).success,
      );
      assert.equal(await shown(token), stored);
    });
  }

  for (const [name, limits, reason] of refused) {
    test(`refuses ${name}, before it looks at the credential`, async () => {
      const before = await probe.sql('select count(*) as n from token');
      for (const credential of ['nonsense', 'a:b', app.superToken]) {
        for (const [method, params] of [
          ['token_create', [credential, { token_limit: limits }]],
          ['token_edit', [credential, 'root', limits]],
        ] as const) {
          const { error } = await app.rpc({ jsonrpc: '2.0', id: 1, method, params });
          assert.is(`${error.code} ${error.message}`, '-32602 Invalid params');
          assert.type(error.data, 'string');
          assert.ok(method === 'token_create' || error.data.startsWith(reason), error.data);
        }
      }
      assert.equal(await probe.sql('select count(*) as n from token'), before);
    });
  }

  for (const [name, stored, seen] of loaded) {
    test(`when loading, ${name}`, async () => {
      const token = await app.token(limit('global', { kv: { read: '*' } }));
      const [key] = token.split(':');
      const json = dialect === 'sqlite' ? '?' : 'cast(? as jsonb)';
      const text = JSON.stringify(stored);
      await probe.sql(`update token set token_limit = ${json} where token_key = ?`, [text, key!]);
      probe.kernel().publish(DatabaseChanged, { gap: true });
      await app.call('token_edit', [app.superToken, 'root', []]);
      assert.equal(await shown(token), seen);
      const select = 'select cast(token_limit as text) as l from token where token_key = ?';
      assert.equal(JSON.parse((await probe.sql(select, [key!]))[0].l), stored);
      await app.restart();
      assert.equal(await shown(token), seen);
    });
  }

  test('a stored list that cannot be read is named in a warning when the token is used', async () => {
    const token = await app.token([]);
    const [key] = token.split(':');
    const [{ id }] = await probe.sql('select id from token where token_key = ?', [key!]);
    await probe.sql(`update token set token_limit = '{"not":"a list"}' where token_key = ?`, [
      key!,
    ]);
    await app.restart();
    assert.equal((await app.call('token_get', [token])).token_limit, []);
    await app.call('token_get', [token]);
    const warnings = app
      .records()
      .filter(({ target, fields }) => target === 'token_cache' && fields['id'] === id);
    assert.is(warnings.length, 1);
    assert.is(warnings[0]?.level, 'WARN');
  });

  test('the outer tag of the server kind follows the brand, and only it is accepted', async () => {
    const other = authProbe();
    const brand = { permission: 'acme_corp' };
    const branded = await bootForTest(['token', other.plugin], { brand }, { dialect });
    try {
      const limits = limit('global', { acme_corp: 'exec_sql' });
      const token = await branded.token(limits);
      assert.equal((await branded.call('token_get', [token])).token_limit, limits);
      for (const tag of ['acme_corp', 'svc']) {
        const asked = [token, ['global'], [{ [tag]: 'exec_sql' }]];
        assert.is(await branded.call('probe_need', asked), 'allowed');
      }
      const error = await branded.token(limit('global', { svc: 'exec_sql' })).then(
        () => assert.unreachable('accepted'),
        (refusal) => refusal,
      );
      assert.is(error.code, -32602);
    } finally {
      await branded.stop();
    }
  });

  test.run();
}
