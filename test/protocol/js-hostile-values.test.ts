// proof: 30
// js-runtime.md §2, §10; js-worker.md §5.2: odd values in, out and thrown, and modules that are none.

import {
  type Expected,
  fails,
  gives,
  hostile,
  NO_JSON,
  type Row,
  TIMED_OUT,
} from './js-hostile-kit.ts';
import { module, onCall } from './js-worker-kit.ts';

const thrown = (name: string, value: string, text: string | RegExp): Row =>
  fails(`throwing ${name}`, onCall(`throw ${value}`), text);
const NOT_JSON = '[json_parse] Script return is not JSON-serializable (got function/symbol)';
const some = (...either: Expected[]) => ({ expected: { either } });

const throws: readonly Row[] = [
  thrown('null', 'null', '[js_invoke] null'),
  thrown('undefined', 'undefined', '[js_invoke] undefined'),
  thrown('text', '"plain"', '[js_invoke] "plain"'),
  thrown('a number', '-0.5', '[js_invoke] -0.5'),
  thrown('NaN', 'NaN', '[js_invoke] null'),
  thrown('an object', '({ a: 1 })', '[js_invoke] {"a":1}'),
  thrown('a BigInt', '5n', /^\[js_invoke\] /),
  thrown('a symbol', 'Symbol("s")', /^\[js_invoke\] Symbol\(s\)/),
  thrown('a function', '() => 1', /^\[js_invoke\] /),
  thrown('a promise', 'Promise.resolve(1)', '[js_invoke] {}'),
  thrown('a cyclic object', '(() => { const o = {}; o.o = o; return o })()', /^\[js_invoke\] /),
  thrown('an object without a prototype', 'Object.create(null)', '[js_invoke] {}'),
  thrown(
    'a proxy that throws',
    'new Proxy({}, { get() { throw new Error("no") } })',
    /^\[js_invoke\] /,
  ),
  thrown(
    'a revoked proxy',
    '(() => { const r = Proxy.revocable({}, {}); r.revoke(); return r.proxy })()',
    /^\[js_invoke\] /,
  ),
  thrown(
    'an error whose message throws',
    'Object.defineProperty(new Error("x"), "message", { get() { throw 1 } })',
    /^\[js_invoke\] /,
  ),
  thrown(
    'an error whose stack throws',
    'Object.defineProperty(new Error("x"), "stack", { get() { throw 1 } })',
    /^\[js_invoke\] /,
  ),
  thrown(
    'an error whose name is an object',
    'Object.assign(new Error("x"), { name: { toString() { throw 1 } } })',
    /^\[js_invoke\] /,
  ),
  thrown(
    'an error whose message is a number',
    'Object.assign(new Error("x"), { message: 5 })',
    /^\[js_invoke\] /,
  ),
  thrown(
    'an error whose stack is cyclic',
    '(() => { const e = new Error("x"); e.stack = e; return e })()',
    '[js_invoke] Error: x',
  ),
  thrown(
    'an error with a long message',
    'new Error("x".repeat(1e6))',
    /^\[js_invoke\] Error: x{100,20000}$/,
  ),
  thrown(
    'an error with a long stack',
    'Object.assign(new Error("x"), { stack: "line\\n".repeat(1e5) })',
    /^\[js_invoke\] Error: x\n(?:line\n){1,100} {4}\.\.\.\n$/,
  ),
  thrown(
    'an error that names another stage',
    'new Error("[js_runner] JavaScript execution timed out")',
    /^\[js_invoke\] Error: \[js_runner\] /,
  ),
  thrown(
    'an error with U+0000 and halves of characters',
    'new Error("a\\0b\\ud800c")',
    /^\[js_invoke\] Error: a.?b.c\n/s,
  ),
  thrown(
    'an AggregateError',
    'new AggregateError([new Error("a")], "all")',
    /^\[js_invoke\] AggregateError: all\n/,
  ),
  thrown('an error without a message', 'new Error("")', /^\[js_invoke\] +at onCall/),
  thrown('DOMException', 'new DOMException("m", "n")', /^\[js_invoke\] n: m/),
  fails(
    'a handler that is not async throws',
    module('onCall() { throw new RangeError("r") }'),
    /^\[js_invoke\] RangeError: r\n {4}at onCall \(js_worker\.js:1:\d+\)\n$/,
  ),
  fails('a rejection in cron', module('onCron: () => Promise.reject(1)'), '[js_invoke] 1', {
    how: 'cron',
  }),
  fails(
    'a thenable that throws',
    module('onCall: () => ({ then() { throw new Error("t") } })'),
    /^\[js_invoke\] Error: t\n/,
  ),
  fails(
    'a thenable whose then throws when read',
    module('onCall: () => ({ get then() { throw new Error("t") } })'),
    /^\[js_invoke\] Error: t\n/,
  ),
  gives(
    'a thenable that answers twice',
    module('onCall: () => ({ then(yes, no) { yes(1); no(2); yes(3); throw 4 } })'),
    1,
  ),
  gives(
    'a thenable that answers late and again',
    module('onCall: () => ({ then(yes) { setTimeout(() => { yes(1); yes(2) }, 1) } })'),
    1,
  ),
  gives('a promise of a subclass', onCall('class P extends Promise {} return P.resolve(5)'), 5),
  fails(
    'a promise with a constructor of its own',
    module(
      'onCall() { const p = Promise.resolve(1); p.constructor = { [Symbol.species]: function () { throw new Error("s") } }; return p }',
    ),
    /^\[js_invoke\] /,
    some({ value: 1 }, { fails: /^\[js_invoke\] Error: s/ }),
  ),
];

