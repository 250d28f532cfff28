// proof: 20
// js-runtime.md §7: nothing of the host is within reach of a script, and no script reaches another one.

import { fails, gives, hostile, type Row } from './js-hostile-kit.ts';
import { onCall } from './js-worker-kit.ts';

/** Names of a Node process; none may show in any text or value that a script gets hold of. */
const HOST =
  '/node_modules|node:|file:|worker_threads|quickjs|\\/src\\/|\\/dist\\/|\\.ts:|process|require/i';

const reach: readonly Row[] = [
  gives(
    'the constructor of a constructor makes functions of the script only',
    onCall(
      `const F = (() => 1).constructor; const G = F('return typeof process + typeof require + typeof module + typeof __filename'); return [F === Function, G()]`,
    ),
    [true, 'undefinedundefinedundefinedundefined'],
  ),
  gives(
    'async and generator constructors see no host either',
    onCall(`const makers = [async () => 1, function* () {}, async function* () {}].map((f) => f.constructor);
      const found = await makers[0]('return typeof process + typeof globalThis.process')();
      const [first] = makers[1]('yield typeof require')(); const next = await makers[2]('yield typeof module')().next();
      return [found, first, next.value]`),
    ['undefinedundefined', 'undefined', 'undefined'],
  ),
  gives(
    "indirect eval sees the script's own globals",
    onCall(
      'return [(0, eval)("typeof process"), (0, eval)("this === globalThis"), new Function("return this === globalThis")()]',
    ),
    ['undefined', true, true],
  ),
  ...[
    'process',
    'require',
    'module',
    'exports',
    'global',
    'Deno',
    'Bun',
    'window',
    'self',
    'importScripts',
    'postMessage',
    'Worker',
    'SharedWorker',
    'WebAssembly',
    'Intl',
    'navigator',
    'std',
    'os',
    'scriptArgs',
    'load',
    'print',
    'gc',
    '__loadScript',
    'bjson',
    'host',
    'api',
    'driver',
  ].map((name) =>
    gives(`there is no ${name}`, onCall(`return [typeof ${name}, '${name}' in globalThis]`), [
      'undefined',
      false,
    ]),
  ),
  ...[
    'fs',
    'node:fs',
    'child_process',
    'std',
    'os',
    'qjs:std',
    './x.js',
    '/etc/passwd',
    'file:///etc/passwd',
    'https://example.com/x.js',
    'data:text/javascript,export default 1',
    '../../package.json',
    '<compile>',
    '<runtime>',
    '<eval>',
    '',
  ].map((name) =>
    gives(
      `import of '${name}' finds nothing`,
      onCall(
        `try { await import(${JSON.stringify(name)}); return 'loaded' } catch (e) { return String(e) }`,
      ),
      `ReferenceError: could not load module '${name}'`,
    ),
  ),
  gives(
    'import with a specifier that throws rejects',
    onCall('return import({ toString() { throw new Error("mine") } }).catch((e) => e.message)'),
    'mine',
  ),
  gives(
    'import with attributes loads no file',
    onCall(
      'return import("./package.json", { with: { type: "json" } }).then(() => "loaded", (e) => e.name)',
    ),
    'ReferenceError',
  ),
  gives(
    'own property names of the global object are all of the language or of the chapter',
    onCall(
      `return Object.getOwnPropertyNames(globalThis).filter((name) => ${HOST}.test(name) || /^(?:__|QTS|_)/.test(name))`,
    ),
    [],
  ),
  gives(
    'a walk over everything that globals reach meets nothing of the host',
    onCall(`const seen = new Set(); const found = []; const queue = [globalThis];
      while (queue.length > 0 && seen.size < 20000) {
        const value = queue.pop(); if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) continue;
        seen.add(value);
        for (const key of Reflect.ownKeys(value)) {
          if (typeof key === 'string' && /^(?:mainModule|binding|dlopen|env|argv|execPath|pid|parentPort|workerData|_malloc|HEAPU8|ffi|execSync|readFileSync|spawn)$/.test(key)) found.push(key);
          const { value: next, get, set } = Reflect.getOwnPropertyDescriptor(value, key) ?? {};
          queue.push(next, get, set);
        }
        queue.push(Object.getPrototypeOf(value));
      }
      return [found, seen.size > 500]`),
    [[], true],
  ),
  gives(
    "prototypes of functions of the host end in the script's own Function",
    onCall(`return [fetch, setTimeout, atob, randomUUID, inlineCall, svcLog.info, console.log, db.create, crypto.subtle.digest]
      .every((f) => { let p = f; while (Object.getPrototypeOf(p) !== null) p = Object.getPrototypeOf(p); return p === Object.prototype && Object.getPrototypeOf(f).constructor !== undefined && f instanceof Function })`),
    true,
  ),
  gives(
    'source text of functions shows no host',
    onCall(
      `return [fetch, setTimeout, atob, svc, inlineCall, URL, TextEncoder, Response].filter((f) => /worker_threads|node:|import\\(/.test(String(f))).length`,
    ),
    0,
  ),
  gives(
    'caller and arguments of functions are refused',
    onCall(`function f() { return f.caller } const a = (() => { try { return typeof f() } catch (e) { return e.name } })();
      const b = (() => { try { return typeof setTimeout.caller } catch (e) { return e.name } })();
      return [a, b].every((x) => x === 'TypeError' || x === 'undefined' || x === 'object')`),
    true,
  ),
  gives(
    'Error.prepareStackTrace gets no host frames',
    onCall(`Error.prepareStackTrace = (error, sites) => { globalThis.sites = sites; return 'mine' };
      const { stack } = new Error('x'); const found = (Array.isArray(globalThis.sites) ? globalThis.sites : []).map((s) => s.getFunction?.() ?? s.getThis?.());
      delete Error.prepareStackTrace; delete globalThis.sites;
      return [found.filter((f) => f !== undefined && f !== null).length, ${HOST}.test(String(stack))]`),
    [0, false],
  ),
  gives(
    'stacks of errors that the host makes show no path of the host',
    onCall(`const stacks = []; const grab = (e) => stacks.push(String(e.stack) + e.message + String(e.cause));
      for (const f of [() => new URL('::'), () => atob('*'), () => new TextDecoder('x'), () => btoa('\\u0100'), () => setTimeout(5), () => new Response('', { status: 999 }), () => new Headers([['a\\n', 'b']]), () => crypto.getRandomValues(new Uint8Array(70000)), () => structuredClone(() => 1)]) { try { f() } catch (e) { grab(e) } }
      for (const f of [() => fetch('http://127.0.0.1:1/'), () => fetch('file:///etc/passwd'), () => fetch('blob:x'), () => inlineCall('none'), () => svc(), () => crypto.subtle.digest('x', new Uint8Array()), () => new Response('x', { headers: { 'content-type': 'multipart/form-data' } }).formData()]) await f().then(() => stacks.push('resolved'), grab);
      return [stacks.length, stacks.filter((text) => ${HOST}.test(text))]`),
    [16, []],
  ),
  fails(
    'what is recorded of an error shows frames of the script only',
    onCall('return [3].map(() => new URL("::"))'),
    /^\[js_invoke\] TypeError: Invalid URL\n(?: {4}at [^\n]*\((?:js_worker\.js:\d+:\d+|native)\)\n)+$/,
  ),
  gives('nothing can be waited for', onCall('return typeof Atomics'), 'undefined'),
  gives(
    'a SharedArrayBuffer is no body, no result and no argument of the host',
    onCall(`if (typeof SharedArrayBuffer === 'undefined') return true;
      const view = new Uint8Array(new SharedArrayBuffer(8)); const { length } = new TextDecoder().decode(view);
      const digest = await crypto.subtle.digest('SHA-256', view); return length === 8 && digest.byteLength === 32`),
    true,
  ),
  gives(
    'a resizable buffer that shrinks while it is handed over does no harm',
    onCall(`const buffer = new ArrayBuffer(1000, { maxByteLength: 100000 }); const view = new Uint8Array(buffer);
      const label = { toString() { buffer.resize(10); return 'SHA-256' } };
      try { await crypto.subtle.digest(label, view) } catch (e) { return e instanceof Error }
      return buffer.byteLength === 10`),
    true,
  ),
  gives(
    'a detached buffer is refused or empty',
    onCall(`const buffer = new ArrayBuffer(100); buffer.transfer?.();
      try { return (await crypto.subtle.digest('SHA-256', buffer)).byteLength === 32 } catch (e) { return e instanceof Error }`),
    true,
  ),
];

