// auth.md §1, §2, §4, §6.4, §9; conventions.md §5.2: which callers are let in, and with which words others are refused.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { authProbe } from './auth-probe.ts';
import { eventually, FORMAT, keyOf, WRONG } from './token-kit.ts';

const MALFORMED = `101 Parse error: Failed to parse token: ${FORMAT}`;
const PROBE = '102 Permission denied: probe';
const SUPER = '102 Permission denied: Permission Denied: Super token required';
const NO_SUPER =
  '102 Permission denied: Not found in database: Super Token record (ID 1) not found in cache';

/** auth.md §2, test vectors. */
const HASH_EMPTY = '0e85928530f4aa4008c45e05e7faaea361969bdeb047ab900259212ba3d95855';
const HASH_TEST = 'c48c48d25dae9871f7a1bf8dffa3c671b07dd7f8efb9c4582099525ea53c7895';

/** Rows as `[key, secret hash, username, password hash]`, written behind the server's back. */
const rows: [string, string, string | null, string | null][] = [
  ['emptysecret', HASH_EMPTY, 'emptypassword', HASH_EMPTY],
  ['testsecret', HASH_TEST, 'testpassword', HASH_TEST],
  ['capitals', HASH_TEST.toUpperCase(), null, null],
  ['badsecret', 'not a hash', 'badpassword', 'not a hash'],
  ['zerosecret', '0'.repeat(64), 'shortpassword', HASH_TEST.slice(1)],
  ['', HASH_TEST, '', HASH_TEST],
  ['nopassword', HASH_TEST, 'nobody', null],
  ['a|b', HASH_TEST, 'x', HASH_TEST],
];

/** `[credential, who it is, or the error]`. */
// biome-ignore format: one case per line
const credentials: [string, string][] = [
  ['testsecret:test', 'testsecret'], ['testpassword|test', 'testsecret'],
  ['emptysecret:', 'emptysecret'], ['emptypassword|', WRONG],
  [':test', ''], ['|test', ''],
  ['capitals:test', 'capitals'],
  ['a|b:test', 'a|b'], ['x|test', 'a|b'],
  ['testsecret:', WRONG], ['testsecret: test', WRONG], ['testsecret:test ', WRONG], [' testsecret:test', WRONG], ['testsecret:Test', WRONG],
  ['Testsecret:test', WRONG], ['testpassword:test', WRONG], ['testsecret|test', WRONG], ['testpassword|test:', WRONG], ['testsecret:test:', WRONG],
  ['testsecret:test|', WRONG], ['testsecret|test:test', WRONG], ['unknown:test', WRONG], ['unknown|test', WRONG], [':', WRONG], ['|', WRONG],
  ['badsecret:not a hash', WRONG], ['badpassword|not a hash', WRONG], ['badsecret:', WRONG], ['zerosecret:', WRONG], ['shortpassword|test', WRONG],
  ['nobody|test', WRONG], ['nobody|', WRONG], ['nopassword:test', 'nopassword'], [`testsecret:${HASH_TEST}`, WRONG],
  ['', MALFORMED], ['test', MALFORMED], ['test test', MALFORMED], ['test;test', MALFORMED],
];