const results: readonly Row[] = [
  fails(
    'undefined',
    onCall(''),
    /^\[js_invoke\] Error: JS handler must return a JSON-serializable value/,
  ),
  fails('a function', onCall('return () => 1'), NOT_JSON),
  fails('a symbol', onCall('return Symbol()'), NOT_JSON),
  fails('a BigInt', onCall('return 5n'), NO_JSON),
  fails('a BigInt inside', onCall('return { a: [5n] }'), NO_JSON),
  fails('a cycle', onCall('const o = {}; o.o = o; return o'), NO_JSON),
  fails('a cycle of arrays', onCall('const a = []; a.push(a); return a'), NO_JSON),
  fails('a getter that throws', onCall('return { get a() { throw new Error("no") } }'), NO_JSON),
  fails('toJSON that throws', onCall('return { toJSON() { throw null } }'), NO_JSON),
  fails('toJSON that gives nothing', onCall('return { toJSON() {} }'), NOT_JSON),
  fails('a proxy that throws', onCall('return new Proxy({}, { ownKeys() { throw 1 } })'), NO_JSON),
  fails(
    'a revoked proxy',
    onCall('const r = Proxy.revocable({}, {}); r.revoke(); return [r.proxy]'),
    NO_JSON,
  ),
  gives('a getter', onCall('return { get a() { return 5 } }'), { a: 5 }),
  gives('a proxy', onCall('return new Proxy({ a: 1 }, {})'), { a: 1 }),
  gives(
    'a getter that adds members while it is read',
    onCall('const o = { get a() { o.b = 1; return 1 } }; return o'),
    { a: 1 },
  ),
  gives('numbers that JSON does not have', onCall('return [NaN, -Infinity, -0, 1e400]'), [
    null,
    null,
    0,
    null,
  ]),
  gives(
    'Date, Map, Set, RegExp, Error',
    onCall('return [new Date(0), new Map([[1, 2]]), new Set([1]), /a/g, new Error("x")]'),
    ['1970-01-01T00:00:00.000Z', {}, {}, {}, {}],
  ),
  fails(
    'a Date that is none',
    onCall('return { get a() { return new Date(NaN).toISOString() } }'),
    NO_JSON,
  ),
  gives(
    'members without a value',
    onCall('return { a: undefined, b() {}, c: Symbol(), d: [undefined, () => 1, Symbol()] }'),
    { d: [null, null, null] },
  ),
  gives('keys that are symbols', onCall('return { [Symbol("a")]: 1, b: 2 }'), { b: 2 }),
  gives(
    '__proto__ as a member',
    onCall('return JSON.parse(\'{"__proto__":{"a":1},"constructor":{"prototype":{"b":2}}}\')'),
    JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":{"b":2}}}'),
  ),
  gives(
    'a member that changes a prototype of the script only',
    onCall(
      'Object.prototype.leaked = 1; globalThis.leaked = 2; try { return { ...{}, own: 1 } } finally { delete Object.prototype.leaked }',
    ),
    { own: 1 },
  ),
  gives(
    'the global object of a wrapper',
    onCall('return [new String("a"), new Number(1), new Boolean(false), Object(1n) === 1n]'),
    ['a', 1, false, false],
  ),
  fails('a wrapped BigInt', onCall('return Object(1n)'), NO_JSON),
  fails(
    'a half of a character',
    onCall('return ["\\ud800"]'),
    /^\[json_parse\] Script return is not valid JSON: /,
  ),
  fails(
    'a half of a character in a key',
    onCall('return { "\\udc00": 1 }'),
    /^\[json_parse\] Script return is not valid JSON: /,
  ),
  gives('U+0000 in text, keys and returned text', onCall('return { "a\\0b": "\\0" }'), {
    'a\0b': '\0',
  }),
  gives('returned text with U+0000', onCall('return "a\\0b"'), 'a\0b'),
  fails(
    '128 levels',
    onCall('let v = 1; for (let n = 0; n < 128; n++) v = [v]; return v'),
    /^\[json_parse\] /,
  ),
  fails(
    'returned text of 100,000 levels',
    onCall('return "[".repeat(100000) + "]".repeat(100000)'),
    /^\[json_parse\] /,
  ),
  fails(
    'a result above 4 MiB',
    onCall('return new Array(50).fill("x".repeat(100000))'),
    /^\[json_parse\] Script return is not valid JSON: it is larger than 4194304 bytes/,
    { limits: { max_heap_size: 64_000_000 } },
  ),
  gives('a long array', onCall('return new Array(100000).fill(1)'), new Array(100_000).fill(1)),
  gives(
    'ctx and env in the result',
    onCall('return [ctx, env]'),
    [{ runType: 'onCall', workerName: 'w', inlineCaller: null }, { a: 1 }],
    { env: { a: 1 } },
  ),
];

