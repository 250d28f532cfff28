// proof: 40
// js-runtime.md §3, §4, §7; worker-route.md §4: calls of the server, of other workers, and what a route answers.

import { fails, gives, hostile, NO_RESPONSE, type Row } from './js-hostile-kit.ts';
import { base64, module, onCall, onRoute } from './js-worker-kit.ts';

const FAILURE = 'Route worker execution failed: see the log';
const answers = (
  name: string,
  body: string,
  expected: Row['expected'],
  more: Partial<Row> = {},
): Row => ({ name, script: onRoute(body), expected, how: 'http', ...more });
const fails500 = (name: string, body: string): Row =>
  answers(name, body, { status: 500, body: FAILURE });

const routes: readonly Row[] = [
  ...[
    'null',
    'undefined',
    '5',
    '"text"',
    '{}',
    '[]',
    '{ status: 200, body: "x" }',
    'new Request("http://a/")',
    'Object.create(Response.prototype)',
    'new Proxy(new Response("x"), {})',
    'Response',
    '() => new Response("x")',
    'Symbol()',
    '1n',
    'Response.error()',
  ].map((value) => fails500(`${value} is no answer`, `return ${value}`)),
  ...[
    '0',
    '99',
    '100',
    '101',
    '199',
    '600',
    '999',
    '-200',
    'NaN',
    'Infinity',
    '"abc"',
    '{}',
    '2 ** 32 + 200',
    'Symbol()',
    '200n',
  ].map((status) =>
    gives(
      `status ${status} is refused`,
      onCall(
        `try { return new Response('', { status: ${status} }).status } catch (e) { return e.name }`,
      ),
      status === 'Symbol()' || status === '200n' ? 'x' : 'RangeError',
      status === 'Symbol()'
        ? { expected: { value: 'TypeError' } }
        : status === '200n'
          ? { expected: { either: [{ value: 200 }, { value: 'TypeError' }] } }
          : {},
    ),
  ),
  ...[
    '"a\\r\\nb"',
    '"a\\nb"',
    '"a b"',
    '""',
    '"a:b"',
    '"ä"',
    '"a\\0"',
    '"\\ud800"',
    '"__proto__ "',
  ].map((name) =>
    gives(
      `header name ${name} is refused`,
      onCall(
        `try { new Response('', { headers: [[${name}, 'x']] }); return 'taken' } catch (e) { return e.name }`,
      ),
      'TypeError',
    ),
  ),
  ...['"a\\r\\nset-cookie: b"', '"a\\nb"', '"a\\0b"', '"\\u0100"', '"\\ud800"'].map((value) =>
    gives(
      `header value ${value} is refused`,
      onCall(
        `try { new Headers().set('etag', ${value}); return 'taken' } catch (e) { return e.name }`,
      ),
      'TypeError',
    ),
  ),
  answers(
    'forbidden headers are left out',
    `return new Response('x', { headers: { 'set-cookie': 'a=b', location: '/', connection: 'close', 'transfer-encoding': 'chunked', upgrade: 'h2c', 'content-length': '9999', date: 'x', 'x-more': '1', etag: '"1"' } })`,
    {
      status: 200,
      body: 'x',
      absent: ['set-cookie', 'location', 'transfer-encoding', 'upgrade', 'x-more'],
    },
  ),
  answers(
    'header values beyond ASCII are left out',
    `return new Response('x', { headers: { etag: '\\xff', 'cache-control': 'no-store' } })`,
    { status: 200, absent: ['etag'] },
  ),
  answers(
    'headers of __proto__ and constructor change nothing',
    `return new Response('x', { headers: [['__proto__', 'a'], ['constructor', 'b'], ['toString', 'c']] })`,
    { status: 200, body: 'x', absent: ['constructor', 'tostring'] },
  ),
  answers(
    'a huge header ends the answer, not the server',
    `return new Response('x', { headers: { etag: 'x'.repeat(10000) } })`,
    { status: 200, body: 'x' },
  ),
  answers(
    'a Response whose getters lie',
    `const r = new Response('real'); Object.defineProperty(r, 'status', { get: () => 999 }); return r`,
    { status: 500, body: FAILURE },
  ),
  fails500(
    'a Response whose status getter throws',
    `const r = new Response('x'); Object.defineProperty(r, 'status', { get() { throw 1 } }); return r`,
  ),
  fails500(
    'a Response whose headers are something else',
    `const r = new Response('x'); Object.defineProperty(r, 'headers', { value: { a: 1 } }); return r`,
  ),
  fails500('a body that was read', `const r = new Response('x'); await r.text(); return r`),
  fails500(
    'a body that is locked',
    `const r = new Response(new ReadableStream({})); r.body.getReader(); return r`,
  ),
  fails500(
    'a stream that fails',
    `return new Response(new ReadableStream({ pull() { throw new Error('secret') } }))`,
  ),
  fails500(
    'a stream of text',
    `return new Response(new ReadableStream({ start(c) { c.enqueue('text'); c.close() } }))`,
  ),
  fails500(
    'a stream of odd values',
    `return new Response(new ReadableStream({ start(c) { c.enqueue(null); c.close() } }))`,
  ),
  answers('a body of any kind is text', `return new Response({ toString: () => 'mine' })`, {
    status: 200,
    body: 'mine',
  }),
  fails500(
    'a body whose toString throws',
    `return new Response({ toString() { throw new Error('x') } })`,
  ),
  answers('U+0000 and halves of characters in a body', `return new Response('a\\0b\\ud800c')`, {
    status: 200,
    body: 'a\0b�c',
  }),
  answers('a large body', `return new Response('x'.repeat(1000000))`, {
    status: 200,
    body: /^x{1000000}$/,
  }),
  answers('a thenable answer', `return { then: (done) => done(new Response('late')) }`, {
    status: 200,
    body: 'late',
  }),
  fails500('an error text is not shown', `throw new Error('secret of the script')`),
  fails('the runner tells what a route returned', onRoute('return 5'), NO_RESPONSE, {
    how: 'route',
  }),
];

