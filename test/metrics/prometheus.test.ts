// `examples/metrics` in a real Prometheus: the scrape, the alerts, and every query of the dashboard.
// proof only: 9
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { has } from '../documentation-kit.ts';
import { freePort } from '../ports.ts';
import { A, B, SUMMARY_FIELDS } from '../protocol/agent-kit.ts';
import { eventually } from '../protocol/token-kit.ts';
import { suite } from '../runner/suite.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../examples/metrics');
const example = (name: string) => readFile(join(EXAMPLES, name), 'utf8');

const test = suite('metrics: Prometheus');
const missing = ['prometheus', 'promtool'].filter((program) => !has(program));
const check = (name: string, body: () => Promise<void>) => {
  if (missing.length === 0) return test(name, body);
  process.stdout.write(
    `  skipped: ${name}: ${missing.join(' and ')} not installed (Debian: prometheus)\n`,
  );
  test.skip(name, body);
};

/** Names of metrics in a query. */
const namesIn = (query: string): string[] => query.match(/\bsvc_\w+/g) ?? [];

/** A query of the dashboard as Grafana sends it, with every server and machine chosen. */
const filled = (query: string): string =>
  query.replaceAll('$__rate_interval', '1m').replace(/\$(?:instance|agent)\b/g, '.*');

let app: TestApp;
let folder: string;
let port: number;
let program: ChildProcess | undefined;

async function ask(path: string): Promise<any> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
  const { status, data, error } = (await response.json()) as any;
  if (status !== 'success') throw new Error(`${path}: ${error}`);
  return data;
}
const query = (text: string) => ask(`query?${new URLSearchParams({ query: text })}`);

test.before(async () => {
  if (missing.length > 0) return;
  folder = await mkdtemp(join(tmpdir(), 'svc-prometheus-'));
  app = await bootForTest(['token', 'admission', 'agent-uuid', 'agent', 'kv', 'metrics']);
  const values = Object.fromEntries(SUMMARY_FIELDS.map((name, at) => [name, 100 + at]));
  for (const uuid of [A, B]) {
    const report = { ...values, uuid, time: Date.now() };
    await app.call('agent_report_dynamic_summary', [app.superToken, report]);
  }
  await app.call('token_get', ['no:body']).catch(() => 'a refusal, for their counter');
  port = await freePort();
  const token = await app.token([
    {
      scopes: ['global'],
      permissions: ['metrics', 'dynamic_monitoring_summary'].map((kind) => ({ [kind]: 'read' })),
    },
    { scopes: ['global'], permissions: [{ monitoring_uuid: 'list' }] },
  ]);
  await writeFile(join(folder, 'svc-token'), token, { mode: 0o600 });
  const config = (await example('prometheus.yml'))
    .replace(/15s/g, '200ms')
    .replace('127.0.0.1:2211', new URL(app.url).host);
  await writeFile(join(folder, 'prometheus.yml'), config);
  // An agent counts as silent at once, so that its alert fires in this test.
  const rules = (await example('rules.yml'))
    .replace(/> 120$/m, '> 0')
    .replace(/^( +for:) \w+$/gm, '$1 0s');
  await writeFile(join(folder, 'rules.yml'), rules);
  const args = [
    '--config.file=prometheus.yml',
    `--web.listen-address=127.0.0.1:${port}`,
    '--storage.tsdb.path=data',
    '--log.level=error',
  ];
  program = spawn('prometheus', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
});

test.after(async () => {
  if (program && program.exitCode === null) {
    program.kill();
    await once(program, 'exit');
  }
  await app?.stop();
  if (folder) await rm(folder, { recursive: true });
});

check('the rules are sound, and fire when they say', async () => {
  for (const args of [
    ['check', 'rules', 'rules.yml'],
    ['test', 'rules', 'rules.test.yml'],
  ]) {
    const { status, stdout, stderr } = spawnSync('promtool', args, {
      cwd: EXAMPLES,
      encoding: 'utf8',
    });
    assert.is(status, 0, stdout + stderr);
  }
});

check('Prometheus takes everything that a server says', async () => {
  await eventually(async () => {
    const { activeTargets } = await ask('targets');
    assert.is(activeTargets[0]?.lastError, '');
    assert.is(activeTargets[0]?.health, 'up');
  });
  const headers = { authorization: `Bearer ${app.superToken}` };
  const text = await (await app.fetch('/svc/metrics', { headers })).text();
  const families = [...text.matchAll(/^# TYPE (\S+) \S+$/gm)].map(([, name]) => name as string);
  const known = Object.keys(await ask('metadata'));
  assert.equal(
    families.filter((name) => !known.includes(name)),
    [],
  );
  const { result } = await query('svc_agent_load1');
  assert.equal(result.map(({ metric }: any) => metric.agent).sort(), [A, B]);
});

check('an alert fires for agents that are silent', async () => {
  await eventually(async () => {
    const { alerts } = await ask('alerts');
    const silent = alerts.filter(
      ({ labels, state }: any) => labels.alertname === 'AgentSilent' && state === 'firing',
    );
    assert.equal(silent.map(({ labels }: any) => labels.agent).sort(), [A, B]);
    assert.match(silent[0].annotations.summary, /has reported nothing for/);
  });
});

check('every query of the dashboard and of the rules finds what it asks for', async () => {
  const { panels } = JSON.parse(await example('dashboard.json'));
  const queries: string[] = panels.flatMap(({ targets = [] }: any) =>
    targets.map(({ expr }: any) => expr),
  );
  const { groups } = await ask('rules');
  queries.push(...groups.flatMap(({ rules }: any) => rules.map((rule: any) => rule.query)));
  assert.ok(queries.length > 30, `${queries.length} queries`);
  const known = new Set<string>(await ask('label/__name__/values'));
  // What this server has no plugin for, or nothing has happened of.
  const absent = /^svc_(?:script|bus)_/;
  for (const text of queries) {
    await query(filled(text));
    assert.equal(
      namesIn(text).filter((name) => !known.has(name) && !absent.test(name)),
      [],
      text,
    );
  }
});

test.run();
