// proof only: 5
/** examples/agent as its README starts it, against a server that goes away and comes back. */
import { type ChildProcess, spawn } from 'node:child_process';
import * as os from 'node:os';
import { resolve } from 'node:path';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { until } from './agent-program-process.ts';
import { freePort } from './ports.ts';
import { suite } from './runner/suite.ts';

const AGENT = '3f0c7d52-1f0e-4b53-8d55-0d1c6a0f7a11';
const program = resolve(import.meta.dirname, '../examples/agent/agent.mjs');
const rights = [
  { scopes: [{ agent_uuid: AGENT }], permissions: [{ dynamic_monitoring_summary: 'write' }] },
];

const test = suite('example agent');
let app: TestApp;
let agent: ChildProcess | undefined;
let output = '';

test.before(async () => {
  // A port of its own, so that the server has the same address after its restart.
  const ws_listener = `127.0.0.1:${await freePort()}`;
  app = await bootForTest(['token', 'server-info', 'agent', 'agent-uuid'], { ws_listener });
});
test.after(async () => {
  agent?.kill();
  await app?.stop();
});

function start(environment: Record<string, string>): Promise<number | null> {
  agent = spawn(process.execPath, [program], { env: { ...process.env, ...environment } });
  output = '';
  for (const stream of [agent.stdout, agent.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const started = agent;
  return new Promise((done) => started.once('close', done));
}

const says = (words: RegExp) =>
  until(
    `${words}`,
    async () => output,
    (text) => words.test(text),
  );
const summaries = async (): Promise<any[]> => {
  const fields = ['cpu_usage', 'load_one', 'total_memory', 'total_space', 'uptime'];
  const query = { fields, condition: [{ uuid: AGENT }] };
  return await app.call('agent_query_dynamic_summary', [app.superToken, query]).catch((error) => {
    // The server knows an agent from its first report on.
    if (error.code !== 105) throw error;
    return [];
  });
};
const environment = async () => ({
  SVC_URL: `${app.url.replace('http', 'ws')}/svc/rpc`,
  SVC_TOKEN: await app.token(rights),
  SVC_AGENT_UUID: AGENT,
});

test('says what to set when it is started without', async () => {
  assert.is(await start({}), 2);
  assert.is(output, 'Set SVC_URL, SVC_TOKEN and SVC_AGENT_UUID; SVC_SERVER_UUID if you like.\n');
});

test('reports to no server but the one that is meant', async () => {
  const ended = start({ ...(await environment()), SVC_SERVER_UUID: AGENT });
  await says(/this is not the server that was expected: .*"result"/);
  await says(/no connection \(1\d+\), next attempt in (8|9|10|11|12)\d\d ms/);
  assert.equal(await summaries(), []);
  agent?.kill();
  await ended;
});

test('brings a summary of this machine every second', async () => {
  void start(await environment());
  const rows = await until('three summaries', summaries, (found) => found.length >= 3);
  for (const row of rows) {
    assert.ok(row.cpu_usage >= 0 && row.cpu_usage <= 100, `cpu_usage ${row.cpu_usage}`);
    assert.is(row.total_memory, os.totalmem());
    assert.ok(row.total_space > 0 && row.load_one >= 0);
    assert.ok(Math.abs(row.uptime - os.uptime()) < 60);
  }
  assert.match(output, /connected to server [0-9a-f-]{36}\n/);
  assert.not.match(output, 'the server answered');
});

test('comes back after a restart of the server', async () => {
  const before = (await summaries()).length;
  await app.restart();
  await says(/no connection \(\d+\), next attempt in 3000 ms/);
  await until('new summaries', summaries, (found) => found.length >= before + 2);
});

test.run();
