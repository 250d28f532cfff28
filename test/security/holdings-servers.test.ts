// What one owner may hold: several servers count it in one database, and a plugin of somebody else has kinds of its own.
import { addHeldBytes, countingIn, definePlugin, Holdings, Type } from '@svc/plugin-sdk';
import { rowsOf } from '@svc/plugin-sdk/sql';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import { Owners } from '@svc/plugin-token/api';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { type SharedServers, sharedServers } from '../shared-servers.ts';

const RIGHTS = [{ token: 'create' }, { status_page: 'write' }];
const outcome = (app: TestApp, method: string, params: object): Promise<any> =>
  app.call(method, params).then(
    () => 'done',
    ({ code, message }) => `${code} ${message}`,
  );
const refusedOf = (made: readonly string[]) => made.filter((each) => each !== 'done');

const servers = suite('holdings of owners: several servers (postgres)');
let shared: SharedServers;
servers.before(async () => {
  const config = {
    'status-page': { max_pages_per_owner: 4, max_pages: 6 },
    token: { max_children: 5 },
  };
  const plugins = ['token', 'task', 'agent-uuid', 'agent', 'status-page', 'bus', 'bus-postgres'];
  shared = await sharedServers(2, plugins, config);
});
servers.after(() => shared?.stop());

const page = { title: 'x', entries: [] };

servers(
  'one owner fills its room once, and all owners theirs, whichever server they ask',
  async () => {
    const [one, two] = shared.apps as [TestApp, TestApp];
    const at = (n: number) => (n % 2 === 0 ? one : two);
    const owner = await one.token([{ scopes: ['global'], permissions: RIGHTS }]);
    const create = (token: string, slug: string, n: number) =>
      outcome(at(n), 'status-page_create', { token, slug, page });
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, n) => create(owner, `own-${n}`, n)),
    );
    assert.is(refusedOf(made).length, 6, made.join('\n'));
    const others = await Promise.all(
      [1, 2].map(() => one.token([{ scopes: ['global'], permissions: RIGHTS }])),
    );
    const more = await Promise.all(
      Array.from({ length: 8 }, (_, n) => create(others[n % 2] as string, `more-${n}`, n >> 1)),
    );
    assert.is(refusedOf(more).length, 6, more.join('\n'));
    const limit = { token_limit: [] };
    const children = await Promise.all(
      Array.from({ length: 9 }, (_, n) =>
        outcome(at(n), 'token_create', { father_token: owner, token_creation: limit }),
      ),
    );
    assert.is(refusedOf(children).length, 4, children.join('\n'));
    for (const app of [one, two]) {
      const { owners } = await app.call('token_holdings', { token: owner });
      const rows = Object.fromEntries(owners[0].kinds.map((each: any) => [each.kind, each.rows]));
      assert.equal([rows['status-page'], rows['token']], [4, 5]);
    }
  },
);
servers.run();

/** Work between the check of the rights and the writing of a song. */
let meanwhile = async (): Promise<unknown> => undefined;

/** A third-party plugin that keeps songs. */
const songs = definePlugin({
  name: 'songs',
  version: '1.0.0',
  namespaces: ['songs'],
  requires: [Owners],
  optional: [Holdings],
  config: Type.Object({ max_bytes_per_owner: Type.Integer({ default: 100 }) }),
  migrations: [
    {
      name: '0001-create',
      async up(db) {
        await db.query.raw('create table songs (title text not null, owner text)');
        await addHeldBytes(db, {
          table: 'songs',
          texts: ['title'],
          index: 'songs_held',
          columns: ['owner'],
        });
      },
    },
  ],
  setup(kernel) {
    const { config, hooks } = kernel;
    const counting = countingIn(kernel);
    const { max_bytes_per_owner: most } = config;
    hooks.prepare.tap(() =>
      kernel.useOptional(Holdings)?.register({
        kind: 'song',
        plural: 'songs',
        rows: 'select owner, held_bytes as bytes from songs',
        limits: () => ({ bytes: { most, key: 'max_bytes_per_owner under [songs]' } }),
        remedy: 'forget some',
      }),
    );
    hooks.methods.tap((methods) =>
      methods.add('songs_add', {
        summary: 'Adds a song.',
        params: { title: Type.String() },
        result: Type.Boolean(),
        access: 'authenticated',
        async handle({ title }, { caller }) {
          const owner = kernel.use(Owners).of(caller);
          await meanwhile();
          const sql = {
            text: 'insert into songs (title, owner) values (?, ?) returning title',
            params: [title, owner],
          };
          await counting.within({ kind: 'song', owner }, (on) => rowsOf(on, sql));
          return true;
        },
      }),
    );
  },
});

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`holdings of owners: a plugin's own kind (${dialect})`);
  test('a plugin names its rows and limits, and the page and the refusals are there', async () => {
    const app = await bootForTest(['token', songs], {}, { dialect });
    try {
      const token = await app.token([]);
      const add = (length: number, by = token) =>
        outcome(app, 'songs_add', { token: by, title: 'x'.repeat(length) });
      assert.is(await add(60), 'done');
      assert.is(
        await add(50),
        '108 Invalid input: this token, with the tokens that it created, holds 60 bytes of songs, and 110 with this; ' +
          'max_bytes_per_owner under [songs] allows 100: forget some or make them smaller, or have max_bytes_per_owner raised',
      );
      assert.is(await add(40), 'done');
      assert.is(await add(5_000, app.superToken), 'done');
      const { owners } = await app.call('token_holdings', { token });
      const held = { kind: 'song', rows: 2, bytes: 100, max_rows: null, max_bytes: 100 };
      assert.equal(
        owners[0].kinds.find(({ kind }: any) => kind === 'song'),
        held,
      );
    } finally {
      await app.stop();
    }
  });
  test('what a token makes in the moment of its deletion is not made: nobody would hold it', async () => {
    const app = await bootForTest(['token', songs], {}, { dialect });
    try {
      const token = await app.token([]);
      const [key] = token.split(':');
      meanwhile = () => app.call('token_delete', [app.superToken, key]);
      const late = await outcome(app, 'songs_add', { token, title: 'late' });
      assert.is(late, '102 Permission denied: Invalid credentials');
      assert.equal(await app.sql('select * from songs'), []);
    } finally {
      meanwhile = async () => undefined;
      await app.stop();
    }
  });
  test.run();
}
