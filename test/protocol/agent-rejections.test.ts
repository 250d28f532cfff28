// monitoring-data.md §4: an operator sees whose reports are rejected.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import {
  A,
  B,
  callText,
  dynamicReport,
  failure,
  PLUGINS,
  staticReport,
  summaryReport,
  withLiteral,
} from './agent-kit.ts';

const MINUTE_MS = 60_000;
const MESSAGE = 'reports were rejected';

const test = suite('agent: rejected reports');
let app: TestApp;

test.before(async () => {
  const logging = { memory_log_capacity: 5_000 };
  app = await bootForTest(PLUGINS, { logging }, { clock: true });
});
test.after(() => app.stop());

const logged = () =>
  app
    .records()
    .filter(({ message }: { message: string }) => message === MESSAGE)
    .map(({ level, fields }: any) => ({ level, ...fields }));
const minute = () => app.clock.advance(MINUTE_MS);
const refused = (token: string, over: Record<string, unknown> = {}) =>
  failure(app.call('agent_report_dynamic_summary', [token, summaryReport(over)]));

test('a refused report is logged at once, with address, agent and reason, then once a minute with what is new', async () => {
  const notFinite = withLiteral(dynamicReport({ uuid: A }), 'load.one', 'null');
  const params = `["${app.superToken}",${notFinite}]`;
  for (let sent = 0; sent < 3; sent++) await callText(app, 'agent_report_dynamic', params);
  assert.equal(logged().length, 1);
  const { reason, ...first } = logged()[0];
  assert.match(reason, /^Invalid params: .*load/);
  assert.equal(first, {
    level: 'WARN',
    address: '127.0.0.1',
    agent_uuid: A,
    method: 'agent_report_dynamic',
    since_last: 1,
    rejected: 1,
  });
  await minute();
  assert.equal([logged().length, logged()[1].since_last, logged()[1].rejected], [2, 2, 3]);
  await minute();
  assert.is(logged().length, 2, 'nothing new, nothing logged');
  await callText(app, 'agent_report_dynamic', params);
  assert.equal([logged().length, logged()[2].since_last, logged()[2].rejected], [3, 1, 4]);
});

test('a wrong token is told with the agents that send it, and no part of it', async () => {
  await minute();
  await minute();
  const before = logged().length;
  await refused('wrong-key:wrong-secret', { uuid: A });
  const named = { token: 'wrong-key:wrong-secret', data: summaryReport({ uuid: B }) };
  for (const params of [named, ['wrong-key:wrong-secret', summaryReport({ uuid: 'no uuid' })]]) {
    await failure(app.call('agent_report_dynamic_summary', params));
  }
  await minute();
  const [first, second] = logged().slice(before);
  assert.equal([first.agent_uuid, first.token_key], [A, undefined]);
  assert.is(first.reason, 'Permission denied: Invalid credentials');
  assert.equal([second.agent_uuid, second.since_last], [`${B}, unknown`, 2]);
  assert.not.match(JSON.stringify(logged()), /wrong-key|wrong-secret/);
});

test('a token that lacks the right is named by its key, never by its secret', async () => {
  await minute();
  await minute();
  const token = await app.token([]);
  await refused(token);
  const [key, secret] = token.split(':') as [string, string];
  assert.is(logged().at(-1).token_key, key);
  assert.match(logged().at(-1).reason, /^Permission denied: /);
  assert.not.ok(JSON.stringify(logged()).includes(secret));
});

test('reports that the database cannot store are counted as well, with their agents', async () => {
  await minute();
  await minute();
  const tables = ['static_monitoring', 'dynamic_monitoring_summary'];
  for (const table of tables) await app.sql(`alter table ${table} rename to away_${table}`);
  const params = { static_monitoring_data: staticReport() };
  const failed = [
    await failure(app.call('agent_report_static', { token: app.superToken, ...params })),
    await failure(app.call('agent_report_dynamic_summary', [app.superToken, summaryReport()])),
  ];
  for (const table of tables) await app.sql(`alter table away_${table} rename to ${table}`);
  assert.equal(
    failed.map(({ code }) => code),
    [103, 103],
  );
  await minute();
  const [first, second] = logged().slice(-2);
  assert.match(first.reason, /^Database error: /);
  assert.equal(
    [first, second].map(({ agent_uuid, since_last }) => [agent_uuid, since_last]),
    [
      [A, 1],
      [A, 1],
    ],
  );
});

test('a report that cannot be stored as it is names its agent', async () => {
  await minute();
  await minute();
  const time = 2n ** 63n;
  for (const [name, report] of [
    ['static_monitoring_data', staticReport({ uuid: B })],
    ['data', summaryReport({ uuid: A })],
  ] as const) {
    const method = name === 'data' ? 'agent_report_dynamic_summary' : 'agent_report_static';
    const text = withLiteral(report, 'time', String(time));
    const answer = await callText(app, method, `{"token":"${app.superToken}","${name}":${text}}`);
    assert.is(JSON.parse(answer).error?.code, 108);
  }
  await minute();
  const [first, second] = logged().slice(-2);
  assert.equal([first.agent_uuid, second.agent_uuid], [B, A]);
});

test('the log of calls says nothing of refused reports', () => {
  const lines = app.records().filter(({ message }: any) => message === 'request failed');
  assert.equal(
    lines.filter(({ fields }: any) => /^agent_report_/.test(fields.method)),
    [],
  );
});

test('accepted reports are not counted', async () => {
  const before = logged().length;
  await app.call('agent_report_dynamic', [app.superToken, dynamicReport()]);
  await minute();
  assert.is(logged().length, before);
});

test.run();
