// What one owner may hold: a token with all that it created. Beyond the limits a write is refused, and nothing is lost.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';

const CREATOR = [{ scopes: ['global'], permissions: [{ token: 'create' }, { kv: { read: '*' } }] }];
const READER = [{ scopes: ['global'], permissions: [{ kv: { read: 'a' } }] }];
const FULL = 'the owner holds as much as it may';
const keyOf = (credential: string) => credential.split(':')[0] as string;

/** The limit of a token of about so many bytes. */
const wide = (bytes: number) => [
  {
    scopes: Array.from({ length: Math.ceil(bytes / 100) }, (_, n) => ({
      kv_namespace: `namespace ${n} ${'x'.repeat(60)}`,
    })),
    permissions: [{ kv: { read: 'a' } }],
  },
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`holdings of owners: tokens (${dialect})`);
  let app: TestApp;
  const config = { token: { max_children: 4, max_child_bytes: 20_000 } };
  test.before(async () => {
    app = await bootForTest(['token'], config, { dialect });
  });
  test.after(() => app.stop());

  const outcome = (method: string, params: unknown[]): Promise<any> =>
    app.call(method, params).catch(({ code, message, data }) => ({ code, message, data }));
  const create = (father: string, limit: unknown = READER) =>
    outcome('token_create', [father, { token_limit: limit }]);
  const held = async (token: string) => {
    const { owners } = await app.call('token_holdings', [token]);
    return owners[0].kinds.find(({ kind }: any) => kind === 'token');
  };

  test('the children of a token hold no more bytes than it may, and what was refused is not there', async () => {
    const parent = await app.token(CREATOR);
    assert.is((await create(parent, wide(9_000))).key.length, 16);
    assert.is((await create(parent, wide(9_000))).key.length, 16);
    const before = await held(parent);
    assert.is(before.rows, 2);
    assert.ok(before.bytes > 15_000 && before.bytes <= 20_000, before.bytes);
    assert.equal([before.max_rows, before.max_bytes], [4, 20_000]);
    const refused = await create(parent, wide(9_000));
    assert.equal([refused.code, refused.data], [108, FULL]);
    assert.match(
      refused.message,
      /^Invalid input: this token, with the tokens that it created, holds [\d,]+ bytes of tokens, and [\d,]+ with this; max_child_bytes under \[token\] allows 20,000: delete some or make them smaller, or have max_child_bytes raised$/,
    );
    assert.equal(await held(parent), before);
    // Small ones still fit, others are not concerned, and the Super Token has no limit.
    assert.is((await create(parent)).key.length, 16);
    assert.is((await create(await app.token(CREATOR), wide(9_000))).key.length, 16);
    for (let many = 0; many < 3; many++) await app.token(wide(15_000));
  });

  test('children of children count for the topmost token, also below one that was deleted', async () => {
    const top = await app.token(CREATOR);
    const made = await create(top);
    const middle = `${made.key}:${made.secret}`;
    await app.call('token_edit', [app.superToken, made.key, CREATOR]);
    for (let below = 0; below < 3; below++) assert.ok((await create(middle)).key);
    for (const father of [top, middle]) {
      const refused = await create(father);
      const who = father === top ? 'this token, with the tokens that it' : 'the token that';
      assert.match(refused.message, `Invalid input: ${who} created`);
      assert.match(refused.message, 'holds 4 tokens, and max_children under [token] allows 4');
      assert.is((await held(father)).rows, 4);
    }
    await app.call('token_delete', [app.superToken, made.key]);
    assert.is((await held(top)).rows, 3);
    assert.ok((await create(top)).key);
    assert.is((await create(top)).code, 108);
  });

  test('tokens that are created at the same moment do not exceed the limit together', async () => {
    const parent = await app.token(CREATOR);
    const made = await Promise.all(Array.from({ length: 12 }, () => create(parent)));
    assert.is(made.filter(({ key }) => key).length, 4);
    assert.is(made.filter(({ code, data }) => code === 108 && data === FULL).length, 8);
    assert.is((await held(parent)).rows, 4);
  });

  test('a session counts as its token', async () => {
    const parent = await app.token(CREATOR);
    const { key, secret } = await app.call('session_create', [parent]);
    for (let many = 0; many < 4; many++) assert.ok((await create(`${key}:${secret}`)).key);
    assert.is((await create(parent)).code, 108);
  });

  test('a token sees what its owner holds, the Super Token what all hold', async () => {
    const parent = await app.token(CREATOR, { username: 'filler', password: 'a long password' });
    for (let many = 0; many < 4; many++) assert.ok((await create(parent)).key);
    const own = { token_key: keyOf(parent), username: 'filler' };
    const { owners } = await app.call('token_holdings', [parent]);
    assert.equal(
      owners.map(({ kinds: _, ...who }: any) => who),
      [own],
    );
    assert.equal((await app.call('token_holdings', [parent, 'filler'])).owners, owners);
    const denied = await outcome('token_holdings', [parent, keyOf(app.superToken)]);
    assert.is(
      denied.message,
      'Permission denied: Only SuperToken can see what the tokens of others hold',
    );
    const all = (await app.call('token_holdings', [app.superToken])).owners;
    assert.is(all[0].token_key, null);
    assert.ok(all[0].kinds[0].rows > 4 && all[0].kinds[0].max_rows === null);
    const listed = all.find(({ username }: any) => username === 'filler');
    assert.equal(listed, owners[0]);
    const rows = all.slice(1).map(({ kinds }: any) => kinds[0].rows);
    assert.is(rows[0], 4);
    assert.is(all[0].kinds[0].bytes > 40_000, true);
    assert.equal((await app.call('token_holdings', [app.superToken, 'filler'])).owners, owners);
  });

  test('what is there beyond a limit goes on working', async () => {
    const parent = await app.token(CREATOR);
    const children = await Promise.all(Array.from({ length: 4 }, () => create(parent)));
    await app.sql(`insert into token (token_key, token_hash, token_limit, parent)
      select substr(token_key, 2) || '+', token_hash, token_limit, parent from token where parent = '${keyOf(parent)}'`);
    assert.is((await held(parent)).rows, 8);
    const [{ key, secret }] = children;
    assert.is((await app.call('token_get', [`${key}:${secret}`])).token_key, key);
    await app.call('token_edit', [app.superToken, key, CREATOR]);
    assert.match((await create(parent)).message, 'holds 8 tokens');
  });

  test.run();
}
