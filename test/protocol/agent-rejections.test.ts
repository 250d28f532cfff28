// monitoring-data.md §4, "Do better": an operator sees whose reports are rejected.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  A,
  callText,
  dynamicReport,
  failure,
  PLUGINS,
  summaryReport,
  withLiteral,
} from './agent-kit.ts';

const MINUTE_MS = 60_000;
const MESSAGE = 'reports were rejected';

const test = suite('agent: rejected reports');
let app: TestApp;

test.before(async () => {
  app = await bootForTest(PLUGINS, {}, { clock: true });
});
test.after(() => app.stop());

const logged = () =>
  app
    .records()
    .filter(({ message }: { message: string }) => message === MESSAGE)
    .map(({ level, fields }: any) => [level, fields.counter, fields.since_last, fields.rejected]);

test('rejected reports are counted and logged once a minute, with what is new', async () => {
  const notFinite = withLiteral(dynamicReport({ uuid: A }), 'load.one', 'null');
  const params = `["${app.superToken}",${notFinite}]`;
  for (let sent = 0; sent < 3; sent++) await callText(app, 'agent_report_dynamic', params);
  assert.equal(logged(), []);
  await app.clock.advance(MINUTE_MS);
  const first = logged();
  assert.is(first.length, 1);
  assert.equal([first[0]![0], first[0]![2], first[0]![3]], ['WARN', 3, 3]);
  assert.match(first[0]![1], 'agent_report_dynamic');
  await app.clock.advance(MINUTE_MS);
  assert.is(logged().length, 1, 'nothing new, nothing logged');
  await callText(app, 'agent_report_dynamic', params);
  await app.clock.advance(MINUTE_MS);
  assert.equal(logged()[1]!.slice(2), [1, 4]);
});

test('the counter of a refused report names the credential, never its secret', async () => {
  const token = await app.token([]);
  await failure(app.call('agent_report_dynamic_summary', [token, summaryReport()]));
  await app.clock.advance(MINUTE_MS);
  const [key, secret] = token.split(':') as [string, string];
  const counters = logged().map((entry: unknown[]) => entry[1] as string);
  assert.ok(counters.some((counter: string) => counter.includes(key) && counter.includes('102')));
  assert.not.ok(counters.some((counter: string) => counter.includes(secret)));
});

test('accepted reports are not counted', async () => {
  const before = logged().length;
  await app.call('agent_report_dynamic', [app.superToken, dynamicReport()]);
  await app.clock.advance(MINUTE_MS);
  assert.is(logged().length, before);
});

test.run();
