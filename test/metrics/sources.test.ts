// What other plugins tell `/svc/metrics`: scripts, and the bus between servers.
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { A, summaryReport } from '../protocol/agent-kit.ts';
import { module, scriptServer } from '../protocol/js-worker-kit.ts';
import { eventually } from '../protocol/token-kit.ts';
import { suite } from '../runner/suite.ts';
import { sharedServers } from '../shared-servers.ts';
import { type Family, parseMetrics, sampleValue } from './kit.ts';

const test = suite('metrics: sources');

async function read(app: TestApp): Promise<Map<string, Family>> {
  const headers = { authorization: `Bearer ${app.superToken}` };
  const response = await app.fetch('/svc/metrics?only=server', { headers });
  return parseMetrics(await response.text());
}

test('runs of scripts are counted by handler and outcome', async () => {
  const { app, create, run } = await scriptServer({}, { plugins: ['metrics'] });
  try {
    await create(
      'w',
      module(`async onCall(params) { if (params.fail) throw new Error('no'); return 1; }`),
    );
    for (const fail of [false, false, true]) await run('w', { fail });
    const families = await read(app);
    const value = (name: string, labels = {}) =>
      sampleValue(families, `svc_script_${name}`, { handler: 'onCall', ...labels });
    assert.is(value('runs_total', { outcome: 'ok' }), 2);
    assert.is(value('runs_total', { outcome: 'failed' }), 1);
    assert.is(value('runs_total', { outcome: 'late' }), 0);
    assert.is(value('run_seconds_count'), 3);
    assert.is(sampleValue(families, 'svc_script_running'), 0);
  } finally {
    await app.stop();
  }
});

test('servers on one database count what they say to each other', async () => {
  const servers = await sharedServers(2, [
    'token',
    'bus-postgres',
    'agent-uuid',
    'agent',
    'metrics',
  ]);
  try {
    const [one, other] = servers.apps as [TestApp, TestApp];
    const report = [servers.superToken, summaryReport({ time: Date.now() })];
    await one.call('agent_report_dynamic_summary', report);
    // The other server has heard of the agent, over the bus.
    await eventually(() =>
      other.call('agent_dynamic_summary_multi_last_query', [servers.superToken, [A], []]),
    );
    const families = [await read(one), await read(other)];
    const values = (name: string, labels = {}) =>
      families.map((family) => sampleValue(family, `svc_bus_${name}`, labels) ?? 0);
    assert.equal(values('connected'), [1, 1]);
    assert.equal(values('servers'), [1, 1]);
    assert.ok((values('messages_total', { direction: 'sent' })[0] ?? 0) > 0);
    assert.ok((values('messages_total', { direction: 'received' })[1] ?? 0) > 0);
    assert.equal(values('gaps_total'), [0, 0]);
  } finally {
    await servers.stop();
  }
});

test.run();
