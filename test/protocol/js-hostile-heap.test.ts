// proof: 30
// js-runtime.md §9: heap and stack of one run; a breach ends that run only.

import {
  type Expected,
  fails,
  gives,
  hostile,
  LIMIT_MS,
  late,
  NO_JSON,
  OUT_OF_MEMORY,
  OUT_OF_STACK,
  type Row,
  TIME,
} from './js-hostile-kit.ts';
import { module, onCall, onRoute } from './js-worker-kit.ts';

/** Enough on a busy machine. */
const roomy = { max_run_time: 90_000 };
const full = (name: string, script: string, more: Partial<Row> = {}): Row =>
  fails(name, onCall(script), OUT_OF_MEMORY, { limits: roomy, ...more });
const deep = (name: string, script: string, more: Partial<Row> = {}): Row =>
  fails(name, onCall(script), OUT_OF_STACK, { limits: roomy, ...more });
/** Native work that does not look at the clock: which wall it meets first is not ours to choose. */
const some = (...texts: (string | RegExp)[]): Expected => ({
  either: texts.map((text) => ({ fails: text })),
});

const heap: readonly Row[] = [
  fails(
    'a string that doubles',
    onCall('let s = "ab"; for (;;) s += s + "x";'),
    /^\[js_invoke\] InternalError: string too long/,
  ),
  full('a string of one call', 'return "x".repeat(2 ** 29)'),
  full('repeat of wide characters', 'return "\\u{1F600}".repeat(2 ** 27)'),
  full('padEnd', 'return "x".padEnd(2 ** 28)'),
  full(
    'padStart in a loop',
    'let s = ""; for (let n = 1; ; n *= 2) s = s.padStart(n * 4096, "ab");',
  ),
  full('join of a large array', 'return new Array(2 ** 24).fill("abcdefgh").join("-")'),
  full('many small strings', 'const all = []; for (let n = 0; ; n++) all.push("text" + n);'),
  full('many objects', 'const all = []; for (;;) all.push({ a: 1, b: [] });'),
  full('an array with a length', 'return new Array(2 ** 31).fill(1).length'),
  full('push without an end', 'const a = []; for (;;) a.push(1);'),
  full('spread that doubles', 'let a = [1, 2, 3]; for (;;) a = [...a, ...a];'),
  full('concat that doubles', 'let a = [1, 2, 3]; for (;;) a = a.concat(a);'),
  full('Array.from of a length', 'return Array.from({ length: 2 ** 30 }).length'),
  full('typed arrays', 'const all = []; for (;;) all.push(new Uint8Array(65536));'),
  full('one large ArrayBuffer', 'return new ArrayBuffer(2 ** 30).byteLength'),
  full(
    'a growing ArrayBuffer',
    'const b = new ArrayBuffer(1, { maxByteLength: 2 ** 30 }); b.resize(2 ** 29); return b.byteLength',
  ),
  full('Float64Array of a length', 'return new Float64Array(2 ** 27).length'),
  full('a Map', 'const m = new Map(); for (let n = 0; ; n++) m.set(n, { n });'),
  full('a Set of strings', 'const m = new Set(); for (let n = 0; ; n++) m.add("key" + n);'),
  full(
    'a WeakMap with living keys',
    'const m = new WeakMap(); const keys = []; for (;;) { const k = {}; keys.push(k); m.set(k, [k]); }',
  ),
  full('properties of one object', 'const o = {}; for (let n = 0; ; n++) o["p" + n] = n;'),
  full('symbols', 'const all = []; for (;;) all.push(Symbol("a symbol"));'),
  full(
    'closures',
    'const all = []; const make = (n) => () => n; for (let n = 0; ; n++) all.push(make(n));',
  ),
  full('a chain of bind', 'let f = () => 1; for (;;) f = f.bind(null, 1, 2, 3, 4);'),
  full('a linked list', 'let list = null; for (;;) list = { list };'),
  full(
    'generators that wait',
    'const all = []; function* g() { yield new Array(10); } for (;;) { const i = g(); i.next(); all.push(i); }',
  ),
  full(
    'functions of eval',
    'const all = []; for (let n = 0; ; n++) all.push(eval("(function f" + n + "(a, b) { return a + b + " + n + " })"));',
  ),
  full(
    'regular expressions',
    'const all = []; for (let n = 0; ; n++) all.push(new RegExp("a{" + n + "}[bc]+" + n));',
  ),
  full('Dates and errors', 'const all = []; for (;;) all.push(new Date(), new Error("e"));'),
  full(
    'promises that are never settled',
    'const all = []; for (;;) all.push(new Promise(() => {}).then(() => 1));',
  ),
  full(
    'template with a large join',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the script's own
    'const s = "x".repeat(1e6); const a = []; for (;;) a.push(`${s}${a.length}`);',
  ),
  full(
    'JSON.stringify of a shared large part',
    'const s = "x".repeat(1e6); return JSON.stringify(new Array(500).fill(s))',
  ),
  full(
    'JSON.parse of a large text',
    'return JSON.parse("[" + "[1],".repeat(600000) + "1]").length',
  ),
  full('split into characters', 'return "x".repeat(3e6).split("").map((c) => c + "1").length'),
  full(
    'replaceAll that grows',
    'let s = "a".repeat(1000); for (;;) s = s.replaceAll("a", "aaaa");',
  ),
  full(
    'encodeURIComponent that grows',
    'let s = "%".repeat(100000); for (;;) s = encodeURIComponent(s);',
  ),
  full(
    'structuredClone that doubles',
    'let a = [new Uint8Array(50000)]; for (;;) a = [...a, ...structuredClone(a)];',
  ),
  full('Blob of blobs', 'let b = new Blob(["x".repeat(10000)]); for (;;) b = new Blob([b, b]);'),
  full(
    'FormData without an end',
    'const f = new FormData(); for (let n = 0; ; n++) f.append("name" + n, "value".repeat(100));',
  ),
  full(
    'Headers without an end',
    'const all = []; for (let n = 0; ; n++) all.push(new Headers([["x" + n, "y".repeat(1000)]]));',
  ),
  full(
    'URLSearchParams without an end',
    'const all = []; for (let n = 0; ; n++) all.push(new URLSearchParams({ a: "x".repeat(5000) }));',
  ),
  full('Buffer', 'const all = []; for (;;) all.push(Buffer.alloc(100000));'),
  full(
    'TextEncoder output',
    'const all = []; for (;;) all.push(new TextEncoder().encode("x".repeat(100000)));',
  ),
  full('btoa that grows', 'let s = "x".repeat(100000); for (;;) s = btoa(s);'),
  full(
    'bytes of the host',
    'const all = []; for (;;) { const a = new Uint8Array(65536); crypto.getRandomValues(a); all.push(a); }',
  ),
  full(
    'a queue of a stream that is not read',
    'const s = new ReadableStream({ start(c) { for (;;) c.enqueue(new Uint8Array(100000)); } }); return 1',
  ),
  full(
    'a pull that gives for ever to a body',
    'return (await new Response(new ReadableStream({ pull(c) { c.enqueue(new Uint8Array(100000)) } })).text()).length',
  ),
  full(
    'tee with one side unread',
    `const [a] = new ReadableStream({ pull(c) { c.enqueue(new Uint8Array(200000)) } }).tee();
    for (const r = a.getReader();;) await r.read();`,
  ),
  full(
    'arguments of a call',
    'const a = new Array(60000).fill(1); const all = []; const keep = (...args) => all.push(args); for (;;) keep(...a);',
  ),
  full('proxies', 'const all = []; for (;;) all.push(new Proxy({}, { get: () => 1 }));'),
  full('a result that is too large for the heap', 'return new Array(300).fill("x".repeat(100000))'),
  full('an error message that is too large', 'throw new Error("x".repeat(2 ** 28))'),
  full(
    'exhaustion kept until the end',
    'globalThis.all = []; try { for (;;) all.push(new Uint8Array(1000)) } catch { throw new InternalError("out of memory") }',
  ),
  gives(
    'exhaustion that was caught and given back',
    onCall(
      'try { const all = []; for (;;) all.push(new Uint8Array(50000)); } catch (e) { return e.message }',
    ),
    'out of memory',
  ),
  {
    name: 'bridge calls after exhaustion end with an answer or as out of memory',
    script: onCall(`globalThis.all = []; try { for (;;) all.push(new Uint8Array(1000)) } catch {}
      for (const f of [() => new TextEncoder().encode("x".repeat(50000)), () => new TextDecoder().decode(new Uint8Array(100)), () => new URL("http://a/"), () => btoa("x".repeat(10000)), () => randomUUID(), () => setTimeout(() => 1, 1)]) { try { f() } catch {} }
      try { await svc("svc-server_hello", []) } catch {} try { await inlineCall("none", "x".repeat(10000)) } catch {}
      return 5`),
    expected: { either: [{ value: 5 }, { fails: OUT_OF_MEMORY }] },
    limits: roomy,
  },
  {
    name: 'a context that ran out of memory is not used again',
    script: `let n = 0; globalThis.kept = []; ${onCall('if (++n === 1) { try { for (;;) kept.push(new Uint8Array(500)) } catch {} } return n')}`,
    // Its second run has a fresh context: with the old one it could give 2.
    expected: { either: [{ value: 1 }, { fails: OUT_OF_MEMORY }] },
    times: 2,
  },
  fails(
    'exhaustion at the top level',
    'const all = []; for (;;) all.push(new Uint8Array(1000)); export default {}',
    /^\[js_eval\] InternalError: out of memory/,
  ),
  fails(
    'exhaustion in a cron run',
    module('onCron() { const a = []; for (;;) a.push({}) }'),
    OUT_OF_MEMORY,
    { how: 'cron' },
  ),
  fails(
    'exhaustion in an inline call',
    module('onInlineCall() { const a = []; for (;;) a.push({}) }'),
    OUT_OF_MEMORY,
    { how: 'inline' },
  ),
  fails('exhaustion in source mode', onCall('const a = []; for (;;) a.push({})'), OUT_OF_MEMORY, {
    how: 'source',
  }),
  {
    name: 'exhaustion behind a route',
    script: onRoute('const a = []; for (;;) a.push({})'),
    expected: { status: 500, body: 'Route worker execution failed: see the log' },
    how: 'http',
  },
  full(
    'a heap that is set lower',
    'const a = []; for (let n = 0; n < 40; n++) a.push(new Uint8Array(100000)); return a.length',
    { limits: { max_heap_size: 2_000_000 } },
  ),
  {
    name: 'powers of BigInt end at one of the walls',
    script: onCall('let n = 3n; for (;;) n *= n;'),
    expected: some(OUT_OF_MEMORY, /^\[js_invoke\] RangeError: /, TIME),
    limits: { max_run_time: LIMIT_MS },
  },
  {
    name: 'decimal text of a large BigInt ends at one of the walls',
    script: onCall('return String(2n ** 4000000n).length'),
    expected: some(/^\[js_invoke\] RangeError: BigInt is too large/, OUT_OF_MEMORY, TIME),
    limits: { max_run_time: LIMIT_MS },
  },
];