const given: readonly Row[] = [
  gives(
    'parameters with __proto__',
    onCall('return [Object.keys(params), params.polluted, ({}).polluted]'),
    [['__proto__', 'a'], null, null],
    { params: JSON.parse('{"__proto__":{"polluted":1},"a":1}') },
  ),
  gives(
    'env with __proto__',
    onCall('return [Object.keys(env), ({}).polluted ?? 0]'),
    [['__proto__'], 0],
    { env: JSON.parse('{"__proto__":{"polluted":1}}') },
  ),
  gives('parameters with then', onCall('return typeof (await params).then'), 'object', {
    params: Object.fromEntries([['then', {}]]),
  }),
  gives(
    'U+0000 and every kind of text as parameters',
    onCall('return params'),
    ['\u0000', '\u2028', '</script>', '\u{1F600}'],
    { params: ['\u0000', '\u2028', '</script>', '\u{1F600}'] },
  ),
  gives('parameters of half a megabyte', onCall('return params.length'), 500_000, {
    params: 'x'.repeat(500_000),
  }),
  fails(
    'parameters larger than the heap',
    onCall('return params.length'),
    /^\[js_runner\] Failed to build input params in JS: |^\[js_invoke\] InternalError: out of memory/,
    { params: 'x'.repeat(4_500_000) },
  ),
  gives(
    'changes of params and env last for one run',
    `let runs = 0; ${onCall('params.a = ++runs; const seen = env.b ?? 0; env.b = runs; ctx.runType = "x"; return [runs, seen]')}`,
    [3, 0],
    { times: 3, env: { a: 1 } },
  ),
  gives(
    "a frozen and poisoned ctx is the run's own",
    `let runs = 0; ${onCall('ctx.__proto__ = null; Object.freeze(ctx); return [++runs, Object.keys(ctx).length]')}`,
    [2, 4],
    { times: 2 },
  ),
  gives(
    "globals that a run overwrites are its worker's own",
    onCall(
      'globalThis.fetch = 1; globalThis.Response = 2; globalThis.leaked = 3; globalThis.JSON = 4; return [fetch, leaked]',
    ),
    [1, 3],
  ),
  gives(
    'a worker that breaks its own built-ins still has them broken',
    `let runs = 0; ${onCall('if (++runs === 1) Array.prototype.map = 5; return Array.prototype.map')}`,
    5,
    { times: 2 },
  ),
  gives(
    'arguments of odd kinds for text functions',
    onCall(
      `let n = 0; for (const f of [() => atob(), () => btoa(Symbol()), () => new URL(), () => new URL(Symbol()), () => new TextDecoder(Symbol()), () => new Headers(5), () => new Headers([[1]]), () => new Headers([[1, 2, 3]]), () => new Request("http://a/", { method: "a b" }), () => new Request("http://a/", { method: "TRACE" }), () => new Request("http://u:p@a/"), () => new Blob(5), () => crypto.getRandomValues(5), () => structuredClone(Symbol()), () => queueMicrotask(5), () => svcLog.info(Symbol(), Symbol("x")), () => inlineCall(Symbol())]) { try { await f() } catch { n++ } } return n >= 15`,
    ),
    true,
  ),
  gives(
    'huge arguments for the host are refused or answered',
    onCall(
      `const s = "x".repeat(400000); let n = 0; for (const f of [() => new URL("http://a/" + s), () => new URL(s), () => new URLSearchParams(s).toString(), () => svcLog.info(s, s), () => console.log(s, [s]), () => new TextDecoder(s), () => new Headers([[s, s]]), () => new Headers().get(s)]) { try { f() } catch (e) { if (!(e instanceof Error)) throw e } n++ } return n`,
    ),
    8,
  ),
  gives(
    'inlineCall with odd names finds nothing',
    onCall(
      `const seen = []; for (const name of ["none", "../w", "a\\0b", "\\ud800", "x".repeat(10000), "%", "'; drop table js_worker; --", {}]) await inlineCall(name).then(() => seen.push("found"), (e) => seen.push(e.constructor === Error)); return [...new Set(seen)]`,
    ),
    [true],
  ),
  gives(
    'inlineCall with odd times',
    onCall(
      'const seen = []; for (const t of [0, -1, NaN, Infinity, "x", {}, [], true]) await inlineCall("none", 1, t).catch((e) => seen.push(e.message.includes("positive finite"))); return seen',
    ),
    [true, true, true, true, true, true, true, false],
  ),
  gives(
    'inlineCall with U+0000 in its parameters',
    module('onCall: () => inlineCall("w", "a\\0b"), onInlineCall: (p) => [p]'),
    ['a\0b'],
  ),
  gives(
    'inlineCall with halves of characters',
    module(
      'onCall: () => inlineCall("w", "a\\ud800b").then((v) => v.length, (e) => 3), onInlineCall: (p) => [p, p.length, 1]',
    ),
    3,
  ),
];

