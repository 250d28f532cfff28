// proof only: 15
/** A Postgres that is gone for minutes, under a server with every plugin: what callers and the log are told. */
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { startPostgres, type TestPostgres } from '../postgres.ts';
import { dynamicReport, failure, summaryReport } from '../protocol/agent-kit.ts';
import { suite } from '../runner/suite.ts';

const test = suite('a lost Postgres (postgres)');
const MINUTES = 3;
let postgres: TestPostgres;
let app: TestApp;

test.before(async () => {
  postgres = await startPostgres({ own: true });
  const database = { database_url: await postgres.createDatabase(), acquire_timeout_ms: 2_000 };
  // The records of all calls would push the loud ones out.
  const logging = { memory_log_filter: 'warn' };
  app = await bootForTest(undefined, { database, logging }, { clock: true });
  const token = app.superToken;
  await app.call('kv_create', [token, 'shop']);
  await app.call('agent_report_dynamic', [token, dynamicReport()]);
});
test.after(async () => {
  await app?.stop();
  await postgres?.stop();
});

const loud = () =>
  app.records().filter(({ level }: { level: string }) => ['WARN', 'ERROR'].includes(level)) as {
    level: string;
    message: string;
    fields: Record<string, unknown>;
  }[];

test('a minute without the database is one line, and what fails says why', async () => {
  const token = app.superToken;
  await postgres.stop();
  const before = loud().length;
  for (let second = 0; second < MINUTES * 60; second += 5) {
    const { code, data } = await failure(app.call('kv_set_value', [token, 'shop', 'a', second]));
    assert.equal([code, data], [103, 'the database does not answer']);
    const stranger = await failure(app.call('token_get', [`k${second}:${'s'.repeat(32)}`]));
    assert.is(stranger.message, 'Database error: the database does not answer');
    const query = { fields: [], condition: [] };
    const read = await failure(app.call('agent_query_dynamic', [token, query]));
    assert.is(read.code, 103);
    // A report waits for the database; nobody waits for it here.
    void app.call('agent_report_dynamic_summary', [token, summaryReport()]).catch(() => undefined);
    await app.clock.advance(5_000);
  }
  const lines = loud().slice(before);
  const told = lines.filter(({ message }) => message.startsWith('The database does not answer'));
  assert.ok(told.length >= MINUTES - 1 && told.length <= MINUTES + 1, `${told.length} lines`);
  assert.ok(told.every(({ level }) => level === 'ERROR'));
  assert.ok(told.some(({ fields }) => /127\.0\.0\.1/.test(String(fields['reason']))));
  assert.ok(told.slice(1).every(({ fields }) => Number(fields['failures']) > 10));
  const others = lines.filter((line) => !told.includes(line)).map(({ message }) => message);
  assert.equal(
    others.filter((message) => !/^the bus is not connected/.test(message)),
    [],
  );
  assert.ok(others.length <= 1, others.join('\n'));
});

test.run();
