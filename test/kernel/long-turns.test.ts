// What holds the main thread up is named: in tests it fails them, in production it is logged and counted.
import { stat } from 'node:fs/promises';
import { definePlugin, Type } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import { type LongTurn, onLongTurn, tellsThreadTime } from '@svc/plugin-sdk/util';
import * as assert from 'uvu/assert';
import { parseMetrics, sampleValue } from '../metrics/kit.ts';
import { eventually } from '../protocol/token-kit.ts';
import { suite } from '../runner/suite.ts';

const BUSY_MS = 90;
const cpu_ms = () => {
  const { user, system } = (
    process as unknown as { threadCpuUsage(): NodeJS.CpuUsage }
  ).threadCpuUsage();
  return (user + system) / 1_000;
};
/** Works as long as a call over the budget does, by the same clock. */
const work = (ms = BUSY_MS) => {
  for (const end = cpu_ms() + ms; cpu_ms() < end; );
};
const sleep = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

const busy = definePlugin({
  name: 'busy',
  version: '1.0.0',
  namespaces: ['busy'],
  setup({ db, hooks }) {
    const look = () => db.query('schema_migrations').select('*').limit(1);
    const kinds: Record<string, () => unknown> = {
      busy_at_once: () => work(),
      busy_a_little: () => work(BUSY_MS / 30),
      busy_behind_promises: async () => {
        for (let n = 0; n < 10; n++) await null;
        work();
      },
      busy_behind_the_database: () => Promise.resolve(look()).then(() => work()),
      busy_in_slices: async () => {
        for (let n = 0; n < 6; n++) {
          work(BUSY_MS / 6);
          await new Promise((done) => setImmediate(done));
        }
      },
      busy_asleep: () => sleep(2 * BUSY_MS),
    };
    hooks.methods.tap((methods) => {
      for (const [name, run] of Object.entries(kinds))
        methods.add(name, {
          summary: 'Takes its time.',
          params: {},
          result: Type.Null(),
          access: 'public',
          handle: async () => {
            await run();
            return null;
          },
        });
    });
    hooks.routes.tap((routes) => {
      const handle = async (exchange: {
        body(): Promise<unknown>;
        text(status: number, text: string): void;
      }) => {
        await exchange.body();
        work();
        exchange.text(200, 'done');
      };
      routes.add({ path: '/busy/:name', handle });
      routes.add({
        path: '/busy-behind-a-file',
        async handle(exchange) {
          await stat(import.meta.filename);
          await db.first('select 1 as one');
          work();
          exchange.text(200, 'done');
        },
      });
    });
  },
});

const called = (method: string) => (app: TestApp) => app.call(method);
const CASES: readonly [name: string, run: (app: TestApp) => Promise<unknown>, calls: string[]][] = [
  ['a call that works at once', called('busy_at_once'), ['busy_at_once']],
  ['one behind promises', called('busy_behind_promises'), ['busy_behind_promises']],
  ['one behind the database', called('busy_behind_the_database'), ['busy_behind_the_database']],
  [
    'a route behind its body',
    (app) => app.fetch('/busy/bee', { method: 'POST', body: 'x' }),
    ['/busy/:name'],
  ],
  [
    'a route behind a file and a read',
    (app) => app.fetch('/busy-behind-a-file'),
    ['/busy-behind-a-file'],
  ],
  [
    'a batch whose entries work a little each',
    (app) =>
      app.rpc(
        Array.from({ length: 40 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'busy_a_little' })),
      ),
    [],
  ],
  ['work in slices', called('busy_in_slices'), []],
  ['a thread that sleeps', called('busy_asleep'), []],
  ['the test itself', (app) => app.call('svc-server_hello').then(() => work()), []],
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`long turns (${dialect})`);
  if (!tellsThreadTime) {
    test.skip('this Node does not tell the processor time of one thread: Node 23.9 and later do');
    test.run();
    continue;
  }
  let app: TestApp;
  let end: () => void;
  const turns: LongTurn[] = [];

  test.before(async () => {
    app = await bootForTest(
      [busy, 'token', 'metrics', 'server-info'],
      {},
      { dialect, mayHold: true },
    );
    // The first call of each method compiles.
    for (const [, run] of CASES) await run(app);
    await new Promise((done) => setImmediate(done));
    end = onLongTurn((turn) => turns.push(turn));
  });
  test.after(async () => {
    end();
    await app.stop();
  });

  for (const [name, run, calls] of CASES)
    test(`${name} is ${calls.length > 0 ? 'named' : 'no long turn'}`, async () => {
      turns.length = 0;
      await run(app);
      await new Promise((done) => setTimeout(done));
      assert.equal(
        turns.map(({ call }) => call),
        calls,
      );
      for (const turn of turns) {
        assert.ok(turn.calls.includes(turn.call));
        assert.ok(turn.cpu_ms > 50 && turn.cpu_ms < 2 * BUSY_MS, `${turn.cpu_ms} ms`);
      }
    });

  test('the log names one a minute, and metrics count all by their name', async () => {
    const told = app.records().filter(({ message }) => message === 'a call held the server up');
    assert.is(told.length, 1);
    assert.is(told[0]?.fields['call'], 'busy_at_once');
    const headers = { authorization: `Bearer ${app.superToken}` };
    const page = await (await app.fetch('/svc/metrics?only=server', { headers })).text();
    const count = (call: string) =>
      sampleValue(parseMetrics(page), 'svc_long_turns_total', { call });
    for (const [, , [call]] of CASES) if (call) assert.is(count(call), 2, call);
    assert.not.match(page, 'call="busy_in_slices"');
  });

  test('a test with such a call fails when its server stops, and is told which', async () => {
    const other = await bootForTest([busy], {}, { dialect });
    await other.call('busy_at_once');
    await eventually(() => assert.ok(turns.some(({ call }) => call === 'busy_at_once')));
    const failure = await other.stop().then(() => undefined, String);
    assert.match(failure ?? '', /turns? of the main thread took more than 50 ms .*busy_at_once/);
  });

  test.run();
}
