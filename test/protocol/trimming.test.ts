// Wherever a page trims, white space is Unicode's: U+0085 counts, U+FEFF does not (the other way round than for ECMAScript).

import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import { trim } from '@svc/plugin-sdk/util';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';

const test = suite('trimming');
let app: TestApp;
test.before(async () => {
  app = await bootForTest(undefined);
});
test.after(() => app.stop());

const UUID = '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411';
const SCRIPT = 'export default { onCall: () => 1, onRoute: () => new Response("routed") };';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const failureOf = (work: Promise<unknown>): Promise<any> =>
  work.then(
    () => undefined,
    (error) => error,
  );

const BLANK = '\u0085\u2003\t \u00a0';
const worker = (over: object) => ({
  token: app.superToken,
  name: 'w',
  js_script_base64: base64(SCRIPT),
  ...over,
});
const bucket = (name: string, path: string) => [app.superToken, name, path, false, false];
const execute = (cmd: string) => [app.superToken, UUID, { execute: { cmd, args: [] } }];
const calls = (name: string) => [
  app.superToken,
  'job',
  '0 0 0 1 1 *',
  { server: { js_worker: [name, null] } },
];

// biome-ignore format: one rule per line
const rules: [what: string, method: string, params: (text: string) => unknown, code: number, message: RegExp][] = [
  ['the name of a script', 'js-worker_create', (name) => worker({ name }), 108, /name cannot be empty/],
  ['the route of a script', 'js-worker_create', (route_name) => worker({ route_name }), 108, /route_name cannot be empty/],
  ['a script', 'js-worker_create', (text) => worker({ js_script_base64: base64(text) }), 108, /js_script cannot be empty/],
  ['the name of a bucket', 'static-bucket_create', (name) => bucket(name, 'p'), 108, /name cannot be empty/],
  ['the path of a bucket', 'static-bucket_create', (path) => bucket('b', path), 108, /path cannot be empty/],
  ['a command', 'task_create_task', execute, 108, /cmd is blank/],
  ['the target of a deletion', 'token_delete', (target) => [app.superToken, target], 108, /target_token cannot be empty/],
  ['the script of a job', 'crontab_create', calls, 108, /script worker is blank/],
];
for (const [what, method, params, code, message] of rules) {
  test(`${what} made of U+0085 and other white space is blank, U+FEFF is not`, async () => {
    const blank = await failureOf(app.call(method, params(BLANK)));
    assert.is(blank?.code, code);
    assert.match(blank.message, message);
    const mark = await failureOf(app.call(method, params('\ufeff')));
    assert.not.match(mark?.message ?? '', message);
  });
}

test('names are stored and found without the white space around them', async () => {
  const padded = (name: string) => `${BLANK}${name}${BLANK}`;
  await app.call('js-worker_create', worker({ name: padded('one'), route_name: padded('way') }));
  const { name, route_name } = await app.call('js-worker_read', [app.superToken, padded('one')]);
  assert.equal([name, route_name], ['one', 'way']);
  const found = await app.fetch(`/svc/worker-route/${encodeURIComponent(padded('way'))}/`);
  assert.is(await found.text(), 'routed');
  const missed = await app.fetch(`/svc/worker-route/${encodeURIComponent('\ufeffway')}/`);
  assert.is(missed.status, 404);
  const marked = await failureOf(app.call('js-worker_read', [app.superToken, '\ufeffone']));
  assert.match(marked.message, /js_worker not found/);
});

test('what is white space for Unicode is trimmed on both sides, and nothing else', () => {
  for (let code = 0; code <= 0xffff; code++) {
    const unit = String.fromCharCode(code);
    const text = `${unit}x${unit}`;
    assert.is(trim(text), /\p{White_Space}/u.test(unit) ? 'x' : text, code.toString(16));
  }
});

test('inlineCall trims the name of the other script in the same way', async () => {
  const script = `export default {
    onInlineCall: () => 'found',
    onCall: async () => [
      await inlineCall('${BLANK}caller\u0085', null),
      await inlineCall('\ufeffcaller', null).catch((error) => error.message),
      await inlineCall('\u0085', null).catch((error) => error.message),
    ],
  };`;
  const params = worker({ name: 'caller', js_script_base64: base64(script) });
  await app.call('js-worker_create', params);
  const { id } = await app.call('js-worker_run', [app.superToken, 'caller', 'call', null]);
  const query = { condition: [{ id }] };
  let run: any;
  do [run] = await app.call('js-result_query', [app.superToken, query]);
  while (run.finish_time === null);
  assert.is(run.error_message, null);
  const [found, marked, blank] = run.result;
  assert.is(found, 'found');
  assert.match(marked, /not found/);
  assert.is(blank, 'inlineCall js_worker_name cannot be empty');
});

test('a log filter is read without the white space around its parts', async () => {
  const socket = await app.connect();
  await socket.call('svc-server_stream_log', [
    app.superToken,
    `\u0085token${BLANK}=\u0085info\u0085`,
  ]);
  await app.token([]);
  assert.is((await socket.next()).params.result.message, 'token created');
  socket.close();
});

test.run();