const token = 'no-such-token:secret';
const NONE = '102 Permission denied: Invalid credentials';
const code = (call: string) =>
  onCall(`const r = await ${call}; return r.error ? r.error.code : 'allowed'`);
const calls: readonly Row[] = [
  ...[
    'js-worker_create',
    'js-worker_update',
    'js-worker_delete',
    'js-worker_run',
    'js-worker_read',
    'js-worker_list_all_js_worker',
    'js-result_query',
    'js-result_delete',
    'kv_create',
    'kv_get_value',
    'db_create',
    'db_list',
    'svc-server_exec_sql',
    'svc-server_read_config',
    'svc-server_edit_config',
    'svc-server_log',
    'token_create',
    'token_list_all_tokens',
  ].flatMap((method) => [
    gives(
      `${method} without a token is refused`,
      onCall(`const r = await svc('${method}', {}); return typeof r.error?.code`),
      'number',
    ),
    gives(
      `${method} with a wrong token is refused`,
      onCall(
        `const r = await svc('${method}', { token: '${token}', name: 'w', namespace: 'n', key: 'k', sql: 'select 1', params: null, query: { condition: [] }, js_script_name: 'w', js_script_base64: 'YQ==', config_string: '' }); return typeof r.error?.code`,
      ),
      'number',
    ),
  ]),
  gives(
    'a worker has no rights of its own',
    code('svc("js-worker_read", { token: "", name: "w" })'),
    101,
  ),
  gives(
    'SQL that breaks out of its parameters stays a value',
    onCall(
      `try { await execSql('${token}', "select 1; drop table js_worker; --", ["'; drop table js_worker; --"]); return 'allowed' } catch (e) { return e.message }`,
    ),
    NONE.slice(4),
  ),
  gives(
    'methods that are none',
    onCall(
      `const codes = []; for (const m of ['', '__proto__', 'constructor', 'toString', 'a'.repeat(100000), 'svc-server_hello\\0', 'rpc.discover_', '\\ud800']) { try { codes.push((await svc(m, [])).error?.code ?? 'answered') } catch (e) { codes.push('refused') } } return codes.every((c) => c === -32601 || c === 'refused' || c === -32600)`,
    ),
    true,
  ),
  gives(
    'requests of odd shapes',
    onCall(
      `const seen = []; for (const r of [null, 5, [], {}, [5], [null], { jsonrpc: '2.0' }, { jsonrpc: '1.0', id: 1, method: 'x' }, { jsonrpc: '2.0', method: 'x' }, { jsonrpc: '2.0', id: {}, method: 'x' }, '{', '[', '', ' ', '[{}]', 'null', '5']) { await svc(r).then(() => seen.push(1), (e) => seen.push(e instanceof TypeError ? 2 : 3)) } return seen.includes(3)`,
    ),
    false,
  ),
  gives(
    'a cyclic request is refused',
    onCall('const o = {}; o.o = o; return svc("svc-server_hello", o).catch((e) => e.name)'),
    'TypeError',
  ),
  gives(
    'ten thousand calls at once',
    onCall(
      'const all = []; for (let n = 0; n < 12000; n++) all.push(svc("svc-server_hello", []).then(() => 1, (e) => e.message)); const seen = new Set(await Promise.all(all)); return [...seen]',
    ),
    [1, 'too many calls are under way'],
    { limits: { max_run_time: 90_000, max_heap_size: 60_000_000 } },
  ),
  gives(
    'calls that are too large together are refused',
    onCall(
      'const s = "x".repeat(3000000); const seen = new Set(); for (let n = 0; n < 40; n++) svc("none", [s]).catch((e) => seen.add(e.message)); await null; await null; await null; return [...seen]',
    ),
    ['the calls under way are too large'],
    { limits: { max_run_time: 90_000, max_heap_size: 60_000_000 } },
  ),
  gives(
    'a subscription is refused',
    onCall(
      'const r = await svc("svc-server_stream_log", { token: "a:b", log_filter: "info" }); return typeof r.error?.code',
    ),
    'number',
  ),
  gives(
    'log floods are bounded',
    onCall(
      'for (let n = 0; n < 5000; n++) { svcLog.info("flood", "x".repeat(100)); console.log(n) } return "done"',
    ),
    'done',
  ),
  gives(
    'logs of odd values',
    onCall(
      'const c = {}; c.c = c; console.log(c, Symbol("x"), 1n, null, undefined, () => 1, new Proxy({}, {}), Object.create(null)); svcLog.info({}, []); return 1',
    ),
    1,
  ),
];

