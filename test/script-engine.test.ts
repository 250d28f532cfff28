/** The services of script-quickjs and egress for an owner other than js-worker: neither knows a namespace. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { definePlugin } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { Egress, type EgressClient } from '../plugins/egress/src/api.ts';
import {
  type Call,
  type LogLine,
  type Outcome,
  type Sandboxes,
  ScriptEngine,
  type ScriptHost,
} from '../plugins/script-quickjs/src/api.ts';
import { suite } from './runner/suite.ts';

const test = suite('services of the sandbox and of the guard');
const LIMITS = { file: 'a.js', heap: 8_388_608, stack: 1_048_576 };
const GLOBALS = `({ define, ask, log }) => {
  define('greet', async (name) => (await ask('greet', name)).value);
  define('note', (text) => log('info', 'own', text));
  return { contextOf: ({ given }) => ({ made: given + 1 }) };
}`;

let app: TestApp;
let sandboxes: Sandboxes;
let client: EgressClient;
let lines: LogLine[] = [];
let ended = 0;

const owner = definePlugin({
  name: 'owner',
  version: '1.0.0',
  requires: [ScriptEngine, Egress],
  setup(kernel) {
    sandboxes = kernel.use(ScriptEngine).open({ threads: () => 1, globals: GLOBALS });
    const limits = { connect_ms: 60_000, idle_ms: 60_000, max_bytes: 1_000 };
    client = kernel.use(Egress).open({ allow: [], ...limits });
  },
});

const host = (): ScriptHost => ({
  functions: {
    greet: { atOnce: 1, answer: async (text) => JSON.stringify(`Hello ${JSON.parse(text)}`) },
  },
  fetch: (request) => client.request(request),
  log: (line) => void lines.push(line),
  ended: () => void ended++,
});

async function run(body: string, more: Partial<Call> = {}): Promise<Outcome> {
  const source = `export default { async go(params, env, context) { ${body} } };`;
  const sandbox = await sandboxes.compile({ ...LIMITS, source });
  const rest = { params: 'null', env: '{}', level: 0, cookies: false, limit_ms: 60_000 };
  const call = { handler: 'go', mode: 'json', context: { given: 1 }, ...rest, ...more } as const;
  const outcome = await sandbox.run(call, host());
  sandbox.dispose();
  return outcome;
}
const text = (outcome: Outcome): unknown =>
  outcome.kind === 'json' ? JSON.parse(outcome.text) : outcome;

test.before(async () => {
  app = await bootForTest(['script-quickjs', 'egress', owner]);
});
test.after(() => app.stop());

test('the owner gives functions, log and third argument', async () => {
  lines = [];
  ended = 0;
  const outcome = await run('note("seen"); return [await greet("you"), context, params.n, env]', {
    params: '{"n":1}',
    env: '{"a":2}',
  });
  assert.equal(text(outcome), ['Hello you', { made: 2 }, 1, { a: 2 }]);
  assert.equal(
    lines.map(({ level, namespace, message }) => [level, namespace, message]),
    [['info', 'own', 'seen']],
  );
  assert.is(ended, 1);
});

test('nothing of another owner is there', async () => {
  assert.equal(
    text(await run('return [typeof svc, typeof inlineCall, typeof db, typeof svcLog]')),
    ['undefined', 'undefined', 'undefined', 'undefined'],
  );
});

test('a handler of requests gives a response', async () => {
  const params = '{"url":"http://a/b","method":"GET","headers":[["x","y"]],"body":null}';
  const outcome = await run(
    'return new Response(params.url + params.headers.get("x"), { status: 201 })',
    { mode: 'request', params },
  );
  assert.is(outcome.kind === 'response' && `${outcome.status} ${outcome.body}`, '201 http://a/by');
  const wrong = await run('return 1', { mode: 'request', params });
  assert.match(wrong.kind === 'failure' ? wrong.detail : '', /go must return a Response object/);
});

test('what does not compile is said, and a loop is ended', async () => {
  const refused = await sandboxes.compile({ ...LIMITS, source: 'export default {' }).catch(String);
  assert.match(String(refused), /SyntaxError/);
  const looped = await run('for (;;);', { limit_ms: 50 });
  assert.is(looped.kind === 'failure' && looped.late, true);
});

test('fetch goes where the owner sends it, and its rules can change', async () => {
  const server = createServer((_request, response) => response.end('reached'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const ask = `try { return await (await fetch("${url}")).text() } catch (e) { return e.cause }`;
  assert.match(String(text(await run(ask))), /127\.0\.0\.1.* is a private address/);
  const limits = { connect_ms: 60_000, idle_ms: 60_000, max_bytes: 1_000 };
  client.change({ allow: ['127.0.0.1'], ...limits });
  assert.is(text(await run(ask)), 'reached');
  assert.throws(
    () => client.change({ allow: ['a b'], key: 'targets', ...limits }),
    /targets: 'a b'/,
  );
  server.closeAllConnections();
  server.close();
});

test('threads that were stopped are not started again by who comes late', async () => {
  await sandboxes.stop();
  // It would go round for ever, and the server would never end.
  sandboxes.warm();
  const late = await sandboxes.compile({ ...LIMITS, source: 'export default {}' }).catch(String);
  assert.match(String(late), /the server stops/);
});

test('an engine of another plugin takes the place of the one that js-worker brings', async () => {
  const engine = definePlugin({
    name: 'other-engine',
    version: '1.0.0',
    provides: [ScriptEngine],
    setup(kernel) {
      const nothing = { warm() {}, rest() {}, stop: async () => {} };
      const compile = () => Promise.reject(new Error('this engine compiles nothing'));
      const prepare = () => ({ run: compile, retire() {}, dispose() {} });
      kernel.provide(ScriptEngine, { open: () => ({ ...nothing, compile, prepare }) });
    },
  });
  const other = await bootForTest(['token', engine, 'js-worker']);
  const script = {
    name: 'a',
    js_script_base64: Buffer.from('export default {}').toString('base64'),
  };
  const refused = await other
    .call('js-worker_create', { token: other.superToken, ...script })
    .catch((error) => error.message);
  assert.match(String(refused), /this engine compiles nothing/);
  await other.stop();
});

test.run();
