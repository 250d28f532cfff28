// SQL with long runs of what means nothing: the main thread reads it in time that grows with its length, not with its square.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';

const LENGTH = 2_000_000;
/** Reading a text of this length takes milliseconds; the square of it hours. */
const MOST_CPU_MS = 2_000;

const texts: readonly (readonly [name: string, text: string])[] = [
  ['blanks before two semicolons', `select 1${' '.repeat(LENGTH)};;`],
  ['line ends before two semicolons', `select 1${'\n'.repeat(LENGTH)};;`],
  ['blanks before a statement that follows', `select 1${' '.repeat(LENGTH)}; select 2`],
  [
    'blanks before and behind a semicolon',
    `${' '.repeat(LENGTH / 2)}select 1;${' '.repeat(LENGTH / 2)}x`,
  ],
  ['blanks before the second word', `create${' '.repeat(LENGTH)}nothing`],
  ['semicolons', `select 1${';'.repeat(LENGTH)}`],
  // Postgres itself takes the square of the time for these, in its own process.
  ['comments', `${'/**/'.repeat(LENGTH / 400)}select 1`],
  ['comments that are not closed', `select 1 ${'/*'.repeat(LENGTH / 400)}`],
  ['a long word', `select ${'a'.repeat(LENGTH)}`],
  ['dollars', `do ${'$'.repeat(LENGTH)}`],
];

/** Processor time of this thread, ms; of the process where Node does not tell. */
const cpu = (): number => {
  const { threadCpuUsage = process.cpuUsage } = process as {
    threadCpuUsage?: typeof process.cpuUsage;
  };
  const { user, system } = threadCpuUsage.call(process);
  return (user + system) / 1000;
};

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`long texts of SQL (${dialect})`);
  let app: TestApp;
  let holder = '';
  test.before(async () => {
    app = await bootForTest(['token', 'server-info', 'db'], {}, { dialect });
    holder = await app.token([{ scopes: ['global'], permissions: [{ svc: 'exec_sql' }] }]);
    await app.call('db_create', [app.superToken, 'long']);
  });
  test.after(() => app?.stop());

  for (const [name, text] of texts) {
    test(`${name} are read in time that grows with their number`, async () => {
      for (const [method, params] of [
        ['svc-server_exec_sql', [holder, text]],
        ['svc-server_exec_sql', [app.superToken, text]],
        ['db_exec_sql', [app.superToken, 'long', text]],
      ] as const) {
        const before = cpu();
        await app.rpc({ jsonrpc: '2.0', id: 1, method, params });
        const took = cpu() - before;
        assert.ok(took < MOST_CPU_MS, `${method}: ${Math.round(took)} ms`);
      }
    });
  }

  test.run();
}
