// `/metrics` on a listener of its own (`[metrics] listener`).
import { once } from 'node:events';
import { connect } from 'node:net';
import { bootForTest } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { freePort } from '../ports.ts';
import { A, summaryReport } from '../protocol/agent-kit.ts';
import { suite } from '../runner/suite.ts';
import { parseMetrics } from './kit.ts';

const PLUGINS = ['token', 'agent-uuid', 'agent', 'metrics'];
const test = suite('metrics: listener');

test('/metrics answers there without a credential, and nothing else does', async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const app = await bootForTest(PLUGINS, { metrics: { listener: `127.0.0.1:${port}` } });
  const status = async (path: string, init?: RequestInit) => (await fetch(url + path, init)).status;
  try {
    const report = [app.superToken, summaryReport({ time: Date.now() })];
    await app.call('agent_report_dynamic_summary', report);
    const families = parseMetrics(await (await fetch(`${url}/metrics`)).text());
    assert.ok(families.has('svc_calls'));
    assert.is(families.get('svc_agent_load1')?.samples[0]?.labels['agent'], A);
    assert.is(await status('/metrics?only=server'), 200);
    const lines = app.console.filter((line) => line.includes(`127.0.0.1:${port}/metrics`));
    assert.is(lines.length, 1, 'the log says what is open');
    const calling = {
      method: 'POST',
      body: '{"jsonrpc":"2.0","id":1,"method":"svc-server_hello"}',
    };
    assert.is(await status('/metrics', calling), 405);
    for (const path of ['/', '/svc/rpc', '/svc/metrics', '/svc/health', '/metrics/x'])
      assert.is(await status(path, calling), 404, path);
    assert.not.ok((await app.fetch('/metrics')).ok, 'the main listener has no /metrics');
    const raw = connect(port, '127.0.0.1').end('not http\r\n\r\n');
    assert.match(String((await once(raw, 'data'))[0]), /^HTTP\/1.1 400 /);
    const double = connect(port, '127.0.0.1');
    double.write('GET /metrics HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n');
    assert.match(String((await once(double, 'data'))[0]), /^HTTP\/1.1 400 /, 'two Host fields');
    double.destroy();
  } finally {
    await app.stop();
  }
  await assertRejects(fetch(`${url}/metrics`), /fetch failed/);
});

const wrong: [name: string, listener: (taken: string) => string, says: RegExp][] = [
  ['no port', () => '127.0.0.1', /'127.0.0.1' is no address such as 127.0.0.1:9464/],
  ['a host name', () => 'localhost:9464', /is no address/],
  ['a port that is taken', (taken) => `127.0.0.1:${taken}`, /cannot listen on/],
];

for (const [name, listener, says] of wrong) {
  test(`a listener with ${name} stops the start with a sentence`, async () => {
    const other = await bootForTest(['token']);
    const address = listener(new URL(other.url).port);
    try {
      await assertRejects(bootForTest(PLUGINS, { metrics: { listener: address } }), says);
    } finally {
      await other.stop();
    }
  });
}

async function assertRejects(promise: Promise<unknown>, says: RegExp): Promise<void> {
  const error = await promise.then(
    () => undefined,
    (failure: Error) => failure,
  );
  assert.match(error?.message ?? 'no error', says);
}

test.run();
