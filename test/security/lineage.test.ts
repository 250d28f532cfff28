// What hangs on a token: which token created it, what it wrote, and what becomes of that when the token goes.
import { definePlugin, type Kernel } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import { Owners } from '@svc/plugin-token/api';
import * as assert from 'uvu/assert';
import { A, eventually, keyOf, listen } from '../protocol/token-kit.ts';
import { suite } from '../runner/suite.ts';
import { sharedServers } from '../shared-servers.ts';

const LISTEN = { scopes: [{ agent_uuid: A }], permissions: [{ task: 'listen' }], denied: '' };
const WRITE = { scopes: ['global'], permissions: [{ crontab: 'write' }], denied: '' } as const;
const DENIED = '102 Permission denied: Only SuperToken can list what hangs on a token';
const creator = [{ scopes: ['global'], permissions: [{ token: 'create' }, { task: 'listen' }] }];
/** `max_children` of these servers. */
const MOST = 5;
const from = { address: '192.0.2.1', transport: 'ws' } as const;

/** A plugin whose songs have owners. */
function songbook() {
  const songs = new Map<string, string | null>();
  const stopped: string[] = [];
  let face: Kernel | undefined;
  const plugin = definePlugin({
    name: 'songbook',
    version: '1.0.0',
    requires: [Owners],
    setup(kernel) {
      face = kernel as Kernel;
      kernel.hooks.prepare.tap(() => {
        kernel.use(Owners).register({
          kind: 'song',
          list: async (owner) => [...songs].filter(([, by]) => by === owner).map(([name]) => name),
          suspend: (owner) => void stopped.push(owner),
        });
      });
    },
  });
  const kernel = () => face as Kernel;
  return { plugin, songs, stopped, kernel, owners: () => kernel().use(Owners) };
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  for (const on_delete of ['keep', 'suspend'] as const) {
    const kept = on_delete === 'keep';
    const test = suite(`lineage: on_delete = "${on_delete}" (${dialect})`);
    const book = songbook();
    let app: TestApp;
    test.before(async () => {
      const config = { token: { on_delete, max_children: MOST } };
      app = await bootForTest(['token', book.plugin], config, { dialect, clock: true });
    });
    test.after(() => app.stop());

    const outcome = (method: string, params: unknown[]): Promise<any> =>
      app.call(method, params).catch(({ code, message }) => `${code} ${message}`);
    const ask = (method: string, ...rest: unknown[]) => outcome(method, [app.superToken, ...rest]);
    /** A child of this token. */
    const child = async (parent: string) => {
      const { key, secret } = await app.call('token_create', [parent, { token_limit: listen }]);
      return `${key}:${secret}`;
    };
    const works = async (credential: string) => {
      const { auth } = book.kernel();
      return auth.allows(await auth.authenticate(credential, from), LISTEN);
    };

    test('a token lists those that it created, and what other plugins say', async () => {
      const parent = await app.token(creator);
      const children = [keyOf(await child(parent)), keyOf(await child(parent))].sort();
      book.songs.set('a song', keyOf(parent));
      const list = {
        token_key: keyOf(parent),
        state: 'valid',
        suspended: false,
        dependents: [
          { kind: 'token', names: children },
          { kind: 'song', names: ['a song'] },
        ],
      };
      assert.equal(await ask('token_dependents', keyOf(parent)), list);
      await app.restart();
      assert.equal(await ask('token_dependents', keyOf(parent)), list);
    });

    test('only the Super Token may list, and it has no list of its own', async () => {
      const token = await app.token(creator);
      assert.is(await outcome('token_dependents', [token, keyOf(token)]), DENIED);
      assert.match(await ask('token_dependents', 'root'), /^108 .*name another token/);
      assert.match(await ask('token_dependents', 'stranger'), /^105 /);
      assert.equal((await ask('token_dependents', keyOf(token))).dependents[0].names, []);
    });

    test('what the Super Token writes has no owner and no limit', async () => {
      const { auth, system } = book.kernel();
      const owners = book.owners();
      assert.is(owners.of(await auth.authenticate(app.superToken, from)), null);
      assert.is(owners.of(system), null);
      for (const owner of [null, keyOf(app.superToken)]) {
        assert.is(await owners.may(owner, WRITE), true);
        assert.is(await owners.isSuspended(owner), false);
        assert.is(await owners.principal(owner), system);
      }
    });

    test('an owner may do what its token may do now', async () => {
      const key = keyOf(await app.token(listen));
      const owners = book.owners();
      assert.is(await owners.state(key), 'valid');
      assert.is((await owners.principal(key))?.id, key);
      assert.equal([await owners.may(key, LISTEN), await owners.may(key, WRITE)], [true, false]);
      await ask('token_edit', key, [{ scopes: ['global'], permissions: [{ crontab: 'write' }] }]);
      assert.equal([await owners.may(key, LISTEN), await owners.may(key, WRITE)], [false, true]);
    });

    test(`what a deleted token wrote ${kept ? 'goes on with its last rights' : 'is suspended'}, after a restart too`, async () => {
      const key = keyOf(await app.token(listen));
      book.songs.set(`song of ${key}`, key);
      await ask('token_delete', key);
      const check = async () => {
        const owners = book.owners();
        const caller = await owners.principal(key);
        assert.is(await owners.state(key), 'deleted');
        assert.is(await owners.isSuspended(key), !kept);
        assert.equal([await owners.may(key, LISTEN), await owners.may(key, WRITE)], [kept, false]);
        assert.is(caller?.id, kept ? key : undefined);
        if (caller) assert.is(await book.kernel().auth.allows(caller, LISTEN), true);
        const { state, suspended, dependents } = await ask('token_dependents', key);
        assert.equal([state, suspended], ['deleted', !kept]);
        assert.equal(dependents[1].names, [`song of ${key}`]);
      };
      await check();
      assert.is(book.stopped.includes(key), !kept);
      await app.restart();
      await check();
    });

    test('a token that left nothing behind is nothing any more', async () => {
      const key = keyOf(await app.token(listen));
      await ask('token_delete', key);
      assert.is(await book.owners().principal(key), undefined);
      assert.is(await book.owners().may(key, LISTEN), false);
      assert.match(await ask('token_dependents', key), /^105 /);
    });

    test(`children of a deleted token ${kept ? 'go on' : 'and theirs answer like expired ones'}`, async () => {
      const parent = await app.token(creator);
      const middle = await child(parent);
      await ask('token_edit', keyOf(middle), creator);
      const last = await child(middle);
      const session = await book.kernel().auth.authenticate(last, from);
      assert.equal([await works(middle), await works(last)], [true, true]);
      await ask('token_delete', keyOf(parent));
      assert.equal([await works(middle), await works(last)], [kept, kept]);
      assert.is(session.ended.aborted, !kept);
      assert.is(await book.owners().isSuspended(keyOf(last)), !kept);
      assert.is(book.stopped.includes(keyOf(last)), !kept);
    });

    test('a token creates so many tokens and no more, also at once; the Super Token as many as it likes', async () => {
      const parent = await app.token(creator);
      const create = () => outcome('token_create', [parent, { token_limit: [] }]);
      const made = await Promise.all(Array.from({ length: MOST + 3 }, create));
      const keys = made.filter(({ key }) => key !== undefined);
      assert.is(keys.length, MOST);
      const tooMany = made.filter((answer) => typeof answer === 'string');
      for (const answer of tooMany) assert.match(answer, /^108 .*max_children under \[token\]/);
      assert.is(await create(), tooMany[0]);
      await ask('token_delete', keys[0].key);
      assert.is((await create()).key.length, 16);
      for (let more = 0; more <= MOST; more++) await app.token([]);
    });

    // biome-ignore format: one case per line
    const names: [string, RegExp | undefined][] = [
      [`[agent]:${A}`, /given by the Super Token only/], ['[Agent]:x', /given by the Super Token only/], [' [agent]:x', /given by the Super Token only/],
      ['Root', /reads like 'root'/], ['ROOT ', /reads like 'root'/], ['r\u043eot', /reads like 'root'/], ['r00t', /reads like 'root'/],
      ['\uff52\uff4f\uff4f\uff54', /reads like 'root'/], ['ro\u200bot', /cannot be seen/], ['a\u0000b', /control character/], ['a\nb', /control character/],
      ['x\u202etoor', /cannot be seen/], ['rooted', undefined], ['agent x', undefined], ['M\u00fcller', undefined],
    ];
    test('a token gives no reserved names and no unseen characters, the Super Token may', async () => {
      const parent = await app.token(creator);
      for (const [username, refusal] of names) {
        const creation = { token_limit: [], username, password: 'a password' };
        const found = await outcome('token_create', [parent, creation]);
        if (refusal) assert.match(found, refusal, JSON.stringify(username));
        else assert.is(found.key?.length, 16, JSON.stringify(username));
        if (refusal && !username.includes('\0'))
          assert.is((await ask('token_create', creation)).key.length, 16);
      }
    });

    test(`an owner whose validity ends ${kept ? 'keeps its rights' : 'is suspended'}`, async () => {
      const key = keyOf(await app.token(listen, { timestamp_to: app.clock.now() + 1_000 }));
      assert.is(await book.owners().state(key), 'valid');
      await app.clock.advance(1_001);
      const caller = await book.owners().principal(key);
      assert.is(await book.owners().state(key), 'expired');
      assert.is(await book.owners().may(key, LISTEN), kept);
      assert.is(caller !== undefined, kept);
      if (caller) assert.is(await book.kernel().auth.allows(caller, LISTEN), true);
    });

    test.run();
  }
}

for (const on_delete of ['keep', 'suspend'] as const) {
  const kept = on_delete === 'keep';
  const several = suite(`lineage: several servers, on_delete = "${on_delete}" (postgres)`);
  several('what a server deletes is known to the others', async () => {
    const book = songbook();
    const config = { token: { on_delete } };
    const { apps, superToken, stop } = await sharedServers(2, ['token', book.plugin], config);
    const [here, there] = apps as [TestApp, TestApp];
    const owners = (there.kernel as any).kernelOf('songbook').use(Owners) as Owners;
    try {
      const key = keyOf(await here.token(listen));
      book.songs.set('a song', key);
      await eventually(async () => assert.is(await owners.state(key), 'valid'));
      await here.call('token_delete', [superToken, key]);
      await eventually(async () => {
        assert.is(await owners.state(key), 'deleted');
        assert.is(await owners.isSuspended(key), !kept);
        assert.equal([await owners.may(key, LISTEN), await owners.may(key, WRITE)], [kept, false]);
        assert.is(book.stopped.filter((name) => name === key).length, kept ? 0 : 2);
      });
    } finally {
      await stop();
    }
  });
  several.run();
}
