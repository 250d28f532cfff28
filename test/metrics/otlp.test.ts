// Metrics and spans that are sent to an OpenTelemetry collector (`[metrics] otlp_url`).
// proof only: 9
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { registerHooks } from 'node:module';
import type { AddressInfo } from 'node:net';
import { bootForTest } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';

const PLUGINS = ['token', 'admission', 'egress', 'kv', 'metrics'];
const test = suite('metrics: OTLP');

interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** A collector that keeps what comes. */
async function collector(
  answer: (response: ServerResponse) => void = (response) => response.end('{}'),
) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    received.push({ path: request.url ?? '', headers: request.headers, body });
    answer(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    at: (path: string) => received.filter((one) => one.path === path),
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const attributesOf = (list: readonly any[]): Record<string, unknown> =>
  Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]));

test('without an address no package of OpenTelemetry is loaded', async () => {
  const loaded: string[] = [];
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      loaded.push(specifier);
      return next(specifier, context);
    },
  });
  const app = await bootForTest(PLUGINS);
  try {
    await app.call('kv_create', [app.superToken, 'n']);
  } finally {
    await app.stop();
    hooks.deregister();
  }
  assert.ok(
    loaded.some((name) => name.includes('metrics')),
    'the loads are seen',
  );
  assert.equal(
    loaded.filter((name) => /opentelemetry|otlp\/push/.test(name)),
    [],
  );
});

test('a collector gets the metrics and the spans of the calls, the last ones at the stop', async () => {
  const target = await collector();
  const app = await bootForTest(PLUGINS, {
    metrics: {
      otlp_url: `${target.url}/otel/`,
      otlp_encoding: 'json',
      otlp_headers: ['x-key: a: b'],
      otlp_interval_s: 3600,
      otlp_traces: 1,
    },
  });
  try {
    await app.call('kv_create', [app.superToken, 'n']);
    await app.call('kv_get_value', [app.superToken, 'gone', 'x']).catch(() => undefined);
    assert.equal(target.received, [], 'nothing leaves before its time');
    await app.stop();

    const [metrics] = target.at('/otel/v1/metrics');
    assert.is(metrics?.headers['content-type'], 'application/json');
    assert.is(metrics?.headers['x-key'], 'a: b');
    const { resourceMetrics } = JSON.parse(String(metrics?.body));
    const about = attributesOf(resourceMetrics[0].resource.attributes);
    assert.is(about['service.name'], 'svc-server');
    const all: any[] = resourceMetrics[0].scopeMetrics.flatMap((scope: any) => scope.metrics);
    const metric = (name: string) => all.find((one) => one.name === name);
    const point = metric('svc_calls').sum.dataPoints.find((one: any) => {
      const { method, outcome } = attributesOf(one.attributes);
      return method === 'kv_create' && outcome === 'ok';
    });
    assert.is(point.asDouble, 1);
    assert.is(metric('svc_calls').sum.isMonotonic, true);
    assert.is(metric('svc_resident_memory_bytes').unit, 'By');
    const [time] = metric('svc_call_duration_seconds').histogram.dataPoints;
    assert.is(time.bucketCounts.length, time.explicitBounds.length + 1);

    const spans: any[] = target
      .at('/otel/v1/traces')
      .flatMap(({ body }) => JSON.parse(String(body)).resourceSpans)
      .flatMap(({ scopeSpans }: any) => scopeSpans.flatMap((scope: any) => scope.spans));
    const span = (name: string) => spans.find((one) => one.name === name);
    assert.is(attributesOf(span('kv_create').attributes)['rpc.method'], 'kv_create');
    assert.is(span('kv_create').kind, 2);
    assert.ok(
      BigInt(span('kv_create').endTimeUnixNano) >= BigInt(span('kv_create').startTimeUnixNano),
    );
    assert.is(span('kv_get_value').status.code, 2);
    assert.not.ok(
      target.received.some(({ body }) => body.includes(app.superToken)),
      'no credential leaves',
    );
  } finally {
    await app.stop();
    target.stop();
  }
});

test('metrics are sent again and again, as protobuf where nothing else is said; without a part of calls no spans', async () => {
  const target = await collector();
  const app = await bootForTest(PLUGINS, {
    metrics: { otlp_url: target.url, otlp_interval_s: 1, otlp_traces: 0 },
  });
  try {
    while (target.received.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    const [{ headers, body }] = target.received as [Received];
    assert.is(headers['content-type'], 'application/x-protobuf');
    assert.ok(body.includes('svc_resident_memory_bytes'));
  } finally {
    await app.stop();
  }
  assert.equal(target.at('/v1/traces'), []);
  target.stop();
});

// biome-ignore format: one case per line
const failures: [name: string, answer: (response: ServerResponse) => void, says: RegExp][] = [
  ['refuses', (response) => response.writeHead(503).end(), /the collector answers 503/],
  ['sends elsewhere', (response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(), /redirect|Failed to fetch/],
  ['never answers', () => undefined, /the server stops|aborted/],
];

for (const [name, answer, says] of failures) {
  test(`a collector that ${name} holds up nothing, and the log says so once`, async () => {
    const target = await collector(answer);
    const app = await bootForTest(PLUGINS, {
      metrics: { otlp_url: target.url, otlp_interval_s: 3600, otlp_traces: 1 },
    });
    for (let at = 0; at < 50; at++) await app.call('kv_create', [app.superToken, `n${at}`]);
    const begun = performance.now();
    await app.stop();
    assert.ok(performance.now() - begun < 8_000, 'a stop waits for two seconds');
    assert.is(target.received.length, 2, 'one request for metrics, one for spans');
    const lines = app.console.filter((line) => line.includes('metrics could not be sent'));
    assert.is(lines.length, 1);
    assert.match(lines[0] as string, says);
    target.stop();
  });
}

test('an address for which the plugin that sends requests is missing stops the start', async () => {
  const plugins = ['token', 'metrics'];
  const error = await bootForTest(plugins, {
    metrics: { otlp_url: 'http://127.0.0.1:4318' },
  }).catch((failure) => failure);
  assert.match(error.message, /\[metrics\] otlp_url: add 'egress' to the list of plugins/);
});

test.run();