const inline: readonly Row[] = [
  fails(
    'a tree of calls ends with its limit',
    module(
      'onCall() { return this.onInlineCall(0) }, onInlineCall: (n) => Promise.all(Array.from({ length: 8 }, () => inlineCall("w", n + 1)))',
    ),
    /^\[js_runner\] JavaScript execution |^\[js_invoke\] Error: /,
    { limits: { max_run_time: 400 } },
  ),
  gives(
    'a failing inner run is an Error',
    module(
      'onCall: () => inlineCall("w").catch((e) => [e.constructor === Error, e.stack.includes("/")]), onInlineCall() { throw null }',
    ),
    [true, false],
  ),
  gives(
    'an inner run does not see what the outer has changed',
    `let n = 0; ${module('onCall() { n = 5; globalThis.leaked = 1; Array.prototype.map = null; return inlineCall("w") }, onInlineCall: () => [n, typeof leaked, typeof [].map]').replace('export', 'export')}`,
    [0, 'undefined', 'function'],
  ),
  gives(
    'a result of an inner run with __proto__',
    module(
      'onCall: async () => Object.keys(await inlineCall("w")), onInlineCall: () => JSON.parse(\'{"__proto__":1}\')',
    ),
    ['__proto__'],
  ),
  gives(
    'an inner run that is too large',
    module(
      'onCall: () => inlineCall("w").then(() => 1, (e) => e.message.includes("larger than")), onInlineCall: () => new Array(60).fill("x".repeat(100000))',
    ),
    true,
    { limits: { max_heap_size: 64_000_000 } },
  ),
];

const own: readonly Row[] = [
  gives(
    'a worker that deletes itself ends its run',
    onCall(
      'const r = await svc("js-worker_delete", { token: env.token, name: "w" }); return r.result.rows_affected',
    ),
    1,
  ),
  gives(
    'a worker that replaces itself ends its run',
    onCall(
      `const r = await svc("js-worker_update", { token: env.token, name: "w", js_script_base64: "${base64(onCall('return 2'))}", env }); return r.result.success`,
    ),
    true,
  ),
  gives(
    'a worker that runs itself does not wait for itself',
    onCall(
      'if (params.again) return 1; const r = await svc("js-worker_run", { token: env.token, js_script_name: "w", params: { again: true } }); return typeof r.result.id',
    ),
    'number',
  ),
  gives(
    'a worker that spoils itself is refused',
    onCall(
      'const r = await svc("js-worker_update", { token: env.token, name: "w", js_script_base64: "e3s=" }); return r.error.code',
    ),
    999,
  ),
];

hostile(
  { title: 'routes', rows: routes },
  { title: 'calls', rows: calls },
  { title: 'inline calls', rows: inline },
  { title: 'a worker and itself', rows: own, withToken: true },
);