const modules: readonly Row[] = [
  fails(
    'no default export',
    'export const onCall = () => 1',
    /^\[js_invoke\] Error: export default must be an object/,
  ),
  fails(
    'a default export that is null',
    'export default null',
    /^\[js_invoke\] Error: export default must be an object/,
  ),
  fails(
    'a default export that is a function',
    'export default function onCall() { return 1 }',
    /^\[js_invoke\] Error: export default must be an object/,
  ),
  fails(
    'a default export that is a class',
    'export default class { static onCall() { return 1 } }',
    /^\[js_invoke\] Error: export default must be an object/,
  ),
  fails(
    'a default export that is text',
    'export default "onCall"',
    /^\[js_invoke\] Error: export default must be an object/,
  ),
  fails(
    'a default export that is not there yet',
    'export { x as default }; const f = () => x; let x; f();',
    /^\[js_invoke\] Error: export default must be an object/,
  ),
  fails(
    'a handler that is missing',
    module('onCron: () => 1'),
    /^\[js_invoke\] Error: Missing handler function export default\.onCall/,
  ),
  fails(
    'a handler that is no function',
    module('onCall: { call() { return 1 } }'),
    /^\[js_invoke\] Error: Missing handler function export default\.onCall/,
  ),
  fails(
    'a handler whose getter throws',
    'export default { get onCall() { throw new Error("g") } }',
    /^\[js_invoke\] Error: g\n/,
  ),
  fails('a class as handler', module('onCall: class {}'), /^\[js_invoke\] TypeError: /),
  gives('a proxy as default export', 'export default new Proxy({}, { get: () => () => 5 })', 5),
  gives('an array as default export', 'const a = []; a.onCall = () => 6; export default a', 6),
  gives('a bound handler', module('onCall: ((p) => 7).bind(null)'), 7),
  gives('a proxy as handler', module('onCall: new Proxy(() => 8, {})'), 8),
  gives(
    'an inherited handler',
    'class A { onCall() { return this.n } n = 9 } export default new (class extends A {})()',
    9,
  ),
  fails(
    'the top level throws',
    'throw new Error("top"); export default {}',
    /^\[js_eval\] Error: top\n {4}at <anonymous> \(js_worker\.js:1:\d+\)|^\[js_eval\] Error: top\n/,
  ),
  fails('the top level throws null', 'throw null; export default {}', '[js_eval] null'),
  fails(
    'the top level rejects later',
    'await null; throw new Error("late"); export default {}',
    /^\[js_eval\] Error: late\n/,
  ),
  fails(
    'the top level throws again at the next run',
    'throw new Error("top"); export default {}',
    /^\[js_eval\] Error: top/,
    { times: 2 },
  ),
  fails(
    'the top level never settles',
    'await new Promise(() => {}); export default {}',
    TIMED_OUT,
    { limits: { max_run_time: 600 } },
  ),
  fails(
    'the top level imports itself',
    'const self = await import("js_worker.js"); export default { onCall: () => 1 }',
    /^\[js_eval\] ReferenceError: could not load module 'js_worker\.js'/,
  ),
  ...(
    [
      ['a static import', 'import fs from "fs"; export default {}', /could not load module 'fs'/],
      [
        'a re-export',
        'export * from "./other.js"; export default {}',
        /could not load module '\.\/other\.js'/,
      ],
      [
        'an import of itself',
        'import x from "js_worker.js"; export default {}',
        /could not load module 'js_worker\.js'/,
      ],
      ['a syntax error', 'export default {', /SyntaxError: .*\n {4}at js_worker\.js:1:\d+\n$/s],
      [
        'a syntax error after 45 kB',
        `${'export const a = 1; '.slice(7)}${'/* filler */ '.repeat(3_600)}\nexport default { onCall( }`,
        /SyntaxError: .*\n {4}at js_worker\.js:2:\d+\n$/s,
      ],
      ['with', 'with ({}) {} export default {}', /SyntaxError/],
      ['octal numbers', 'export default { onCall: () => 010 }', /SyntaxError/],
      ['two default exports', 'export default {}; export default {}', /SyntaxError/],
      ['return at the top level', 'return 1', /SyntaxError/],
      ['a regular expression that is none', 'export default { onCall: () => /(/ }', /SyntaxError/],
      ['U+0000 in the source', 'export default { onCall: () => "a\0b" }', /NUL|SyntaxError/],
      ['HTML', '<script>alert(1)</script>', /SyntaxError/],
      ['an unterminated template', 'export default { a: `${', /SyntaxError/],
    ] as const
  ).map(
    ([name, script, refused]): Row => ({
      name: `${name} is refused at create`,
      script,
      expected: {
        refused: new RegExp(
          `^999 Other error: JavaScript precompile failed: .*(?:${refused.source})`,
          's',
        ),
      },
    }),
  ),
];

hostile(
  { title: 'throws', rows: throws },
  { title: 'results', rows: results },
  { title: 'what is given', rows: given },
  { title: 'modules', rows: modules },
);
