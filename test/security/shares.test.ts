/** One token takes all that it can get of something; the same call of another token is answered in time. */
import { bootForTest, type TestApp, type TestSocket } from '@svc/plugin-sdk/testing';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ENDLESS } from '../protocol/db-kit.ts';

/** What the other token may have to wait, ms. */
const SOON_MS = 1_000;

/** The answer to a call beside a hog, and a failure when it comes too late. */
async function soon<T>(what: string, call: () => Promise<T>): Promise<T> {
  const since = performance.now();
  const late = new Promise<never>((_, reject) => {
    const fail = () => reject(new Error(`${what}: no answer within ${SOON_MS} ms`));
    setTimeout(fail, SOON_MS).unref();
  });
  const answer = await Promise.race([call(), late]);
  const took = performance.now() - since;
  assert.ok(took <= SOON_MS, `${what} took ${took} ms`);
  return answer;
}

/** Sends calls whose answers are not awaited, over one socket; the socket is closed at the end. */
async function hogging(app: TestApp, calls: [method: string, params: unknown][]) {
  const socket: TestSocket = await app.connect();
  for (const [id, [method, params]] of calls.entries())
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  return socket;
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
    app = await bootForTest(['token', 'server-info', 'db'], {}, { dialect });
    [hog, other] = [await app.token(mayAll), await app.token(mayAll)];
  });
  test.after(() => app.stop());

  test('forty endless statements of one token leave the main database to another', async () => {
    const select = 'select 7 as n';
    await app.call('svc-server_exec_sql', [other, select]);
    const endless = ['svc-server_exec_sql', [hog, ENDLESS]] as [string, unknown];
    const socket = await hogging(app, Array(40).fill(endless));
    // Calls of one socket begin in order.
    await socket.call('svc-server_get_database_type', [hog]);
    // Starts a process while all the others start.
    await app.call('svc-server_exec_sql', [other, select]);
    for (let n = 0; n < 3; n++) {
      const { data } = await soon('exec_sql', () =>
        app.call('svc-server_exec_sql', [other, select]),
      );
      assert.equal(data, [{ n: 7 }]);
    }
    socket.close();
  });

  test.run();
}
