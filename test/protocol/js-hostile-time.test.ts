// proof: 50
// js-runtime.md §9: the time limit ends every computation and every wait, and only that run.

import {
  EXCEEDED,
  fails,
  gives,
  hostile,
  LIMIT_MS,
  late,
  OUT_OF_MEMORY,
  type Row,
  TIME,
  TIMED_OUT,
} from './js-hostile-kit.ts';
import { module, onCall, onRoute } from './js-worker-kit.ts';

const limits = { max_run_time: LIMIT_MS };
/** Time enough to get as far as a wait or an answer on a busy machine: else the wall of what computes is met. */
const patient = { max_run_time: 10 * LIMIT_MS };
const waits = (name: string, script: string, more: Partial<Row> = {}): Row =>
  late(name, script, {
    expected: { fails: TIMED_OUT },
    limits: patient,
    ...more,
  });
const ends = (name: string, script: string, more: Partial<Row> = {}): Row =>
  late(name, script, { expected: { fails: TIME }, ...more });
const http = (name: string, script: string): Row =>
  late(name, script, {
    how: 'http',
    expected: { status: 504, body: 'Route worker execution failed: time limit' },
  });

const loops: readonly Row[] = [
  late('for', onCall('for (;;);')),
  late('while with a body', onCall('let n = 0; while (true) n++;')),
  late('do while', onCall('do {} while (1);')),
  late('for in a block with labels', onCall('a: for (;;) { for (;;) continue a; }')),
  late('try and finally', onCall('for (;;) { try { for (;;); } finally { continue } }')),
  late(
    'catch in catch',
    onCall('try { try { for (;;); } catch { return 1 } } catch { return 2 } finally { return 3 }'),
  ),
  late('a finally that loops', onCall('try { return 1 } finally { for (;;); }')),
  late('a generator', onCall('function* g() { for (;;) yield 1 } for (const x of g());')),
  late(
    'an iterator that never ends, spread',
    onCall(
      'const o = { [Symbol.iterator]: () => ({ next: () => ({ done: false }) }) }; for (const x of o);',
    ),
  ),
  late(
    'destructuring with defaults',
    onCall('const f = () => { for (;;) { const { a = 1 } = {}; } }; f()'),
  ),
  late('switch', onCall('for (let n = 0; ; n ^= 1) switch (n) { case 0: continue; default: }')),
  late('eval', onCall('eval("for (;;);")')),
  late('Function', onCall('new Function("for (;;);")()')),
  late('a class initialiser', onCall('class A { static x = (() => { for (;;); })() } return A')),
  late('a getter', onCall('return { get a() { for (;;); } }.a')),
  late('a proxy trap', onCall('return new Proxy({}, { get() { for (;;); } }).a')),
  late('a callback of sort', onCall('[1, 2, 3].sort(() => { for (;;); })')),
  late('a callback of replace', onCall('"aaa".replace(/a/g, () => { for (;;); })')),
  late('a reviver', onCall('JSON.parse("[1]", () => { for (;;); })')),
  late('toString of an argument to the host', onCall('atob({ toString() { for (;;); } })')),
  late(
    'toJSON of an argument to the host',
    onCall('await svc("svc-server_hello", { toJSON() { for (;;); } })'),
  ),
  late(
    'an iterator given to Headers',
    onCall('new Headers({ *[Symbol.iterator]() { for (;;); } })'),
  ),
  late(
    'a callback of the host: forEach',
    onCall('new URLSearchParams("a=1").forEach(() => { for (;;); })'),
  ),
  late('the top level', 'for (;;); export default {}'),
  late('the top level in a cron run', 'for (;;); export default {}', { how: 'cron' }),
  late('the top level in source mode', 'for (;;); export default {}', { how: 'source' }),
  late('an inline call', module('onInlineCall() { for (;;); }'), { how: 'inline' }),
  late('a getter of the default export', 'export default { get onCall() { for (;;); } };'),
  late('a getter of the result', onCall('return { get a() { for (;;); } }')),
  late('toJSON of the result', onCall('return { toJSON() { for (;;); } }')),
  late('then of the result', module('onCall() { return { get then() { for (;;); } } }')),
  late('then of the result when called', module('onCall() { return { then() { for (;;); } } }')),
  late('the message of what is thrown', onCall('throw { get message() { for (;;); } }')),
  late('the stack of what is thrown', onCall('throw { message: "x", get stack() { for (;;); } }')),
  late('a proxy that is thrown', onCall('throw new Proxy({}, { get() { for (;;); } })')),
  late('a loop over the host', onCall('for (;;) btoa("x".repeat(500000));')),
  late('a loop over a quick host call', onCall('for (;;) performance.now();')),
  late('a loop over the log', onCall('for (;;) svcLog.info("a", "b");')),
  late(
    'a loop over timers that are cleared',
    onCall('for (;;) clearTimeout(setTimeout(() => 1, 1000));'),
  ),
  late(
    'a loop over digest',
    onCall('const b = new Uint8Array(200000); for (;;) await crypto.subtle.digest("SHA-512", b);'),
  ),
  late(
    'a loop over URLs',
    onCall('for (;;) new URL("http://example.com/a?b#c").searchParams.append("x", "y");'),
  ),
  http('a route', onRoute('for (;;);')),
  http(
    'a route that computes after a wait',
    onRoute('await new Promise((done) => setTimeout(done, 5)); for (;;);'),
  ),
  http('the top level of a route', 'for (;;); export default {}'),
  fails('compiling does not run anything', 'export default { onCall() {} }; for (;;);', EXCEEDED, {
    limits,
  }),
];

