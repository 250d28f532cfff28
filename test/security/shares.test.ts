// proof: 20
/** One token takes all that it can get of something; the same call of another token is answered in time. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bootForTest, type TestApp, type TestSocket } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { ENDLESS } from '../protocol/db-kit.ts';
import {
  base64,
  eventually,
  onCall,
  PATIENT,
  type ScriptServer,
  scriptServer,
} from '../protocol/js-worker-kit.ts';
import { loop } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';

/** So long a statement of the hog may take: longer than any machine needs for the test. */
const PATIENCE_MS = 300_000;
/** Threads, and processes, that a hog has while they are idle: fewer than by default show the same. */
const THREADS = loop(4, 8);
/** Databases; each has three processes at most. */
const HOGGED = loop(['a', 'b'], ['a', 'b', 'c', 'd']);
/** The answer to a call beside a hog, whose own calls are all still unanswered then: nothing has made room. */
async function beside<T>(hog: { readonly answered: number }, call: () => Promise<T>): Promise<T> {
  const answer = await call();
  assert.is(hog.answered, 0, 'the hog was answered first');
  return answer;
}

/** Sends calls whose answers are not awaited, over one socket; the socket is closed at the end. */
async function hogging(app: TestApp, calls: [method: string, params: unknown][]) {
  const socket: TestSocket = await app.connect();
  const hog = { socket, answered: 0 };
  socket.raw.on('message', (data: Buffer) => {
    if (String(JSON.parse(String(data)).id).startsWith('hog')) hog.answered++;
  });
  for (const [at, [method, params]] of calls.entries())
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: `hog ${at}`, method, params }));
  return hog;
}

