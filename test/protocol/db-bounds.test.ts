// db.md §1.4, §4.6, §4.7: what a caller may send or leave behind without costing others their turn.

import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { type DbServer, dbServer, ENDLESS, rows } from './db-kit.ts';

const test = suite('db: bounds');
let server: DbServer;

test.before(async () => {
  server = await dbServer({ db: { max_processes: 1 } }, { dialect: 'sqlite', clock: true });
  for (const name of ['x', 'y']) await server.asSuper('db_create', name);
  await server.exec('x', 'create table t (n unique)');
});
test.after(() => server.app.stop());

test('many comments before a statement take no time', async () => {
  const comments = '/**/ -- *\n'.repeat(5_000);
  assert.equal(await server.exec('x', `${comments}select 1 as n`), rows([{ n: 1 }]));
});

/** [what it is, SQL, what is answered]: each would keep the server from everything else, or end it, were it read there. */
const heavy: [string, string, RegExp][] = [
  ['many comments before something else', `${'/**/'.repeat(50_000)}(`, /^999 .*syntax error/],
  ['many brackets that are not closed', '['.repeat(300_000), /^999 .*unrecognized token/],
  ['a place beyond the engine', 'select ?999999999', /^999 .*variable number/],
  ['many places', `select ${'?,'.repeat(300_000)}?`, /^999 .*too many SQL variables/],
  [
    'one value larger than any answer',
    'select zeroblob(140000000)',
    /^(?:-32008 |999 .*ended after)/,
  ],
];
for (const [name, sql, expected] of heavy) {
  test(`the server goes on beside ${name}`, async () => {
    let answered = false;
    const answer = server.exec('x', sql).finally(() => {
      answered = true;
    });
    while (!answered) {
      await server.app.call('svc-server_hello').catch(() => 'no such method here');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.match(String(await answer), expected);
  });
}

test('a text of megabytes may hold a string of megabytes', async () => {
  const sql = `select length('it''s${'x'.repeat(8_000_000)}') as n`;
  assert.equal(await server.exec('x', sql), rows([{ n: 8_000_004 }]));
});

test('an open transaction ends with a text that ends it and then fails', async () => {
  const [a, b] = [await server.user(), await server.user()];
  const as = (token: string, sql: string) => server.outcome('db_exec_sql', [token, 'x', sql]);
  for (const failing of ['commit; select * from nowhere', 'insert or rollback into t values (1)']) {
    await server.exec('x', 'delete from t');
    assert.equal(await as(a, 'begin; insert into t values (1)'), rows([]));
    assert.match(await as(a, failing), /^999 /);
    // The clock stands still: no time limit rolls a forgotten transaction back.
    assert.equal(await as(b, 'insert into t values (2)'), rows([]), failing);
  }
  assert.equal(await server.exec('x', 'select n from t'), rows([{ n: 2 }]));
});

test('many calls that wait for a process are answered as soon as there is one', async () => {
  const socket = await server.app.connect();
  const call = (name: string, sql: string): Promise<any> =>
    socket.call('db_exec_sql', [server.app.superToken, name, sql]).catch(({ message }) => message);
  const other = await server.app.connect();
  const params = [server.app.superToken, 'x', ENDLESS];
  other.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'db_exec_sql', params }));
  // Calls of one socket begin in order: the endless one has the process.
  await other.call('db_read', [server.app.superToken, 'x']);
  const waiting = Array.from({ length: 200 }, (_, n) => call('y', `select ${n} as n`));
  await socket.call('db_read', [server.app.superToken, 'y']);
  // They wait by now; the endless one goes with its caller.
  other.close();
  const answers = await Promise.all(waiting);
  assert.equal(
    answers,
    answers.map((_, n) => rows([{ n }])),
  );
  socket.close();
});

test('more texts than may wait for one database are refused', async () => {
  const user = await server.user();
  // The clock stands still: this transaction stays open, and what writes waits for it.
  await server.outcome('db_exec_sql', [user, 'x', 'begin; delete from t']);
  const sockets = await Promise.all(Array.from({ length: 5 }, () => server.app.connect()));
  const params = [server.app.superToken, 'x', 'delete from t'];
  const refusal = (n: number): Promise<string> =>
    new Promise((resolve) => {
      const socket = sockets[n % sockets.length] as (typeof sockets)[number];
      socket.call('db_exec_sql', params).catch(({ code, message }) => {
        if (code !== undefined) resolve(`${code} ${message}`);
      });
    });
  const first = Promise.race(Array.from({ length: 1_001 }, (_, n) => refusal(n)));
  assert.is(await first, '999 Other error: too many statements wait for this database');
  for (const socket of sockets) socket.close();
  assert.equal(await server.outcome('db_exec_sql', [user, 'x', 'rollback']), rows([]));
});

test.run();