/** Loops of the engine itself that look at no clock: their thread is ended. */
const native: readonly Row[] = [
  ends(
    'indexOf of a length',
    onCall('return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)'),
  ),
  ends(
    'includes of a length',
    onCall('return Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)'),
  ),
  ends(
    'lastIndexOf of a length',
    onCall('return Array.prototype.lastIndexOf.call({ length: 2 ** 53 - 1 }, 1)'),
  ),
  ends(
    'reverse of a length',
    onCall('return Array.prototype.reverse.call({ length: 2 ** 53 - 1 })'),
  ),
  ends(
    'unshift of a length',
    onCall('return Array.prototype.unshift.call({ length: 2 ** 40 }, 1)'),
  ),
  ends(
    'copyWithin of a length',
    onCall('return Array.prototype.copyWithin.call({ length: 2 ** 53 - 1 }, 1, 0, 2 ** 50)'),
  ),
  ends(
    'findLast of a length',
    onCall('return Array.prototype.findLast.call({ length: 2 ** 53 - 1 }, () => false)'),
  ),
  ends(
    'slices of long strings',
    onCall('const s = "a".repeat(2000000); for (;;) s.indexOf("a".repeat(1000) + "b");'),
  ),
  ends(
    'split of a long string by a long one',
    onCall('const s = "a".repeat(1000000); for (;;) s.split("a".repeat(5000) + "b");'),
  ),
  ends(
    'an inline call',
    module('onInlineCall: () => Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)'),
    { how: 'inline' },
  ),
  http('a route', onRoute('return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)')),
  ends(
    'the top level',
    'Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1); export default {}',
  ),
];