/** Built-ins broken before the host is called: only the script itself may suffer. */
const bent = (given: string, then: string): string =>
  onCall(
    `const given = ${given}; Array.prototype.toJSON = () => given; try { ${then} } finally { delete Array.prototype.toJSON } return 'done'`,
  );
const poison: readonly Row[] = [
  ...['constructor', '__proto__', 'toString', 'child', 'close', 'nothing', ''].map((level) =>
    gives(
      `the log is not made to call '${level}'`,
      bent(JSON.stringify([level, 'space', 'text']), 'svcLog.info("a", "b")'),
      'done',
    ),
  ),
  gives(
    'log entries are text whatever JSON says',
    bent('["info", 5, true]', 'svcLog.info("a", "b")'),
    'done',
  ),
  gives('a log entry without anything is one', bent('null', 'svcLog.info("a", "b")'), 'done'),
  ...['constructor', 'toString', '__proto__', 'valueOf', 'hasOwnProperty'].map((kind) =>
    gives(
      `a timer is not made of '${kind}'`,
      bent(
        JSON.stringify([kind, 5]),
        'try { setTimeout(() => { for (;;); }, 1) } catch (e) { if (e.message !== "unknown timer") throw e }',
      ),
      'done',
    ),
  ),
  ...[
    'fetch("http://127.0.0.1:1/")',
    'svc("svc-server_hello", [])',
    'inlineCall("none")',
    'new URLSearchParams([["a", "b"]]).toString()',
    'new URL("http://a/").searchParams.append("a", "b")',
    'new TextEncoder().encode("a")',
    'crypto.subtle.digest("SHA-1", new Uint8Array(1))',
    'clearTimeout(setTimeout(() => 1, 5))',
  ].flatMap((call) =>
    [
      'null',
      '5',
      '"text"',
      '{}',
      '[]',
      '[null, null]',
      '{ worker: {}, seconds: "x", params: {}, url: 5, headers: 5, length: -1 }',
    ].map((value) =>
      gives(
        `${call} with JSON that says ${value}`,
        onCall(`const given = ${value}; for (const p of [Array.prototype, Object.prototype]) Object.defineProperty(p, 'toJSON', { value: () => given, configurable: true });
          try { await Promise.race([${call}, new Promise((done) => queueMicrotask(done))]) } catch (e) { if (!(e instanceof Error)) throw 1 } finally { delete Array.prototype.toJSON; delete Object.prototype.toJSON } return 'done'`),
        'done',
      ),
    ),
  ),
  ...(
    [
      ['JSON.parse', 'JSON.parse = () => { throw 1 }'],
      ['JSON.stringify', 'JSON.stringify = () => "{"'],
      ['Promise.prototype.then', 'Promise.prototype.then = () => 1'],
      ['Promise.resolve', 'Promise.resolve = null'],
      [
        'Promise.prototype.constructor',
        'Object.defineProperty(Promise.prototype, "constructor", { get() { throw 1 } })',
      ],
      [
        'Map.prototype',
        'for (const name of ["get", "set", "delete", "has", "clear"]) Map.prototype[name] = () => { throw 1 }',
      ],
      [
        'Array.prototype',
        'for (const name of ["map", "filter", "push", "join", "slice", "find", "some"]) Array.prototype[name] = () => { throw 1 }',
      ],
      ['Array iteration', 'Array.prototype[Symbol.iterator] = function* () { for (;;) yield 1 }'],
      [
        'String.prototype',
        'for (const name of ["split", "trim", "slice", "includes", "toLowerCase"]) String.prototype[name] = () => ({})',
      ],
      [
        'RegExp.prototype',
        'RegExp.prototype.exec = () => ({}); RegExp.prototype.test = () => true',
      ],
      [
        'Function.prototype',
        'Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => { throw 1 }',
      ],
      ['Reflect', 'Reflect.apply = Reflect.defineProperty = () => { throw 1 }'],
      ['Object', 'Object.keys = Object.entries = Object.defineProperty = () => { throw 1 }'],
      [
        'the global constructors',
        'globalThis.Error = globalThis.Promise = globalThis.Map = globalThis.Array = globalThis.Object = globalThis.Uint8Array = null',
      ],
      ['Symbol.species', 'Object.defineProperty(Promise, Symbol.species, { get() { throw 1 } })'],
      [
        'a setter for every index',
        'Object.defineProperty(Object.prototype, 0, { set() { throw 1 }, configurable: true })',
      ],
      [
        'getters for what the runtime may lack',
        'for (const name of ["e", "v", "value", "body", "get", "text", "host", "bytes", "stream", "ReadableStream", "Blob", "type", "then"]) Object.defineProperty(Object.prototype, name, { get() { globalThis.caught = this; return undefined }, set() {}, configurable: true })',
      ],
    ] as const
  ).map(
    ([what, code]): Row => ({
      name: `with ${what} broken, calls of the host fail or work, and the run ends`,
      script: onCall(`${code}; const seen = [];
      for (const f of [() => new URL('http://a/').href, () => svcLog.info('a', 'b'), () => svc('svc-server_hello', []), () => inlineCall('none', 1), () => new Headers({ a: 'b' }), () => new Response('x').text(), () => setTimeout(() => 1, 1)]) { try { await f() } catch {} }
      return 5`),
      expected: {
        either: [
          { value: 5 },
          { fails: /^\[js_invoke\] |^\[js_runner\] JavaScript execution |^Exception/ },
        ],
      },
      limits: { max_run_time: 300 },
    }),
  ),
];
hostile({ title: 'reach', rows: reach }, { title: 'poison', rows: poison });