/** `[name, from, to, now, let through]`; the far ends are 64-bit. */
// biome-ignore format: one case per line
const periods: [string, string | null, string | null, number, 'ok' | 'early' | 'late'][] = [
  ['no bounds', null, null, 0, 'ok'],
  ['the first millisecond', '1000', '2000', 1000, 'ok'], ['the millisecond before', '1000', '2000', 999, 'early'],
  ['the last millisecond', '1000', '2000', 2000, 'ok'], ['the millisecond after', '1000', '2000', 2001, 'late'],
  ['only a beginning', '1000', null, 5000, 'ok'], ['before the only beginning', '1000', null, 999, 'early'],
  ['only an end', null, '1000', -5, 'ok'], ['after the only end', null, '1000', 1001, 'late'],
  ['an end in 1970', null, '0', 1, 'late'], ['a beginning in 1970', '0', null, 1, 'ok'], ['exactly 1970', '0', '0', 0, 'ok'],
  ['a period that never is, early', '2000', '1000', 1500, 'early'], ['a period that never is, late', '2000', '1000', 2500, 'late'],
  ['negative times', '-2000', '-1000', -1500, 'ok'],
  ['the largest times', '9223372036854775807', '9223372036854775807', 5, 'early'],
  ['the smallest times', '-9223372036854775808', '-9223372036854775808', 5, 'late'],
  ['the widest period', '-9223372036854775808', '9223372036854775807', 5, 'ok'],
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`auth (${dialect})`);
  const probe = authProbe();
  let app: TestApp;

  test.before(async () => {
    app = await bootForTest(['token', probe.plugin], {}, { dialect, clock: true });
    for (const row of rows) {
      await probe.sql(
        `insert into token (token_key, token_hash, token_limit, username, password_hash) values (?, ?, '[]', ?, ?)`,
        [row[0], row[1], row[2], row[3]],
      );
    }
    await app.restart();
  });
  test.after(() => app.stop());

  const outcome = (method: string, params: unknown): Promise<any> =>
    app.call(method, params).catch((error) => `${error.code} ${error.message}`);
  const whoami = (credential: string) => app.call('probe_whoami', [credential]);

  for (const [credential, expected] of credentials) {
    test(`credential '${credential}': ${expected}`, async () => {
      for (let time = 0; time < 3; time++) {
        const found = await outcome('probe_whoami', [credential]);
        assert.is(found.id ?? found, expected);
        assert.is(found.super ?? false, false);
      }
    });
  }

  test('every method of refusing a credential is the same over a socket', async () => {
    const socket = await app.connect();
    for (const [credential, expected] of credentials.slice(-8)) {
      const found = await socket
        .call('probe_whoami', [credential])
        .catch((error: any) => `${error.code} ${error.message}`);
      assert.is(found.id ?? found, expected);
    }
    socket.close();
  });

  test('the Super Token is Super by key and by root, and nothing else is', async () => {
    assert.is((await whoami(app.superToken)).super, true);
    assert.is((await whoami(`root|${app.rootPassword}`)).super, true);
    assert.is(await outcome('probe_whoami', [`root|${app.rootPassword}x`]), WRONG);
    assert.is(await outcome('probe_whoami', [`root:${app.rootPassword}`]), WRONG);
  });

  // biome-ignore format: one case per line
  const refusals: [string, string, unknown[], string][] = [
    ['no credential', 'probe_super', [], '-32602 Invalid params'],
    ['a credential that is a number', 'probe_super', [5], '-32602 Invalid params'],
    ['a credential that is null', 'probe_super', [null], '-32602 Invalid params'],
    ['no separator', 'probe_super', ['x'], MALFORMED],
    ['a wrong secret where Super is needed', 'probe_super', ['a:b'], SUPER],
    ['an ordinary token where Super is needed', 'probe_super', ['testsecret:test'], SUPER],
    ['a wrong secret where a right is needed', 'probe_need', ['a:b', ['global'], [{ task: 'listen' }]], WRONG],
    ['an ordinary token without the right', 'probe_need', ['testsecret:test', ['global'], [{ task: 'listen' }]], PROBE],
    ['bad parameters before a bad credential', 'probe_need', ['x', 5, 5], '-32602 Invalid params'],
  ];
  for (const [name, method, params, expected] of refusals) {
    test(`refuses ${name}`, async () => assert.is(await outcome(method, params), expected));
  }

  for (const [name, from, to, now, expected] of periods) {
    test(`validity, ${name}: ${expected}`, async () => {
      const base = app.clock.now();
      const shift = (time: string | null) =>
        time === null ? null : time.length > 15 ? BigInt(time) : BigInt(time) + BigInt(base - now);
      const limits = [{ scopes: ['global'], permissions: [{ task: 'listen' }] }];
      const times = { timestamp_from: 1, timestamp_to: 1 };
      const token = await app.token(limits, times);
      const update = 'update token set time_stamp_from = ?, time_stamp_to = ? where token_key = ?';
      await probe.sql(update, [text(shift(from)), text(shift(to)), keyOf(token)]);
      await app.call('token_edit', [app.superToken, keyOf(token), limits]);
      const asked = [token, ['global'], [{ task: 'listen' }]];
      const wanted = expected === 'ok' ? 'allowed' : PROBE;
      assert.is(await outcome('probe_need', asked), wanted);
      const refused = '102 Permission denied: Permission Denied: Token is not valid now';
      assert.is(await outcome('probe_known', [token]), expected === 'ok' ? 'allowed' : refused);
      assert.is((await app.call('probe_record', [token, { task: 'listen' }])).validity, expected);
      assert.is((await app.call('token_get', [token])).token_key, keyOf(token));
    });
  }
  const text = (time: bigint | null) => time?.toString() ?? null;

  test('times do not bind the Super Token', async () => {
    await probe.sql('update token set time_stamp_from = 5, time_stamp_to = 5 where id = 1');
    await app.call('token_edit', [app.superToken, 'root', []]);
    assert.is(await app.call('probe_super', [app.superToken]), 'allowed');
    assert.is((await whoami(app.superToken)).ended, false);
    await probe.sql('update token set time_stamp_from = null, time_stamp_to = null where id = 1');
    await app.call('token_edit', [app.superToken, 'root', []]);
  });

  test('the service tells the record and the scopes that hold a permission', async () => {
    const limits = [
      {
        scopes: [{ kv_namespace: 'a' }, { kv_namespace: 'b' }],
        permissions: [{ kv: 'list_all_namespace' }],
      },
      { scopes: [{ kv_namespace: 'c' }], permissions: [{ kv: 'list_all_keys' }] },
      { scopes: ['global'], permissions: [{ kv: 'list_all_namespace' }] },
    ];
    const token = await app.token(limits, {
      username: 'svc',
      password: 'a password',
      timestamp_to: null,
    });
    assert.equal(await app.call('probe_record', [token, { kv: 'list_all_namespace' }]), {
      key: keyOf(token),
      username: 'svc',
      limits,
      timestamp_from: null,
      timestamp_to: null,
      validity: 'ok',
      scopes: [{ kv_namespace: 'a' }, { kv_namespace: 'b' }, 'global'],
    });
    assert.equal((await app.call('probe_record', [token, { kv: { read: 'x' } }])).scopes, []);
  });

  // biome-ignore format: one case per line
  const basic: [string, string, string | null][] = [
    ['testsecret', 'test', 'testsecret'], ['testpassword', 'test', 'testsecret'], ['testsecret', 'wrong', null], ['testpassword', 'wrong', null],
    ['emptypassword', '', null], ['', 'test', ''], ['unknown', 'test', null], ['testpasswor', 'dtest', null], ['x', 'test', 'a|b'], ['a|b', 'test', 'a|b'],
  ];
  for (const [user, password, expected] of basic) {
    test(`Basic '${user}' with '${password}' is ${expected}`, async () => {
      // Past every window that the wrong credentials above have opened.
      await app.clock.advance(10_000);
      for (let time = 0; time < 2; time++) {
        assert.is(await app.call('probe_basic', [user, password]), expected);
      }
    });
  }

  test('without record 1 every credential is refused in its own words, and the next start makes a new one', async () => {
    const token = await app.token([]);
    await probe.sql('delete from token where id = 1');
    await eventually(async () => {
      // Again and again: a look that is still under way leaves the next one out.
      await app.clock.advance(1_000);
      assert.is(await outcome('probe_super', [app.superToken]), NO_SUPER);
    });
    for (const credential of [app.superToken, token, 'a:b', 'a|b']) {
      for (const method of ['probe_super', 'probe_whoami', 'token_get', 'token_list_all_tokens']) {
        assert.is(await outcome(method, [credential]), NO_SUPER);
      }
    }
    assert.is(await outcome('probe_super', ['x']), MALFORMED);
    await app.restart();
    assert.is((await app.call('token_get', [token])).token_key, keyOf(token));
    assert.is(await outcome('probe_super', [app.superToken]), SUPER);
  });

  test.run();
}
