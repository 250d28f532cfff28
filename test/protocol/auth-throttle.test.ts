// auth.md §2: repeated failures are throttled per key or username and address.

import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { keyOf, listen, type TokenServer, tokenServer, WRONG } from './token-kit.ts';

const FREE = 5;

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`auth: throttle (${dialect})`);
  let server: TokenServer;
  test.before(async () => {
    server = await tokenServer({}, { dialect, clock: true });
  });
  test.after(() => server.app.stop());

  /** Logs in from an address of its own choice. */
  const login = async (credential: string, address = '192.0.2.1') => {
    const { auth } = server.probe.kernel();
    const origin = { address, transport: 'ws' } as const;
    return auth.authenticate(credential, origin).then(
      ({ id }) => id,
      (error) => `${error.code} ${error.message}`,
    );
  };
  let guesses = 0;
  const guess = async (key: string, times = 1, address?: string) => {
    for (let time = 0; time < times; time++) {
      assert.is(await login(`${key}:guess${++guesses}`, address), WRONG);
    }
  };

  test('five different wrong credentials delay no login', async () => {
    const token = await server.app.token(listen);
    const key = keyOf(token);
    await guess(key, FREE);
    assert.is(await login(token), key);
  });

  test('after more the right credential is refused with the usual words until the window is over', async () => {
    const token = await server.app.token(listen);
    const key = keyOf(token);
    await guess(key, FREE + 1);
    assert.is(await login(token), WRONG);
    await server.app.clock.advance(249);
    assert.is(await login(token), WRONG);
    await server.app.clock.advance(1);
    assert.is(await login(token), key);
    await guess(key, FREE);
    assert.is(await login(token), key, 'a success forgets the failures');
  });

  test('windows double up to ten seconds, and attempts inside them count for nothing', async () => {
    const token = await server.app.token(listen);
    const key = keyOf(token);
    await guess(key, FREE);
    for (const window of [250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]) {
      await guess(key, 20);
      await server.app.clock.advance(window - 1);
      assert.is(await login(`${key}:looked at too early`), WRONG);
      await server.app.clock.advance(1);
    }
    assert.is(await login(token), key);
  });

  test('another address and another key are not delayed', async () => {
    const token = await server.app.token(listen);
    const other = await server.app.token(listen);
    await guess(keyOf(token), FREE + 1);
    assert.is(await login(token), WRONG);
    assert.is(await login(token, '192.0.2.2'), keyOf(token));
    assert.is(await login(other), keyOf(other));
  });

  test('a credential that was right before goes on through any window', async () => {
    const token = await server.app.token(listen);
    assert.is(await login(token), keyOf(token));
    await guess(keyOf(token), 50);
    assert.is(await login(token), keyOf(token));
  });

  test('a machine that repeats one old secret delays no login', async () => {
    const token = await server.app.token(listen);
    for (let time = 0; time < 200; time++) {
      assert.is(await login(`${keyOf(token)}:old secret`), WRONG);
    }
    assert.is(await login(token), keyOf(token));
  });

  test('a credential that was wrong works as soon as the record makes it right', async () => {
    const { name } = await server.account('first password');
    assert.is(await login(`${name}|second password`), WRONG);
    await server.asSuper('token_change_password', name, 'second password');
    assert.match(await login(`${name}|second password`), /^[A-Za-z0-9]{16}$/);
  });

  test('failures are forgotten after ten quiet minutes', async () => {
    const token = await server.app.token(listen);
    await guess(keyOf(token), FREE + 1);
    await server.app.clock.advance(600_001);
    await guess(keyOf(token), FREE);
    assert.is(await login(token), keyOf(token));
  });

  test('a key and a username of the same text are counted apart', async () => {
    const { token } = await server.account();
    const { name, token: other } = await server.account('its password');
    // A name of before names were told from keys.
    await server.probe.sql('update token set username = ? where username = ?', [
      keyOf(token),
      name,
    ]);
    await guess(keyOf(token), FREE + 1);
    assert.is(await login(token), WRONG);
    assert.is(await login(`${keyOf(token)}|its password`), keyOf(other));
  });

  test('calls over the wire are throttled by their address, Super methods included', async () => {
    const own = await tokenServer({}, { dialect, clock: true });
    try {
      const { key, secret } = await own.asSuper('token_create', { token_limit: listen });
      for (let time = 0; time <= FREE; time++) {
        assert.is(await own.whoami(`${key}:guess${time}`), WRONG);
      }
      assert.is(await own.whoami(`${key}:${secret}`), WRONG);
      for (let time = 0; time <= FREE; time++)
        await own.outcome('token_get', [`root|guess${time}`]);
      const denied = '102 Permission denied: Only SuperToken can list all tokens';
      const root = `root|${own.app.rootPassword}`;
      assert.is(await own.outcome('token_list_all_tokens', [root]), denied);
      await own.app.clock.advance(250);
      assert.is((await own.whoami(`${key}:${secret}`)).id, key);
      assert.is((await own.outcome('token_list_all_tokens', [root])).tokens.length, 2);
    } finally {
      await own.app.stop();
    }
  });

  test('the log names a key that exists, and nothing that may be a mistyped secret', async () => {
    const token = await server.app.token(listen);
    await guess(keyOf(token), FREE + 1);
    const mistyped = 'my secret instead of my key';
    await guess(mistyped, FREE + 1);
    const warnings = server.app
      .records()
      .filter(({ target, level }) => target === 'auth' && level === 'WARN')
      .map(({ fields }) => fields);
    assert.ok(warnings.some((fields) => fields['token_key'] === keyOf(token)));
    assert.not.match(JSON.stringify(warnings), mistyped);
  });

  test.run();
}