const stack: readonly Row[] = [
  deep('plain recursion', 'const f = () => f() + 1; return f()'),
  deep('mutual recursion', 'const f = () => g() + 1, g = () => f() + 1; return f()'),
  deep(
    'recursion with many locals',
    'function f(a, b, c, d, e, g, h, i) { const x = [a, b, c]; return f(x, a, b, c, d, e, g, h) + i } return f(1, 2, 3, 4, 5, 6, 7, 8)',
  ),
  deep('recursion through eval', 'globalThis.f = () => eval("f()") + 1; return f()'),
  deep(
    'recursion through Function',
    'globalThis.f = () => new Function("return f()")() + 1; return f()',
  ),
  deep('recursion through apply', 'const f = () => f.apply(null, []) + 1; return f()'),
  deep(
    'recursion through Reflect.construct',
    'class A { constructor() { this.x = Reflect.construct(A, []) } } return new A()',
  ),
  deep('recursion through new', 'function F() { this.x = new F() } return new F()'),
  deep('recursion through a getter', 'const o = { get a() { return o.a } }; return o.a'),
  deep('recursion through a setter', 'const o = { set a(v) { o.a = v } }; o.a = 1; return 1'),
  deep('recursion through a proxy', 'let p = new Proxy({}, { get: () => p.x }); return p.x'),
  deep(
    'a chain of proxies',
    'let p = {}; for (let n = 0; n < 60000; n++) p = new Proxy(p, {}); return p.x',
    { limits: { ...roomy, max_heap_size: 40_000_000 } },
  ),
  deep('recursion through toString', 'const o = { toString() { return "" + o } }; return "" + o'),
  deep('recursion through valueOf', 'const o = { valueOf() { return +o } }; return +o'),
  deep(
    'recursion through Symbol.toPrimitive',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the script's own
    'const o = { [Symbol.toPrimitive]() { return `${o}` } }; return `${o}`',
  ),
  deep('recursion through sort', 'const f = () => [2, 1].sort(f); return f()'),
  deep('recursion through map', 'const f = () => [1].map(f); return f()'),
  deep('recursion through replace', 'const f = () => "a".replace("a", f); return f()'),
  deep(
    'recursion through JSON.stringify',
    'const o = { toJSON() { return JSON.stringify(o) } }; return JSON.stringify(o)',
  ),
  deep(
    'recursion through a JSON.parse reviver',
    'const f = () => JSON.parse("[1]", f); return f()',
  ),
  deep(
    'recursion through instanceof',
    'const o = { [Symbol.hasInstance]: (x) => x instanceof o }; return 1 instanceof o',
  ),
  deep(
    'recursion through iteration',
    'const o = { *[Symbol.iterator]() { yield* o } }; return [...o]',
  ),
  deep('recursion through generators', 'function* f() { yield* f() } return [...f()]'),
  deep('recursion through tagged templates', 'const f = () => f`x`; return f()'),
  deep('recursion through default parameters', 'const f = (a = f()) => a; return f()'),
  deep('recursion through computed keys', 'const f = () => ({ [f()]: 1 }); return f()'),
  deep(
    'recursion through a host function',
    'const o = { toString() { return atob(o) } }; return atob(o)',
  ),
  deep(
    'recursion through a log entry',
    'const o = { toString() { svcLog.info("a", o); return "" } }; svcLog.info("a", o); return 1',
  ),
  deep(
    'recursion through headers',
    'const o = { toString() { new Headers([["a", o]]); return "" } }; new Headers([["a", o]]); return 1',
  ),
  deep(
    'recursion through structuredClone',
    'let o = {}; for (let n = 0; n < 100000; n++) o = { o }; structuredClone(o); return 1',
  ),
  deep(
    'recursion in an async function before its first await',
    'const f = async () => { await f() }; await f(); return 1',
  ),
  deep(
    'nested arrays in the parser',
    'return eval("[".repeat(100000) + "]".repeat(100000)).length',
  ),
  deep(
    'nested parentheses in the parser',
    'return eval("(".repeat(200000) + "1" + ")".repeat(200000))',
  ),
  deep(
    'nested functions in the parser',
    'return eval("(() => ".repeat(50000) + "1" + ")".repeat(50000))',
  ),
  deep(
    'nested objects in JSON.parse',
    'return JSON.parse(\'{"a":\'.repeat(100000) + "1" + "}".repeat(100000)).a',
  ),
  deep('nested arrays in JSON.parse', 'return JSON.parse("[".repeat(500000)).length'),
  fails(
    'recursion at the top level',
    'const f = () => f() + 1; f(); export default {}',
    /^\[js_eval\] RangeError: Maximum call stack size exceeded/,
  ),
  fails(
    'recursion in a getter of the result',
    onCall('return { get a() { return this.a } }'),
    NO_JSON,
  ),
  fails(
    'recursion in toJSON of the result',
    onCall('const o = { toJSON: () => JSON.stringify(o) }; return o'),
    NO_JSON,
  ),
  gives(
    'recursion that is caught, again and again',
    onCall(
      'let n = 0; const f = () => f() + 1; for (let k = 0; k < 50; k++) { try { f() } catch (e) { n += e instanceof Error } } return n',
    ),
    50,
  ),
  gives(
    'recursion that catches in every frame',
    onCall(
      'let n = 0; const f = () => { try { return f() + 1 } catch { n++; return 0 } }; f(); return n > 0',
    ),
    true,
  ),
  deep('a small stack', 'const f = (n) => n === 0 ? 0 : f(n - 1) + 1; return f(1500)', {
    limits: { max_stack_size: 65_536 },
  }),
  gives(
    'a stack that is asked for beyond what is safe',
    onCall('let n = 0; const f = () => { n++; f() }; try { f() } catch {} return n < 50000'),
    true,
    { limits: { max_stack_size: 2 ** 40 } },
  ),
  fails(
    'nesting of the source itself',
    `export default { onCall: () => ${'['.repeat(30_000)}${']'.repeat(30_000)} }`,
    /./,
    { expected: { refused: /^999 Other error: JavaScript precompile failed: .*stack/s } },
  ),
  {
    name: 'JSON.stringify of 100,000 levels ends at one of the walls',
    script: onCall(
      'let a = []; for (let n = 0; n < 100000; n++) a = [a]; return JSON.stringify(a).length',
    ),
    expected: some(OUT_OF_STACK, TIME),
    limits: { max_run_time: LIMIT_MS },
  },
  {
    name: 'a result of 100,000 levels ends at one of the walls',
    script: onCall('let a = []; for (let n = 0; n < 100000; n++) a = [a]; return a'),
    expected: some(NO_JSON, TIME),
    limits: { max_run_time: LIMIT_MS },
  },
  late(
    'recursion without depth',
    onCall('const f = (n) => { for (;;) f2(n) }, f2 = (n) => n; return f(1)'),
  ),
];

hostile({ title: 'heap', rows: heap }, { title: 'stack', rows: stack });
