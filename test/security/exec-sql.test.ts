// exec_sql of a token that is not the Super Token: tables of secrets stay closed, whatever the text.
import { existsSync } from 'node:fs';
import { bootForTest, type RpcFailure, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { endless } from '../protocol/svc-server-sql-cases.ts';
import { eventually } from '../protocol/token-kit.ts';
import { suite } from '../runner/suite.ts';
import { allowed, attacks } from './exec-sql-attacks.ts';

const sqlRight = [{ scopes: ['global'], permissions: [{ svc: 'exec_sql' }] }];
/** What an operator has made beside the tables of the server, with the tools of the database. */
const operator = {
  common: [
    'create view names_of_tokens as select token_key, token_hash from token',
    'create view names_again as select * from names_of_tokens',
    'create table vault (a text)',
    'create table tempting (a integer)',
    'create table taken (h text)',
  ],
  sqlite: [
    'create trigger take after insert on tempting begin insert into taken select token_hash from token; end',
    "create virtual table found_in_tokens using fts5(token_hash, content='token')",
  ],
  postgres: [
    `create function take() returns trigger language plpgsql as $$ begin insert into taken select token_hash from token; return new; end $$`,
    'create trigger take after insert on tempting for each row execute function take()',
  ],
};

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`exec_sql without the Super Token (${dialect})`);
  let app: TestApp;
  let holder = '';
  let secret = '';
  let before: unknown;

  const exec = (token: string, sql: string) => app.call('svc-server_exec_sql', [token, sql]);
  const asSuper = async (sql: string) => (await exec(app.superToken, sql)).data;
  const outcome = (sql: string): Promise<RpcFailure | object> =>
    exec(holder, sql).catch((error) => error);
  const guarded = () =>
    Promise.all(
      ['token', 'crontab', 'schema_migrations'].map((table) =>
        asSuper(`select * from ${table} order by 1, 2`),
      ),
    );

  test.before(async () => {
    const config = { 'server-info': { exec_sql_secret_tables: ['vault'] } };
    app = await bootForTest(
      ['token', 'server-info', 'kv', 'agent', 'agent-uuid', 'task', 'crontab', 'audit'],
      config,
      { dialect },
    );
    for (const sql of [...operator.common, ...operator[dialect]]) await app.sql(sql);
    // What was made by then is known from the next start on.
    await app.restart();
    holder = await app.token(sqlRight);
    secret = (await asSuper('select token_hash from token where id = 1'))[0].token_hash;
    assert.ok(secret.length > 30);
    before = await guarded();
  });
  test.after(() => app?.stop());

  for (const [name, ...texts] of attacks[dialect]) {
    test(`is kept from secrets: ${name}`, async () => {
      const answers = [];
      for (const text of texts) answers.push(await outcome(text));
      const last = answers.at(-1);
      assert.instance(last, Error, `${texts.at(-1)} was run: ${JSON.stringify(last)}`);
      const said = answers.map(
        (answer) => `${(answer as Error).message} ${JSON.stringify(answer)}`,
      );
      assert.not(said.join().includes(secret));
    });
  }

  test('attacks have changed nothing', async () => {
    assert.ok(attacks[dialect].length >= 76, `${attacks[dialect].length}`);
    assert.equal(await guarded(), before);
    assert.equal(await asSuper('select * from taken'), []);
    assert.not(existsSync('/tmp/svc-attack.db'));
  });

  for (const [name, sql] of [...(allowed['common'] ?? []), ...(allowed[dialect] ?? [])]) {
    test(`a token that may run SQL ${name}`, async () => {
      const answer = await outcome(sql as string);
      assert.not.instance(answer, Error, String(answer));
    });
  }

  if (dialect === 'postgres')
    test('a token takes no ids of the tables that it may not change', async () => {
      for (const table of ['token', 'crontab', 'audit_chain']) {
        const answer = await outcome(`select nextval(pg_get_serial_sequence('${table}', 'id'))`);
        assert.match(String(answer), /not authorized: permission denied for sequence/, table);
      }
    });

  test('values are bound, in reads and in writes', async () => {
    const [one, two] = dialect === 'sqlite' ? ['?', '?'] : ['$1', '$2'];
    const run = (sql: string, values: unknown[]) =>
      app.call('svc-server_exec_sql', [holder, sql, values]);
    await run(`insert into kv (namespace, key, value) values ('bound', ${one}, ${two})`, [
      'k',
      '1',
    ]);
    const { data } = await run(`select key from kv where namespace = ${one}`, ['bound']);
    assert.equal(data, [{ key: 'k' }]);
  });

  test('the refusals are counted as an attack, with one line for all of them', () => {
    const told = app
      .records()
      .filter(({ target, message }) => target === 'admission' && message === 'refused')
      .filter(({ fields }) => fields['reason'] === 'SQL on what is closed to the token');
    assert.ok(told.length >= 1 && told.length <= 2, `${told.length} lines`);
  });

  test('the Super Token reaches every table', async () => {
    assert.ok((await asSuper('select * from token')).length >= 2);
    assert.ok((await asSuper('select * from names_again')).length >= 2);
    await asSuper(`update crontab set name = 'x' where false`);
  });

  test('a refusal names the table or says who may do it', async () => {
    const error = (await outcome('select * from token')) as RpcFailure;
    assert.is(error.code, 999);
    assert.match(
      error.message,
      dialect === 'sqlite'
        ? /table token is open to the Super Token only/
        : /permission denied for table token/,
    );
  });

  test('a statement ends at its time limit, and the next one runs', async () => {
    await app.stop();
    const limit = { 'server-info': { exec_sql_timeout_ms: 1000 } };
    app = await bootForTest(['token', 'server-info'], limit, { dialect });
    holder = await app.token(sqlRight);
    const error = await outcome(endless[dialect]);
    assert.match((error as RpcFailure).message, /the statement was ended after 1000 ms/);
    // On a busy machine this one may not end in time either.
    await eventually(async () => {
      assert.equal((await exec(holder, 'select 1 as v')).data, [{ v: 1 }]);
    });
  });

  test.run();
}
