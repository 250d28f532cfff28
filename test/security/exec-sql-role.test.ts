// The Postgres role of exec_sql: who can make it, several servers at once, tables that come later.
import { createHash } from 'node:crypto';
import { definePlugin } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import pg from 'pg';
import * as assert from 'uvu/assert';
import { sharedPostgres } from '../postgres.ts';
import { suite } from '../runner/suite.ts';

const test = suite('the role of exec_sql (postgres)');
let address: URL;
let admin: pg.Client;
const sqlRight = [{ scopes: ['global'], permissions: [{ svc: 'exec_sql' }] }];
const names = { database: 'svc_test_role', user: 'svc_test_limited' };

const exec = (app: TestApp, token: string, sql: string) =>
  app.call('svc-server_exec_sql', [token, sql]);
const outcome = (app: TestApp, token: string, sql: string) =>
  exec(app, token, sql).then(
    ({ data }) => data,
    (error) => error,
  );
const urlOf = (user?: string) => {
  const url = new URL(address);
  url.pathname = `/${names.database}`;
  if (user) [url.username, url.password] = [user, 'limited'];
  return url.href;
};
const boot = (
  url: string,
  plugins: Parameters<typeof bootForTest>[0] = ['token', 'server-info', 'kv'],
) => bootForTest(plugins, { database: { database_url: url } }, { dialect: 'postgres' });

test.before(async () => {
  address = new URL(sharedPostgres());
  admin = new pg.Client({ connectionString: address.href });
  await admin.connect();
});
test.after(() => admin.end());
test.before.each(async () => {
  await admin.query(`drop database if exists ${names.database} with (force)`);
  await admin.query(`drop role if exists ${names.user}`);
  await admin.query(`create database ${names.database}`);
});
test.after.each(async () => {
  await admin.query(`drop database if exists ${names.database} with (force)`);
  const digest = createHash('md5').update(names.database).digest('hex');
  await admin.query(`drop role if exists svc_sql_${digest.slice(0, 12)}`);
  await admin.query(`drop role if exists ${names.user}`);
});

/** Runs one statement in the test's database, as its administrator. */
async function administer(sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: urlOf() });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

for (const [what, rights, run, reason] of [
  ['may not make roles', '', '', /role svc_sql_\w+ cannot be made .* createrole/],
  [
    'has a schema in which everyone may make objects',
    'createrole',
    'grant create on schema public to public',
    /revoke create on schema public from public/,
  ],
] as const) {
  test(`where the server's user ${what}, exec_sql is open to the Super Token only, and says so`, async () => {
    await admin.query(`drop role if exists ${names.user}`);
    await admin.query(`create role ${names.user} login password 'limited' ${rights}`);
    await admin.query(`alter database ${names.database} owner to ${names.user}`);
    await administer(`grant all on schema public to ${names.user}`);
    if (run) await administer(run);
    const app = await boot(urlOf(names.user));
    try {
      const token = await app.token(sqlRight);
      const error = await outcome(app, token, 'select 1 as v');
      assert.is(error.code, 102);
      assert.match(error.message, /SQL is open to the Super Token only on this server/);
      assert.match(error.message, reason);
      const told = app
        .records()
        .filter(({ message }) => /open to the Super Token only/.test(message));
      assert.equal(told.length, 1);
      assert.equal(await outcome(app, app.superToken, 'select 1 as v'), [{ v: 1 }]);
    } finally {
      await app.stop();
    }
    const { rows } = await admin.query(
      "select rolname from pg_roles where pg_has_role($1, oid, 'member')",
      [names.user],
    );
    for (const { rolname } of rows) {
      if (rolname === names.user) continue;
      await administer(`drop owned by ${rolname} cascade`);
      await admin.query(`drop role ${rolname}`);
    }
    await administer(`drop owned by ${names.user} cascade`);
    await admin.query(`alter database ${names.database} owner to current_user`);
  });
}