const expressions: readonly Row[] = [
  late('(a+)+$', onCall('return /^(a+)+$/.test("a".repeat(40) + "b")')),
  late('(a|aa)+$', onCall('return /^(a|aa)+$/.test("a".repeat(60) + "b")')),
  late('(.*)*x', onCall('return /(.*)*x/.test("a".repeat(40))')),
  late('(.*){1,32000}[bc]', onCall('return /(.*){1,32000}[bc]/.test("a".repeat(5000))')),
  late('(\\w+\\s?)+ with an end', onCall('return /^(\\w+\\s?)+\\$/.test("word ".repeat(30))')),
  late('lookahead', onCall('return /^(?=(a+)+$)/.test("a".repeat(40) + "b")')),
  late('lookbehind', onCall('return /(?<=^(a|a)+)b/.test("x" + "a".repeat(40) + "b")')),
  late('backreferences', onCall('return /^(a*)*\\1b$/.test("a".repeat(40) + "c")')),
  late('named groups', onCall('return /^(?<x>(?<y>a+)+)+$/.test("a".repeat(40) + "b")')),
  late('ignoring case', onCall('return /^(Ä+)+$/iu.test("ä".repeat(40) + "b")')),
  late('replace', onCall('return ("a".repeat(40) + "b").replace(/^(a+)+$/, "")')),
  late('replaceAll', onCall('return ("a".repeat(40) + "b").replaceAll(/(a+)+$/g, "")')),
  late('split', onCall('return ("a".repeat(40) + "b").split(/(a+)+$/)')),
  late('match', onCall('return ("a".repeat(40) + "b").match(/^(a+)+$/)')),
  late('matchAll', onCall('return [...("a".repeat(40) + "b").matchAll(/(a+)+$/g)]')),
  late('search', onCall('return ("a".repeat(40) + "b").search(/^(a+)+$/)')),
  late(
    'a pattern made at run time',
    onCall('return new RegExp("^(" + "a+".repeat(3) + ")+$").test("a".repeat(40) + "b")'),
  ),
  late('global matching without progress', onCall('for (;;) "aaa".match(/(?:)/g);')),
  late('the top level', 'export default { x: /^(a+)+$/.test("a".repeat(40) + "b") }'),
  ends(
    'quantifiers of quantifiers',
    onCall('return /((((a{1,50}){1,50}){1,50}){1,50}){1,50}b/.test("a".repeat(100))'),
  ),
  {
    name: 'a huge class is compiled or refused',
    script: onCall(
      'try { return typeof new RegExp("[" + Array.from({ length: 50000 }, (_, n) => String.fromCharCode(0x100 + n % 50000)).join("") + "]", "v").test("a") } catch (e) { return e.name }',
    ),
    expected: {
      either: [{ value: 'boolean' }, { value: 'SyntaxError' }, { value: 'InternalError' }],
    },
  },
  gives(
    'thousands of groups are compiled or refused',
    onCall(
      'try { return new RegExp("(a)".repeat(5000)).test("b") } catch (e) { return e instanceof Error }',
    ),
    true,
    {
      expected: { either: [{ value: true }, { value: false }] },
    },
  ),
  gives(
    'deep nesting of groups is refused',
    onCall(
      'try { new RegExp("(".repeat(50000) + ")".repeat(50000)); return 1 } catch (e) { return e instanceof Error }',
    ),
    true,
  ),
  gives(
    'a long input and a simple pattern',
    onCall('return "ab".repeat(50000).replace(/b/g, "").length'),
    50_000,
  ),
];

const promises: readonly Row[] = [
  waits('a promise that is never settled', onCall('await new Promise(() => {})')),
  waits('a top-level await that never settles', 'await new Promise(() => {}); export default {}'),
  waits('a thenable that never answers', module('onCall: () => ({ then() {} })')),
  ends('await in a loop', onCall('for (;;) await null;')),
  ends('then without an end', onCall('const f = () => Promise.resolve().then(f); await f()'), {
    expected: { either: [{ fails: TIME }, { fails: OUT_OF_MEMORY }] },
  }),
  ends(
    'a bomb of two jobs for each',
    onCall(
      'const f = () => { queueMicrotask(f); queueMicrotask(f) }; f(); await new Promise(() => {})',
    ),
  ),
  ends(
    'Promise.all of all that comes',
    onCall(
      'const f = async () => { await Promise.all([f(), Promise.resolve()].slice(1)); return f() }; await f()',
    ),
  ),
  ends(
    'Promise.race with losers',
    onCall('for (;;) await Promise.race([new Promise(() => {}), null])'),
  ),
  ends(
    'for await without an end',
    onCall('for await (const x of (async function* () { for (;;) yield 1 })());'),
  ),
  ends(
    'a thenable that resolves to thenables',
    onCall('const t = () => ({ then(done) { done(t()) } }); await t()'),
  ),
  ends(
    'rejections without an end',
    onCall('for (;;) { try { await Promise.reject(new Error("x")) } catch {} }'),
  ),
  ends(
    'unhandled rejections without an end',
    onCall('for (;;) { Promise.reject(1); await null; }'),
  ),
  ends(
    'a job that computes',
    onCall('queueMicrotask(() => { for (;;); }); await new Promise(() => {})'),
  ),
  gives(
    'jobs left behind do not hold up the answer',
    onCall('(async () => { for (;;) await null })(); return 1'),
    1,
    { limits: patient },
  ),
  gives(
    'a bomb left behind does not hold up the answer',
    onCall('const f = () => { queueMicrotask(f); queueMicrotask(f) }; f(); return 1'),
    1,
    { limits: patient },
  ),
  late(
    'a computation left behind by an async function',
    onCall('(async () => { for (;;); })(); return 1'),
  ),
  gives(
    'unhandled rejections are ignored',
    onCall(
      'Promise.reject(new Error("nobody")); new Promise(() => { throw null }); await null; return 1',
    ),
    1,
  ),
  gives(
    'a pull that waits for ever is given up with its run',
    onCall(
      'new Response(new ReadableStream({ pull: () => new Promise(() => {}) })).text(); return 1',
    ),
    1,
  ),
  waits(
    'reading a stream that gives nothing',
    onCall('return new Response(new ReadableStream({})).text()'),
    // Compiling the streams takes a part of the time; what is left is spent waiting.
    { limits: { max_run_time: 1_000 } },
  ),
  ends(
    'a loop in a pull',
    onCall('return new Response(new ReadableStream({ pull() { for (;;); } })).text()'),
  ),
  ends(
    'a stream of empty pieces',
    onCall(
      'return new Response(new ReadableStream({ pull(c) { c.enqueue(new Uint8Array(0)) } })).text()',
    ),
  ),
  http(
    'a route with a stream that never ends',
    onRoute('return new Response(new ReadableStream({ pull: () => new Promise(() => {}) }))'),
  ),
  http(
    'a route with a stream of empty pieces',
    onRoute(
      'return new Response(new ReadableStream({ pull(c) { c.enqueue(new Uint8Array(0)) } }))',
    ),
  ),
  http('a route that waits for ever', onRoute('await new Promise(() => {})')),
  http(
    'a route whose stream computes',
    onRoute('return new Response(new ReadableStream({ pull() { for (;;); } }))'),
  ),
];

