// `GET /svc/metrics` (plugins/metrics).
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { A, B, SUMMARY_FIELDS, summaryReport } from '../protocol/agent-kit.ts';
import { suite } from '../runner/suite.ts';
import { parseMetrics, sampleValue } from './kit.ts';

const TURNS = join(import.meta.dirname, '../security/turns-plugin.ts');
const PLUGINS = [
  'admission',
  'token',
  'agent-uuid',
  'agent',
  'agent-events',
  'kv',
  'metrics',
  TURNS,
];
/** Every member of a summary. */
const FULL = Object.fromEntries(SUMMARY_FIELDS.map((name, at) => [name, 1_000 + at]));
const list = { monitoring_uuid: 'list' };
const summary = { dynamic_monitoring_summary: 'read' };
const metrics = { metrics: 'read' };
const global = ['global'];

// biome-ignore format: one case per line
const rights: [name: string, limits: unknown[], seen: { server: boolean; agents: string[]; values: string[] } | 403][] = [
  ['the right to metrics shows the server', [{ scopes: global, permissions: [metrics] }], { server: true, agents: [], values: [] }],
  ['the right to list agents shows which there are', [{ scopes: global, permissions: [list] }], { server: false, agents: [A, B], values: [] }],
  ['with that to summaries it shows their values', [{ scopes: global, permissions: [list, summary] }], { server: false, agents: [A, B], values: [A, B] }],
  ['both for one agent show that agent', [{ scopes: [{ agent_uuid: A }], permissions: [list, summary] }], { server: false, agents: [A], values: [A] }],
  ['all of them show all', [{ scopes: global, permissions: [metrics, list, summary] }], { server: true, agents: [A, B], values: [A, B] }],
  ['the right to metrics of one agent is none', [{ scopes: [{ agent_uuid: A }], permissions: [metrics] }], 403],
  ['other rights show nothing', [{ scopes: global, permissions: [{ kv: { read: '*' } }] }], 403],
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`metrics (${dialect})`);
  let app: TestApp;
  const get = (credential = app.superToken, path = '/svc/metrics', headers = {}) =>
    app.fetch(path, { headers: { authorization: `Bearer ${credential}`, ...headers } });
  const read = async (credential?: string, path?: string) =>
    parseMetrics(await (await get(credential, path)).text());

  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect, clock: true });
    for (const uuid of [A, B]) {
      await app.call('agent_report_dynamic_summary', [
        app.superToken,
        summaryReport({ uuid, time: app.clock.now(), total_received: 2 ** 40 }),
      ]);
      await app.call('kv_create', [app.superToken, uuid]);
    }
    const set = (key: string, value: unknown) =>
      app.call('kv_set_value', [app.superToken, A, key, value]);
    await set('metadata_name', 'edge "7"\\\nä');
    await set('metadata_tags', ['rack 1', 'eu']);
  });
  test.after(() => app.stop());
  test.before.each(() => app.clock.advance(1_500));

  for (const [name, limits, seen] of rights) {
    test(name, async () => {
      const response = await get(await app.token(limits));
      if (seen === 403) {
        assert.is(response.status, 403);
        assert.match(await response.text(), /"metrics":"read"/);
        return;
      }
      assert.is(response.status, 200);
      const families = parseMetrics(await response.text());
      const agentsOf = (family: string) =>
        (families.get(family)?.samples ?? []).map(({ labels }) => labels['agent']).sort();
      assert.is(families.has('svc_calls'), seen.server);
      assert.equal(agentsOf('svc_agent_info'), seen.agents);
      assert.equal(agentsOf('svc_agent_memory_used_bytes'), seen.values);
      assert.equal(agentsOf('svc_agent_last_report_time_seconds'), seen.values);
    });
  }

  test('a request without a valid credential is asked for one', async () => {
    for (const headers of [
      {},
      { authorization: 'Bearer no:body' },
      { authorization: 'Basic bm86Ym9keQ==' },
    ]) {
      const response = await app.fetch('/svc/metrics', { headers });
      assert.is(response.status, 401);
      assert.match(response.headers.get('www-authenticate') ?? '', /^Basic realm="svc"/);
    }
  });

  test('key and secret are taken as user and password, too', async () => {
    const basic = Buffer.from(app.superToken).toString('base64');
    const response = await app.fetch('/svc/metrics', {
      headers: { authorization: `Basic ${basic}` },
    });
    assert.is(response.status, 200);
    assert.is(
      response.headers.get('content-type'),
      'application/openmetrics-text; version=1.0.0; charset=utf-8',
    );
    assert.is(response.headers.get('cache-control'), 'no-store');
  });

  test('calls are counted by method and outcome, with the time they took', async () => {
    const before = await read();
    const countOf = (families: typeof before, outcome: string) =>
      sampleValue(families, 'svc_calls_total', { method: 'kv_get_value', outcome }) ?? 0;
    await app.call('kv_get_value', [app.superToken, A, 'metadata_tags']);
    await app.call('kv_get_value', [app.superToken, 'absent', 'x']).catch(() => undefined);
    await app.call('no_such_method', []).catch(() => undefined);
    await app.clock.advance(1_500);
    const after = await read();
    const failures = after
      .get('svc_calls')
      ?.samples.filter(
        ({ labels }) => labels['method'] === 'kv_get_value' && labels['outcome'] !== 'ok',
      );
    assert.is(countOf(after, 'ok'), countOf(before, 'ok') + 1);
    assert.is(failures?.length, 1);
    assert.is(failures?.[0]?.value, 1);
    const duration = (suffix: string, le?: string) =>
      sampleValue(after, `svc_call_duration_seconds_${suffix}`, {
        method: 'kv_get_value',
        ...(le ? { le } : {}),
      });
    assert.is(duration('count'), countOf(after, 'ok') + 1);
    assert.is(duration('bucket', '+Inf'), duration('count'));
    assert.ok((duration('sum') ?? 0) > 0);
    assert.not.ok(
      JSON.stringify([...after]).includes('no_such_method'),
      'names that callers make up are no labels',
    );
  });

  test('values come in the units of their names, with names and tags as people wrote them', async () => {
    const families = await read();
    const value = (name: string, agent = A) =>
      sampleValue(families, `svc_agent_${name}`, { agent });
    assert.is(value('cpu_usage_ratio'), 0.172);
    assert.is(value('load1'), 0.3);
    assert.is(value('memory_used_bytes'), 2 ** 30);
    assert.is(value('network_received_bytes_total'), 2 ** 40);
    assert.is(value('uptime_seconds'), 100_001);
    assert.is(value('gpu_usage_ratio'), undefined, 'what was not reported is absent');
    const labels = families
      .get('svc_agent_load1')
      ?.samples.find(({ labels }) => labels['agent'] === A)?.labels;
    assert.equal(labels, { agent: A, name: 'edge "7"\\\nä' });
    const info = families
      .get('svc_agent_info')
      ?.samples.find(({ labels }) => labels['agent'] === A);
    assert.is(info?.labels['tags'], ',rack 1,eu,');
  });

  test('one part is answered where only one is asked for', async () => {
    const server = await read(undefined, '/svc/metrics?only=server');
    assert.ok(server.has('svc_calls') && !server.has('svc_agent_info'));
    const agents = await read(undefined, '/svc/metrics?only=agents');
    assert.ok(!agents.has('svc_calls') && agents.has('svc_agent_info'));
    assert.is((await get(undefined, '/svc/metrics?only=x')).status, 400);
    assert.is((await app.fetch('/svc/metrics', { method: 'POST' })).status, 405);
  });

  test('reports are counted with their batches, and what waits', async () => {
    const families = await read();
    const summary = (name: string) => sampleValue(families, `svc_${name}`, { kind: 'summary' });
    assert.is(summary('report_queue'), 0);
    assert.is(summary('reports_stored_total'), 2);
    assert.is(summary('reports_refused_total'), 0);
    const batches = summary('report_batches_total') ?? 0;
    assert.ok(batches >= 1 && batches <= 2, `${batches} batches`);
    assert.ok((summary('report_commit_seconds_total') ?? 0) > 0);
    assert.is(sampleValue(families, 'svc_reports_stored_total', { kind: 'dynamic' }), 0);
  });

  test('refusals, memory, sockets and the delay of the event loop are there', async () => {
    await read();
    await app.clock.advance(1_500);
    const families = await read();
    const refused = families.get('svc_refusals')?.samples ?? [];
    assert.ok(refused.some(({ labels }) => labels['address_class'] === 'loopback'));
    for (const name of [
      'svc_resident_memory_bytes',
      'svc_sockets_limit',
      'svc_cpu_seconds_total',
      'svc_loop_delay_seconds_count',
    ])
      assert.ok((sampleValue(families, name) ?? 0) > 0, name);
  });

  test('it is sent compressed to those that can read it', async () => {
    const { hostname, port } = new URL(app.url);
    const { request } = await import('node:http');
    const headers = { authorization: `Bearer ${app.superToken}`, 'accept-encoding': 'gzip' };
    const bytes = await new Promise<Buffer>((resolve, reject) => {
      request({ hostname, port, path: '/svc/metrics', headers }, async (response) => {
        assert.is(response.headers['content-encoding'], 'gzip');
        resolve(Buffer.concat(await response.toArray()));
      })
        .on('error', reject)
        .end();
    });
    assert.ok(parseMetrics(gunzipSync(bytes).toString()).has('svc_agent_info'));
  });

  test('an agent that is silent for long has no values, and the time of its last report', async () => {
    const heard = app.clock.now();
    await app.clock.advance(400_000);
    await app.call('agent_report_dynamic_summary', [
      app.superToken,
      summaryReport({ uuid: B, time: app.clock.now() }),
    ]);
    const families = await read();
    assert.is(sampleValue(families, 'svc_agent_load1', { agent: A }), undefined);
    assert.is(sampleValue(families, 'svc_agent_load1', { agent: B }), 0.3);
    const last = sampleValue(families, 'svc_agent_last_report_time_seconds', { agent: A }) ?? 0;
    assert.ok(last > 0 && last * 1_000 < heard);
  });

  if (dialect === 'sqlite')
    test('a thousand agents are read within 100 ms and 5 MB, in turns below 20 ms', async () => {
      await enrol(app, 1_000);
      const plain = () => get(undefined, '/svc/metrics', { 'accept-encoding': 'identity' });
      const body = await (await plain()).text();
      assert.is(parseMetrics(body).get('svc_agent_load1')?.samples.length, 1_001);
      assert.ok(Buffer.byteLength(body) < 5e6, `${Buffer.byteLength(body)} bytes`);
      const times: number[] = [];
      const turns: number[] = [];
      for (let round = 0; round < 3; round++) {
        await app.clock.advance(1_500);
        const begun = cpu_ms();
        await plain();
        times.push(cpu_ms() - begun);
        await app.clock.advance(1_500);
        await app.call('turns_begin');
        await plain();
        turns.push((await app.call('turns_end')).longest_ms);
      }
      assert.ok(Math.min(...times) < 100, `${times} ms`);
      assert.ok(Math.min(...turns) < 20, `${turns} ms`);
    });

  test.run();
}

/** Processor time of the server and the reader: other programs do not count. Node 22 knows only that of all threads. */
function cpu_ms(): number {
  const { threadCpuUsage } = process as { threadCpuUsage?: typeof process.cpuUsage };
  const { user, system } = (threadCpuUsage ?? process.cpuUsage)();
  return (user + system) / 1_000;
}

/** Agents with names that have reported every member of a summary. */
async function enrol(app: TestApp, count: number): Promise<void> {
  const { superToken: token } = app;
  const time = app.clock.now();
  const calls = Array.from({ length: count }, (_, at) => {
    const uuid = `${String(at).padStart(8, '0')}-7a35-4d0e-9c1b-52d3a8e0f411`;
    return [
      ['agent_report_dynamic_summary', [token, { ...FULL, uuid, time }]],
      ['kv_create', [token, uuid]],
      ['kv_set_value', [token, uuid, 'metadata_name', `machine ${at}`]],
    ].map(([method, params]) => ({ jsonrpc: '2.0', id: at, method, params }));
  });
  for (let from = 0; from < count; from += 100)
    await Promise.all(calls.slice(from, from + 100).map((batch) => app.rpc(batch)));
}
