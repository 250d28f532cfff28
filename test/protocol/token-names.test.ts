// token.md §1.1, §4: a target means one token only; a username is never a key.
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { sharedServers } from '../shared-servers.ts';
import { A, keyOf, listen, type TokenServer, tokenServer } from './token-kit.ts';

const PASSWORD = 'a long passphrase';
const FORM = /^108 Invalid input: username has the form of a token key: make it shorter or longer/;
const ZERO =
  '108 Invalid input: a text holds the character U+0000, which cannot be stored: leave it out';
/** A key of an earlier version: without a digit. */
const OLD_KEY = 'AbcdefghijklmnoP';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`token: names and keys (${dialect})`);
  let server: TokenServer;
  let creator = '';

  test.before(async () => {
    server = await tokenServer({}, { dialect });
    creator = await server.app.token([
      { scopes: [{ agent_uuid: A }], permissions: [{ token: 'create' }] },
    ]);
  });
  test.after(() => server?.app.stop());

  const create = (father: string, creation: object): Promise<any> =>
    server.outcome('token_create', [father, { token_limit: [], password: PASSWORD, ...creation }]);

  // biome-ignore format: one case per line
  const names: readonly (readonly [name: string, username: () => string | Promise<string>, isTaken: boolean])[] = [
    ['the key of the Super Token', () => keyOf(server.app.superToken), true],
    ['the key of its maker', () => keyOf(creator), true],
    ['a key of an earlier version', async () => { const token = await server.app.token([]); await server.probe.sql('update token set token_key = ? where token_key = ?', [OLD_KEY, keyOf(token)]); return OLD_KEY; }, true],
    ['16 letters and digits of every kind', () => 'Abcdefgh12345678', true],
    ['16 small letters', () => 'abcdefghijklmnop', false],
    ['16 digits', () => '1234567890123456', false],
    ['16 letters of both cases', () => 'AbcdefghijklmnoQ', false],
    ['17 of every kind', () => 'Abcdefgh123456789', false],
    ['15 of every kind', () => 'Abcdefgh1234567', false],
    ['16 with another character', () => 'Abcdefgh-2345678', false],
    ['letters with marks', () => 'Äbcdefgh12345678', false],
  ];
  for (const [name, username, isTaken] of names)
    test(`a username may ${isTaken ? 'not ' : ''}be ${name}`, async () => {
      const wanted = await username();
      for (const father of [server.app.superToken, creator]) {
        const made = await create(father, { username: wanted });
        if (isTaken) assert.match(made, FORM);
        else assert.ok(made.key, made);
        if (made.key) await server.asSuper('token_delete', made.key);
      }
    });

  test('every new key has both cases and a digit', async () => {
    for (let count = 0; count < 200; count++) {
      const key = keyOf(await server.app.token([]));
      assert.ok(/[a-z]/.test(key) && /[A-Z]/.test(key) && /[0-9]/.test(key), key);
    }
  });

  test('where an earlier version let a name be a key, each target means the token with the key', async () => {
    const top = server.app.superToken;
    const account = await server.account(PASSWORD);
    await server.probe.sql('update token set username = ? where token_key = ?', [
      keyOf(top),
      keyOf(account.token),
    ]);
    await server.app.restart();
    const session = await server.asSuper('session_create', 'browser');
    const theirs = (method: string, params: object): Promise<any> =>
      server.outcome(method, { token: account.token, target_token: keyOf(top), ...params });
    const denied = /^102 Permission denied: Only SuperToken can reach the sessions/;
    assert.match(await theirs('session_list', {}), denied);
    assert.match(await theirs('session_revoke', { all: true }), denied);
    assert.match(
      await theirs('token_explain', { method: 'token_get' }),
      /^102 Permission denied: Only SuperToken can explain/,
    );
    assert.match(
      await theirs('token_holdings', {}),
      /^102 Permission denied: Only SuperToken can see what the tokens of others hold/,
    );
    assert.is((await server.whoami(`${session.key}:${session.secret}`)).id, keyOf(top));
    for (const method of ['session_list', 'token_explain']) {
      const params = { token: top, target_token: keyOf(top), method: 'token_get' };
      const { method: _method, ...short } = params;
      const told = await server.outcome(method, method === 'session_list' ? short : params);
      assert.is(told.token_key, keyOf(top));
    }
    assert.is(
      (await server.outcome('session_list', { token: account.token })).token_key,
      keyOf(account.token),
    );
  });

  // biome-ignore format: one case per line
  const zeros: readonly (readonly [name: string, creation: object])[] = [
    ['username', { username: 'a\0b' }],
    ['scope', { token_limit: [{ scopes: [{ kv_namespace: 'a\0' }], permissions: [{ kv: { read: '*' } }] }] }],
    ['permission', { token_limit: [{ scopes: ['global'], permissions: [{ kv: { read: 'a\0*' } }] }] }],
  ];
  for (const [name, creation] of zeros)
    test(`U+0000 in a ${name} is 108`, async () => {
      const password = 'username' in creation ? PASSWORD : null;
      assert.is(await create(server.app.superToken, { password, ...creation }), ZERO);
      const { token_limit } = creation as { token_limit?: unknown };
      if (!token_limit) return;
      const token = await server.app.token(listen);
      assert.is(await server.asSuper('token_edit', keyOf(token), token_limit), ZERO);
      assert.equal((await server.outcome('token_get', [token])).token_limit, listen);
    });

  test.run();
}

const several = suite('token: names and keys at two servers (postgres)');

several('one name, asked for at both at once, is made once', async () => {
  const { apps, superToken, stop } = await sharedServers(2, ['token']);
  try {
    for (let round = 0; round < 10; round++) {
      const username = `user ${round}`;
      const creation = { token_limit: [], username, password: PASSWORD };
      const made = await Promise.allSettled(
        (apps as TestApp[]).flatMap((app) =>
          [1, 2].map(() => app.call('token_create', [superToken, creation])),
        ),
      );
      assert.is(made.filter(({ status }) => status === 'fulfilled').length, 1);
    }
  } finally {
    await stop();
  }
});

several.run();
