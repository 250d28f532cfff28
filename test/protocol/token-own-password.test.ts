// token.md §13: token_change_own_password: people change their own password. An addition.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { sharedServers } from '../shared-servers.ts';
import { authProbe } from './auth-probe.ts';
import { eventually, keyOf, listen, PARAMS, WRONG } from './token-kit.ts';

const OLD = 'a password';
const NEW = 'another one';
const DONE = { success: true, message: 'Password changed successfully' };
const WRONG_OLD = '102 Permission denied: The old password is wrong';
const COMMON =
  '108 Invalid input: New password is one of the 10,000 most common ones, which are tried first: choose another, such as four random words';
const SHORT = '108 Invalid input: New password must be at least 8 characters long';
const NONE = /^108 Invalid input: this token has no user name and password/;
const COLON = /^108 Invalid input: .*':'/;
/** Different wrong passwords that cost nothing. */
const FREE = 5;
/** `hash("test")` of auth.md §2. */
const HASH_TEST = 'c48c48d25dae9871f7a1bf8dffa3c671b07dd7f8efb9c4582099525ea53c7895';

/** What the tests of one server do. */
function hand(app: TestApp) {
  const outcome = (method: string, params: unknown): Promise<any> =>
    app.call(method, params).catch((error: any) => `${error.code} ${error.message}`);
  return {
    outcome,
    change: (token: string, old_password: unknown, new_password: unknown = NEW) =>
      outcome('token_change_own_password', { token, old_password, new_password }),
    async session(token: string): Promise<string> {
      const { key, secret } = await app.call('session_create', { token });
      return `${key}:${secret}`;
    },
    whoami: (credential: string) => outcome('probe_whoami', [credential]),
  };
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`token: the own password (${dialect})`);
  const probe = authProbe();
  let app: TestApp;
  let on: ReturnType<typeof hand>;
  let last = 0;
  test.before(async () => {
    const config = { bus: { transport: 'local' } };
    app = await bootForTest(['token', 'audit', probe.plugin], config, { dialect, clock: true });
    on = hand(app);
  });
  test.after(() => app.stop());

  /** A fresh account. */
  const account = async (extra: object = {}) => {
    const name = `user${++last}`;
    const token = await app.token(listen, { username: name, password: OLD, ...extra });
    return { name, token, login: `${name}|${OLD}` };
  };
  const stored = async (name: string): Promise<string> => {
    const select = 'select password_hash from token where username = ?';
    return (await probe.sql(select, [name]))[0].password_hash;
  };

  const ways = {
    'a session': ({ login }: Awaited<ReturnType<typeof account>>) => on.session(login),
    'the password': ({ login }: Awaited<ReturnType<typeof account>>) => login,
    'the token': ({ token }: Awaited<ReturnType<typeof account>>) => token,
  };
  for (const [way, credentialOf] of Object.entries(ways))
    test(`who came with ${way} gives the old password and has the new one`, async () => {
      const who = await account();
      assert.equal(await on.change(await credentialOf(who), OLD), DONE);
      assert.is(await on.whoami(who.login), WRONG);
      assert.is((await on.whoami(`${who.name}|${NEW}`)).id, keyOf(who.token));
      assert.is((await on.whoami(who.token)).id, keyOf(who.token));
      await app.restart();
      assert.is(await on.whoami(who.login), WRONG);
      assert.is((await on.whoami(`${who.name}|${NEW}`)).id, keyOf(who.token));
    });

  test('every session of the token ends, the one of the call too, with its streams; those of others go on', async () => {
    const [{ name, login, token }, other] = [await account(), await account()];
    const sessions = [await on.session(login), await on.session(token)] as const;
    const elsewhere = await on.session(other.login);
    const { serial } = await on.whoami(sessions[1]);
    assert.equal(await on.change(sessions[0], OLD), DONE);
    for (const session of sessions) assert.is(await on.whoami(session), WRONG);
    assert.is(probe.ended(serial), true);
    assert.is((await on.whoami(elsewhere)).id, keyOf(other.token));
    assert.is((await on.whoami(await on.session(`${name}|${NEW}`))).id, keyOf(token));
  });

  // biome-ignore format: one case per line
  const refusals: [name: string, old_password: unknown, new_password: unknown, refused: string | RegExp][] = [
    ['a wrong old password', 'not this one', NEW, WRONG_OLD],
    ['no old password', '', NEW, WRONG_OLD],
    ['an old password that is left out', undefined, NEW, PARAMS],
    ['a new password that is left out', OLD, null, PARAMS],
    ['an empty new password', OLD, '', '108 Invalid input: New password cannot be empty'],
    ['a short new password', OLD, '12345', SHORT],
    ['a new password of seven characters', OLD, 'ä1b2c3d', SHORT],
    ['a common new password', OLD, 'Password1', COMMON],
    ['a new password with which nobody logs in', OLD, 'pass:word', COLON],
    ['an old password with which nobody logs in', 'pass:word', NEW, COLON],
  ];
  for (const [name, old_password, new_password, refused] of refusals)
    test(`${name} is refused, and nothing ends`, async () => {
      const { login } = await account();
      const session = await on.session(login);
      const answer = await on.change(session, old_password, new_password);
      if (refused instanceof RegExp) assert.match(answer, refused);
      else assert.is(answer, refused);
      assert.type((await on.whoami(session)).id, 'string');
      assert.type((await on.whoami(login)).id, 'string');
    });

  test('a new password of eight characters is long enough', async () => {
    const { login, name } = await account();
    assert.equal(await on.change(login, OLD, 'äöüäöüäö'), DONE);
    assert.type((await on.whoami(`${name}|äöüäöüäö`)).id, 'string');
  });

  test('a token without user name and password is told so', async () => {
    const token = await app.token(listen);
    for (const credential of [token, await on.session(token)])
      assert.match(await on.change(credential, ''), NONE);
  });

  test('an unknown credential and a token outside its validity are refused', async () => {
    const { token, login } = await account({ timestamp_to: app.clock.now() - 1 });
    const late = '102 Permission denied: Permission Denied: Token is not valid now';
    for (const credential of [token, login]) assert.is(await on.change(credential, OLD), late);
    assert.is(await on.change('nobody:here', OLD), WRONG);
    assert.match(await on.change('nothing', OLD), /^101 Parse error: Failed to parse token/);
  });

  test('a session of the Super Token changes the password of root with the old one alone', async () => {
    const session = await on.session(app.superToken);
    assert.is(await on.change(session, 'not this one'), WRONG_OLD);
    assert.equal(await on.change(session, app.rootPassword), DONE);
    assert.is(await on.whoami(session), WRONG);
    assert.is((await on.whoami(`root|${NEW}`)).super, true);
    assert.equal(await on.change(app.superToken, NEW, app.rootPassword), DONE);
  });

  test('a stolen session guesses no faster than somebody at the log-in, and no log-in is free for that', async () => {
    const { login, name, token } = await account();
    const session = await on.session(token);
    for (let at = 0; at <= FREE; at++)
      assert.is(await on.change(session, `guess ${at}`), WRONG_OLD);
    assert.is(await on.change(session, OLD), WRONG_OLD, 'the right one waits, too');
    assert.is(await on.whoami(login), WRONG, 'one count for both doors');
    assert.type((await on.whoami(session)).id, 'string');
    await app.clock.advance(250);
    assert.equal(await on.change(session, OLD), DONE);
    assert.type((await on.whoami(`${name}|${NEW}`)).id, 'string');
  });

  test('guesses at the log-in delay the change, as they delay further log-ins', async () => {
    const { token, name } = await account();
    for (let at = 0; at <= FREE; at++) assert.is(await on.whoami(`${name}|guess ${at}`), WRONG);
    assert.is(await on.change(token, OLD), WRONG_OLD);
    await app.clock.advance(250);
    assert.equal(await on.change(token, OLD), DONE);
  });

  test('a call of another plugin for this caller has no log-in, and changes nothing', async () => {
    const { token, login } = await account();
    const { auth, call } = probe.kernel();
    const caller = await auth.authenticate(token, { address: '192.0.2.1', transport: 'ws' });
    const params = { old_password: OLD, new_password: NEW };
    const answer = await call('token_change_own_password', params, caller).then(
      () => 'changed',
      ({ code }) => code,
    );
    assert.is(answer, 102);
    assert.is((await on.whoami(login)).id, keyOf(token));
  });

  test('a plain hash is followed by a slow one of the new password, whatever its own upgrade does meanwhile', async () => {
    const slow = authProbe();
    const config = { token: { password_kdf: 'scrypt' } };
    const own = await bootForTest(['token', slow.plugin], config, { dialect });
    const { change, whoami } = hand(own);
    try {
      for (const name of ['ada', 'ben', 'cleo']) {
        const token = await own.token([], { username: name, password: OLD });
        const update = 'update token set password_hash = ? where username = ?';
        await slow.sql(update, [HASH_TEST, name]);
        await own.call('token_edit', [own.superToken, name, listen]);
        assert.equal(await change(token, 'test'), DONE);
        const select = 'select password_hash from token where username = ?';
        assert.match((await slow.sql(select, [name]))[0].password_hash, /^scrypt\$/);
        assert.is((await whoami(`${name}|${NEW}`)).id, keyOf(token));
        assert.is(await whoami(`${name}|test`), WRONG);
      }
    } finally {
      await own.stop();
    }
  });

  test('of two changes at one moment one is made, and the other is told', async () => {
    const { name, token } = await account();
    const tries = ['first choice', 'second choice'].map(async (password) => ({
      password,
      answer: await on.change(token, OLD, password),
    }));
    const answers = await Promise.all(tries);
    const made = answers.filter(({ answer }) => answer.success);
    assert.is(made.length, 1, JSON.stringify(answers));
    assert.is((await on.whoami(`${name}|${made[0]?.password}`)).id, keyOf(token));
    const other = answers.find(({ answer }) => !answer.success)?.answer;
    assert.match(other, /^102 Permission denied: (the token was changed|The old password)/);
  });

  test('a password that was changed elsewhere meanwhile is not overwritten by who knew the old one', async () => {
    const { name, token } = await account();
    await on.whoami(`${name}|${OLD}`);
    // Another program, of which this server has not heard.
    const update = 'update token set password_hash = ? where username = ?';
    await probe.sql(update, [HASH_TEST, name]);
    const answer = await on.change(token, OLD);
    assert.is(answer, '102 Permission denied: the token was changed at this moment: try again');
    assert.is(await stored(name), HASH_TEST);
    assert.is((await on.whoami(`${name}|test`)).id, keyOf(token));
  });

  test('a failure of the database is 103, and the old password goes on', async () => {
    const { login, token } = await account();
    await on.whoami(login);
    await probe.sql('alter table token_session rename to token_session_away');
    try {
      const answer = await on.change(token, OLD);
      assert.match(answer, /^103 Database error: Failed to update password: /);
    } finally {
      await probe.sql('alter table token_session_away rename to token_session');
    }
    assert.is((await on.whoami(login)).id, keyOf(token));
  });

  test('the record of changes has both, made and refused, without a password', async () => {
    const { name, token } = await account();
    const session = await on.session(token);
    await on.change(session, 'a secret guess');
    await on.change(session, OLD, 'a secret choice');
    const { rows } = await app.call('audit_query', [app.superToken, { token: keyOf(token) }, 100]);
    const seen = rows
      .filter(({ method }: any) => method === 'token_change_own_password')
      .map((row: any) => [row.name, row.outcome]);
    assert.equal(seen, [
      [name, 'ok'],
      [name, 102],
    ]);
    assert.not.match(JSON.stringify([rows, app.records()]), 'a secret');
  });

  test.run();
}

const several = suite('token: the own password on several servers (postgres)');

several('a change on one server holds on the others, and ends the sessions there', async () => {
  const probe = authProbe();
  const { apps, stop } = await sharedServers(2, ['token', probe.plugin]);
  const [here, there] = apps.map((app) => ({ app, ...hand(app) })) as [any, any];
  try {
    const token = await here.app.token(listen, { username: 'ada', password: OLD });
    await eventually(async () => assert.is((await there.whoami(token)).id, keyOf(token)));
    const session = await there.session(`ada|${OLD}`);
    await eventually(async () => assert.is((await here.whoami(session)).id, keyOf(token)));
    assert.equal(await here.change(session, OLD), DONE);
    await eventually(async () => assert.is(await there.whoami(session), WRONG));
    assert.is(await there.whoami(`ada|${OLD}`), WRONG);
    assert.is((await there.whoami(`ada|${NEW}`)).id, keyOf(token));
    assert.equal(await there.change(token, NEW, OLD), DONE);
    await eventually(async () => assert.is((await here.whoami(`ada|${OLD}`)).id, keyOf(token)));
  } finally {
    await stop();
  }
});

several.run();