{
  const test = suite('shares: scripts');
  let server: ScriptServer;
  let slow: Server;
  let hog: string;
  let other: string;
  const words = ['create', 'run_defined_js_worker'].map((word) => ({ js_worker: word }));
  const read = { js_result: { read: '*' } };

  test.before(async () => {
    // Answers at once or never.
    slow = createServer((request, response) => {
      if (request.url === '/now') response.end('now');
    });
    await new Promise<void>((done) => slow.listen(0, '127.0.0.1', done));
    const config = { fetch_private: ['127.0.0.1'], max_threads: THREADS, spare_threads: 2 };
    server = await scriptServer({ 'js-worker': config });
    const limits = [{ scopes: ['global'], permissions: [...words, read] }];
    [hog, other] = [await server.app.token(limits), await server.app.token(limits)];
  });
  test.after(async () => {
    await server.app.stop();
    slow.closeAllConnections();
    await new Promise((done) => slow.close(done));
  });

  const create = (token: string, name: string, script: string, limits = {}) => {
    const js_script_base64 = base64(onCall(script));
    return server.app.call('js-worker_create', { token, name, js_script_base64, ...limits });
  };
  const run = (token: string, js_script_name: string, params: unknown = null) =>
    server.app.call('js-worker_run', { token, js_script_name, params });
  const has = (name: string, count: number) =>
    eventually(async () => {
      const { workers } = await server.asSuper('js-worker_get_rt_pool');
      const own = workers.filter((one: any) => one.script_name.startsWith(name));
      assert.is(own.filter((one: any) => one.active_requests > 0).length, count);
    });

  test('a thousand slow fetches of one token leave a connection to another', async () => {
    const address = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`;
    const many = 'await Promise.allSettled(Array.from({ length: 500 }, () => fetch(params)))';
    for (const name of ['many-1', 'many-2']) {
      await create(hog, name, many, PATIENT);
      await run(hog, name, `${address}/never`);
    }
    await eventually(async () => {
      const open = await new Promise<number>((done) => slow.getConnections((_, n) => done(n)));
      assert.ok(open >= 512, `${open} connections`);
    });
    await create(other, 'one', 'return { text: await (await fetch(params)).text() }');
    for (let n = 0; n < 3; n++) {
      const row = await server.result((await run(other, 'one', `${address}/now`)).id);
      assert.equal(row.result, { text: 'now' });
    }
  });

  test('endless scripts of one token, more than there are threads, leave one to another', async () => {
    await create(other, 'quick', 'return 7');
    for (let n = 0; n < THREADS + 2; n++) {
      await create(hog, `endless-${n}`, 'for (;;) {}', PATIENT);
      await run(hog, `endless-${n}`);
    }
    await has('endless', THREADS + 2);
    for (let n = 0; n < 3; n++) {
      assert.is((await server.result((await run(other, 'quick')).id)).result, 7);
    }
    // Nothing has made room: the hog has what it had.
    await has('endless', THREADS + 2);
  });

  test.run();
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`shares: SQL (${dialect})`);
  let app: TestApp;
  let hog: string;
  let other: string;
  const mayAll = [
    {
      scopes: ['global'],
      permissions: [{ svc: 'exec_sql' }, { db: 'exec_sql' }, { db: 'create' }],
    },
  ];

  test.before(async () => {
    const config = {
      'server-info': { exec_sql_timeout_ms: PATIENCE_MS },
      db: {
        max_processes: THREADS,
        spare_processes: 2,
        statement_timeout_ms: PATIENCE_MS,
        wait_timeout_ms: PATIENCE_MS,
      },
    };
    app = await bootForTest(['token', 'server-info', 'db'], config, { dialect });
    [hog, other] = [await app.token(mayAll), await app.token(mayAll)];
  });
  test.after(() => app.stop());

  test('forty endless statements of one token leave the main database to another', async () => {
    const select = 'select 7 as n';
    await app.call('svc-server_exec_sql', [other, select]);
    const endless = ['svc-server_exec_sql', [hog, ENDLESS]] as [string, unknown];
    const hogged = await hogging(app, Array(40).fill(endless));
    // Calls of one socket begin in order.
    await hogged.socket.call('svc-server_get_database_type', [hog]);
    // Starts a process while all the others start.
    await app.call('svc-server_exec_sql', [other, select]);
    for (let n = 0; n < 3; n++) {
      const { data } = await beside(hogged, () => app.call('svc-server_exec_sql', [other, select]));
      assert.equal(data, [{ n: 7 }]);
    }
    hogged.socket.close();
  });

  test('a token that may have a part of the places takes no more, though they are idle', async () => {
    const config = { admission: { tokens: [{ token: '*', part: 0.5 }] } };
    const limited = await bootForTest(['admission', 'token', 'server-info'], config, { dialect });
    try {
      const [own, others] = [await limited.token(mayAll), await limited.token(mayAll)];
      const select = (token: string): Promise<any> =>
        limited.call('svc-server_exec_sql', [token, 'select 7 as n']);
      await select(own);
      const { socket } = await hogging(limited, [['svc-server_exec_sql', [own, ENDLESS]]]);
      // Calls of one socket begin in order.
      await socket.call('svc-server_get_database_type', [own]);
      let isAnswered = false;
      const second = select(own).finally(() => {
        isAnswered = true;
      });
      for (let n = 0; n < 3; n++) await select(others);
      assert.not(isAnswered, 'the second place of two is beyond its part');
      socket.close();
      assert.equal((await second).data, [{ n: 7 }]);
    } finally {
      await limited.stop();
    }
  });

  if (dialect === 'sqlite')
    test('endless statements of one token leave processes and databases to another', async () => {
      for (const name of HOGGED) await app.call('db_create', [app.superToken, name]);
      const endless = HOGGED.flatMap((name) =>
        Array(8).fill(['db_exec_sql', [hog, name, ENDLESS]]),
      );
      const hogged = await hogging(app, endless);
      await hogged.socket.call('db_read', [app.superToken, 'a']);
      // One where the hog has every connection, and one that is new.
      await app.call('db_create', [app.superToken, 'e']);
      for (const name of ['a', 'e']) {
        const exec = (sql: string) => app.call('db_exec_sql', [other, name, sql]);
        await exec('create table t (n)');
        for (let n = 0; n < 3; n++) {
          await beside(hogged, () => exec(`insert into t values (${n})`));
          const { data } = await beside(hogged, () => exec('select max(n) as n from t'));
          assert.equal(data, [{ n }]);
        }
      }
      hogged.socket.close();
    });

  test.run();
}