test('a user of the database that is no superuser makes the role, and tokens work', async () => {
  await admin.query(`create role ${names.user} login password 'limited' createrole`);
  await admin.query(`alter database ${names.database} owner to ${names.user}`);
  const app = await boot(urlOf(names.user));
  try {
    const token = await app.token(sqlRight);
    assert.equal(await outcome(app, token, 'select count(*) as n from kv'), [{ n: 0 }]);
    assert.equal(await outcome(app, token, 'create table own as select 1 as a'), []);
    assert.match((await outcome(app, token, 'select * from token')).message, /permission denied/);
  } finally {
    await app.stop();
    await admin.query(`alter database ${names.database} owner to current_user`);
  }
});

test('servers that start at once make one role, and each can use it', async () => {
  const first = await boot(urlOf());
  const token = await first.token(sqlRight);
  const [{ v }] = await outcome(first, token, 'select current_user::text as v');
  assert.match(v, /^svc_sql_\w{12}$/);
  await first.stop();
  await administer(`drop owned by ${v} cascade`);
  await admin.query(`drop role ${v}`);
  const apps = await Promise.all([boot(urlOf()), boot(urlOf()), boot(urlOf())]);
  try {
    const rows = await Promise.all(
      apps.flatMap((app) =>
        [1, 2, 3].map(() => outcome(app, token, 'select current_user::text as v')),
      ),
    );
    for (const row of rows) assert.equal(row, [{ v }], String(row));
  } finally {
    await Promise.all(apps.map((app) => app.stop()));
  }
});

test('a table that a migration makes later is open, unless its plugin guards it', async () => {
  const first = await boot(urlOf());
  const token = await first.token(sqlRight);
  await first.stop();
  const later = definePlugin({
    name: 'later',
    version: '1.0.0',
    guards: { later_secret: 'secret', later_fixed: 'fixed' },
    migrations: [
      {
        name: '0001-create',
        async up({ query }) {
          for (const table of ['later_open', 'later_fixed', 'later_secret']) {
            await query.raw(`create table ${table} (id bigserial primary key, a integer)`);
          }
        },
      },
    ],
    setup: () => {},
  });
  const app = await boot(urlOf(), ['token', 'server-info', 'kv', later]);
  try {
    assert.equal(await outcome(app, token, 'insert into later_open (a) values (1) returning a'), [
      { a: 1 },
    ]);
    assert.equal(await outcome(app, token, 'select a from later_fixed'), []);
    assert.match(
      (await outcome(app, token, 'insert into later_fixed (a) values (1)')).message,
      /permission denied/,
    );
    assert.match(
      (await outcome(app, token, 'select a from later_secret')).message,
      /permission denied/,
    );
  } finally {
    await app.stop();
  }
});

test('without a fresh password the role cannot log in', async () => {
  const app = await boot(urlOf());
  try {
    const token = await app.token(sqlRight);
    const [{ v }] = await outcome(app, token, 'select current_user::text as v');
    const { rows } =
      await administer(`select rolvaliduntil < now() + interval '20 s' as soon, rolsuper, rolcreaterole,
      rolbypassrls from pg_roles where rolname = '${v}'`);
    assert.equal(rows, [
      { soon: true, rolsuper: false, rolcreaterole: false, rolbypassrls: false },
    ]);
  } finally {
    await app.stop();
  }
});

test("what a token makes stands in a schema of its own, and the server's session never looks there", async () => {
  const app = await boot(urlOf());
  try {
    const token = await app.token(sqlRight);
    assert.equal(await outcome(app, token, 'create table kv (namespace text)'), []);
    assert.match(
      (await outcome(app, app.superToken, `select 'kv'::regclass::text as v`))[0].v,
      /^kv$/,
    );
    assert.equal(await outcome(app, token, 'drop table kv'), []);
    assert.equal(await outcome(app, token, 'select count(*) as n from kv'), [{ n: 0 }]);
  } finally {
    await app.stop();
  }
});

test.run();
