// token.md §5 to §8: token_delete, token_edit, token_change_password, token_roll_token_secret.

import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { A, keyOf, listen, type TokenServer, tokenServer, WRONG } from './token-kit.ts';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`token: changes (${dialect})`);
  let server: TokenServer;
  test.before(async () => {
    server = await tokenServer({}, { dialect });
  });
  test.after(() => server.app.stop());

  test('token_delete removes by key, then by username, and says which', async () => {
    const { name, token } = await server.account();
    const other = await server.account();
    // As earlier versions let it be.
    const named = 'update token set username = ? where token_key = ?';
    await server.probe.sql(named, [keyOf(token), keyOf(other.token)]);
    for (const [target, matched_by] of [
      [keyOf(token), 'token_key'],
      [keyOf(token), 'username'],
    ]) {
      assert.equal(await server.asSuper('token_delete', target), {
        message: `Token ${target} deleted successfully by SuperToken`,
        rows_affected: 1,
        matched_by,
      });
    }
    assert.is(await server.whoami(token), WRONG);
    assert.is(await server.whoami(other.token), WRONG);
    const gone = `105 Not found in database: Token not found by key/username: ${name}`;
    assert.is(await server.asSuper('token_delete', name), gone);
  });

  test('token_delete refuses blanks, the Super Token and unknown names, in this order', async () => {
    const [top] = await server.probe.sql('select token_key from token where id = 1');
    const before = await server.table();
    for (const blank of ['', ' ', '\t\n ']) {
      const empty = '108 Invalid input: target_token cannot be empty';
      assert.is(await server.asSuper('token_delete', blank), empty);
    }
    for (const target of ['root', top.token_key]) {
      const refused = '102 Permission denied: SuperToken cannot be deleted';
      assert.is(await server.asSuper('token_delete', target), refused);
    }
    for (const target of ['nobody', 'ROOT', ' root', server.app.superToken, 'zero\0']) {
      const missing = `105 Not found in database: Token not found by key/username: ${target}`;
      assert.is(await server.asSuper('token_delete', target), missing);
    }
    assert.equal(await server.table(), before);
  });

  test('token_edit replaces the limits of an exact target, and nothing else', async () => {
    const { name, token } = await server.account();
    const [before] = await server.probe.sql('select * from token where username = ?', [name]);
    const limits = [{ scopes: ['global'], permissions: [{ kv: { read: '*' } }] }];
    assert.equal(await server.asSuper('token_edit', name, limits), {
      success: true,
      id: Number(before.id),
      token_key: keyOf(token),
    });
    assert.equal((await server.app.call('token_get', [token])).token_limit, limits);
    assert.ok((await server.asSuper('token_edit', keyOf(token), [])).success);
    assert.equal((await server.app.call('token_get', [token])).token_limit, []);
    const [after] = await server.probe.sql('select * from token where username = ?', [name]);
    // Its bytes follow from its limits.
    const rest = { token_limit: null, held_bytes: null };
    assert.equal({ ...after, ...rest }, { ...before, ...rest });
  });

  test('token_edit on the Super Token is stored and listed, and takes no right away', async () => {
    const { id, success } = await server.asSuper('token_edit', 'root', listen);
    assert.equal([id, success], [1, true]);
    assert.equal((await server.app.call('token_get', [server.app.superToken])).token_limit, listen);
    assert.is(await server.app.call('probe_super', [server.app.superToken]), 'allowed');
    await server.asSuper('token_edit', 'root', []);
  });

  test('token_edit refuses what is not exactly a key or username', async () => {
    const { name, token } = await server.account();
    for (const target of [
      '',
      'nobody',
      ` ${name}`,
      name.toUpperCase(),
      token,
      `${name}|a password`,
    ]) {
      const missing = `105 Not found in database: Token not found by key/username: ${target}`;
      assert.is(await server.asSuper('token_edit', target, []), missing);
    }
  });

  test('token_change_password sets the password of an extracted target', async () => {
    const { name, token } = await server.account('first password');
    const done = { success: true, message: 'Password changed successfully' };
    for (const target of [name, keyOf(token), token, `${keyOf(token)}|x`, `${name}|whatever`]) {
      const password = `new for ${target}`.replaceAll(':', '.');
      assert.equal(await server.asSuper('token_change_password', target, password), done);
      assert.is((await server.app.call('probe_whoami', [`${name}|${password}`])).id, keyOf(token));
    }
    assert.is(await server.whoami(`${name}|first password`), WRONG);
    assert.is((await server.app.call('probe_whoami', [token])).id, keyOf(token));
  });

  test('token_change_password takes a record without username, whose password is never used', async () => {
    const token = await server.app.token([]);
    assert.ok((await server.asSuper('token_change_password', keyOf(token), 'a password')).success);
    assert.is(await server.whoami(`${keyOf(token)}|a password`), WRONG);
  });

  test('token_roll_token_secret replaces the secret at once and keeps the rest', async () => {
    const { name, token } = await server.account();
    const before = await server.app.call('token_get', [token]);
    const rolled = await server.asSuper('token_roll_token_secret', token);
    assert.is(rolled.key, keyOf(token));
    assert.match(rolled.secret, /^[A-Za-z0-9]{32}$/);
    assert.is(await server.whoami(token), WRONG);
    assert.equal(await server.app.call('token_get', [`${rolled.key}:${rolled.secret}`]), before);
    assert.equal(await server.app.call('token_get', [`${name}|a password`]), before);
  });

  test('extracted targets are tried whole before they are cut', async () => {
    const agent = `[agent]:${A}`;
    const { token } = await server.account('a password', `${agent}2`);
    const cut = await server.account('a password', '[agent]');
    const other = await server.account('a password', 'left|right:far');
    for (const [target, key] of [
      [`${agent}2`, keyOf(token)],
      [agent, keyOf(cut.token)],
      ['left|right:far', keyOf(other.token)],
    ]) {
      assert.is((await server.asSuper('token_roll_token_secret', target)).key, key);
      assert.ok((await server.asSuper('token_change_password', target, 'another one')).success);
    }
  });

  // biome-ignore format: one case per line
  const extracted: [string, string][] = [['', ''], ['nobody', 'nobody'], ['no:body', 'no'], ['no|body', 'no'], ['no|bo:dy', 'no|bo'], [':x', ''], ['|x', ''], ['a\0b:c', 'a\0b']];
  for (const [target, name] of extracted) {
    test(`an extracted target '${target}' without hit is named '${name}'`, async () => {
      const missing = `105 Not found in database: Target token not found by key/username: ${name}`;
      assert.is(await server.asSuper('token_change_password', target, 'a password'), missing);
      assert.is(await server.asSuper('token_roll_token_secret', target), missing);
    });
  }

  test('the Super Token may roll itself, and change its password', async () => {
    const { app: own } = await tokenServer({}, { dialect });
    try {
      const { key, secret } = await own.call('token_roll_token_secret', [own.superToken, 'root']);
      const failure = await own.call('token_list_all_tokens', [own.superToken]).then(
        () => assert.unreachable('still works'),
        (error) => error,
      );
      assert.is(failure.code, 102);
      await own.call('token_change_password', [`${key}:${secret}`, 'root', 'open sesame']);
      assert.is((await own.call('token_list_all_tokens', ['root|open sesame'])).tokens.length, 1);
    } finally {
      await own.stop();
    }
  });

  test.run();
}