const timers: readonly Row[] = [
  ends('an interval', onCall('setInterval(() => 1, 1); await new Promise(() => {})')),
  ends(
    'a timer that computes',
    onCall('setTimeout(() => { for (;;); }, 1); await new Promise(() => {})'),
  ),
  ends(
    'timers that set timers',
    onCall('const f = () => { setTimeout(f); setTimeout(f) }; f(); await new Promise(() => {})'),
    {
      expected: { either: [{ fails: TIME }, { fails: /too many timers/ }] },
    },
  ),
  ends(
    'immediates without an end',
    onCall('const f = () => setImmediate(f); f(); await new Promise(() => {})'),
  ),
  fails(
    'a million timers',
    onCall('for (let n = 0; n < 1e6; n++) setTimeout(() => 1, 60000); return 1'),
    /^\[js_invoke\] RangeError: too many timers are set/,
  ),
  gives(
    'a timer that throws leaves the others',
    onCall(
      'setTimeout(() => { throw new Error("x") }, 1); setTimeout(() => { throw null }, 1); return new Promise((done) => setTimeout(done, 5, "after"))',
    ),
    'after',
  ),
  gives(
    'a timer that throws an odd thing leaves the others',
    onCall(
      'setTimeout(() => { throw new Proxy({}, { get() { throw 1 } }) }, 1); return new Promise((done) => setTimeout(done, 5, "after"))',
    ),
    'after',
  ),
  gives(
    'an interval that throws goes on',
    onCall(
      'let n = 0; return new Promise((done) => setInterval(() => { if (++n === 3) done(n); throw new Error("x") }, 4))',
    ),
    3,
  ),
  gives(
    'timers of a run end with it',
    `let fired = 0; ${onCall('const before = fired; setInterval(() => fired++, 4); setTimeout(() => fired++, 1); return before')}`,
    0,
    { times: 3 },
  ),
  gives(
    'ids of a former run clear nothing',
    `let id; ${onCall('if (id === undefined) { id = setTimeout(() => 1, 60000); return 0 } clearTimeout(id); clearTimeout(1e9); clearTimeout(-1); clearTimeout({}); clearTimeout(null); return 1')}`,
    1,
    { times: 2 },
  ),
  gives(
    'a delay of any kind',
    onCall(
      'for (const d of [NaN, -1, Infinity, 2 ** 40, "5", null, undefined, {}, true]) clearTimeout(setTimeout(() => 1, d)); return 1',
    ),
    1,
  ),
  fails(
    'a delay that is a symbol',
    onCall('setTimeout(() => 1, Symbol())'),
    /^\[js_invoke\] TypeError: /,
  ),
  fails(
    'a delay that throws',
    onCall('setTimeout(() => 1, { valueOf() { throw new Error("mine") } })'),
    /^\[js_invoke\] Error: mine/,
  ),
  fails(
    'text in place of a callback',
    onCall('setTimeout("1", 1)'),
    /^\[js_invoke\] TypeError: callback is not a function/,
  ),
];

hostile(
  { title: 'loops', rows: loops },
  { title: 'native loops', rows: native },
  { title: 'regular expressions', rows: expressions },
  { title: 'promises', rows: promises },
  { title: 'timers', rows: timers },
);
