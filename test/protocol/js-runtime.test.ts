// proof: 11
// js-runtime.md: what a script sees.

import * as assert from 'uvu/assert';
import { oneDialect } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import { module, onCall, type ScriptServer, scriptServer } from './js-worker-kit.ts';

const FAILED = 'JavaScript runtime execution failed: ';

/** Body of `onCall`, and what is recorded. */
const values: readonly (readonly [name: string, body: string, result: unknown])[] = [
  ['null', 'return null', null],
  ['a number', 'return 5', 5],
  ['true', 'return true', true],
  ['an array', 'return [1, [2]]', [1, [2]]],
  ['NaN and Infinity', 'return [NaN, Infinity]', [null, null]],
  ['members without a value', 'return { a: undefined, f() {}, s: Symbol(), b: 1 }', { b: 1 }],
  ['a Map', 'return new Map([[1, 2]])', {}],
  ['a typed array', 'return new Uint8Array([7, 8])', { 0: 7, 1: 8 }],
  ['toJSON', 'return { toJSON: () => ({ made: 1 }) }', { made: 1 }],
  ['a Date', 'return new Date(0)', '1970-01-01T00:00:00.000Z'],
  ['JSON text of an object', `return '{"a":1}'`, { a: 1 }],
  ['JSON text of a number', `return '5'`, 5],
  ['text that is not JSON', `return 'hello'`, 'hello'],
  ['the empty text', `return ''`, ''],
  ['U+0000 and astral characters', `return ['a\\0b', '😀']`, ['a\0b', '😀']],
  ['a thenable', 'return { then(done) { done(7) } }', 7],
  [
    '127 levels',
    'let v = 1; for (let n = 0; n < 127; n++) v = [v]; return JSON.stringify(v).length',
    255,
  ],
  [
    'ctx',
    'return [Object.keys(ctx), ctx]',
    [
      ['runType', 'workerName', 'inlineCall', 'inlineCaller'],
      { runType: 'onCall', workerName: 'w', inlineCaller: null },
    ],
  ],
  ['ctx.inlineCall is the global', 'return ctx.inlineCall === inlineCall', true],
  ['no top-level this', 'return top', 'undefined'],
  ['an empty import.meta', 'return Object.keys(import.meta)', []],
  [
    'a dynamic import',
    'try { await import("fs") } catch (e) { return String(e) }',
    "ReferenceError: could not load module 'fs'",
  ],
  ['eval and Function', 'return [eval("1 + 1"), new Function("return 3")()]', [2, 3]],
  [
    'recent language',
    'return [Object.groupBy([1, 2], (n) => n % 2 ? "a" : "b").a, [3, 1].toSorted(), /(?<=a)b/v.test("ab"), new Set([1]).union(new Set([2])).size, [1, 2].values().map((n) => n * 2).toArray(), typeof Promise.withResolvers, typeof Promise.try, typeof Float16Array]',
    [[1], [1, 3], true, 2, [2, 4], 'function', 'function', 'function'],
  ],
  ['Array.fromAsync', 'return Array.fromAsync([Promise.resolve(1), 2], (n) => n + 1)', [2, 3]],
  [
    'DisposableStack',
    'const seen = []; { const s = new DisposableStack(); s.defer(() => seen.push(1)); s.defer(() => seen.push(2)); s.dispose(); } return seen',
    [2, 1],
  ],
  [
    'what is absent',
    'return [typeof process, typeof require, typeof global, typeof WebAssembly, typeof Intl, typeof WebSocket, typeof navigator]',
    Array.from({ length: 7 }, () => 'undefined'),
  ],
  [
    'randomUUID',
    'return [/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(randomUUID()), randomUUID() === randomUUID()]',
    [true, false],
  ],
  ['65,000 arguments', 'return String.fromCodePoint(...new Uint8Array(65000)).length', 65_000],
  ['atob and btoa', 'return [btoa("hi\\xff"), atob("aGk="), atob(" aG k=")]', ['aGn/', 'hi', 'hi']],
  [
    'atob of something else',
    'try { atob("*") } catch (e) { return [e.name, e instanceof DOMException] }',
    ['InvalidCharacterError', true],
  ],
  [
    'TextEncoder',
    'return [[...new TextEncoder().encode("aü\\0")], new TextEncoder().encodeInto("aü", new Uint8Array(2))]',
    [[97, 195, 188, 0], { read: 1, written: 1 }],
  ],
  [
    'TextDecoder',
    'return [new TextDecoder().decode(new Uint8Array([97, 0, 98, 195, 188])), new TextDecoder("utf-16le").decode(new Uint8Array([97, 0])), new TextDecoder().encoding]',
    ['a\0bü', 'a', 'utf-8'],
  ],
  [
    'TextDecoder, fatal',
    'try { new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array([255])) } catch (e) { return e.name }',
    'TypeError',
  ],
  [
    'TextDecoder, an unknown label',
    'try { new TextDecoder("none") } catch (e) { return e.name }',
    'RangeError',
  ],
  [
    'TextDecoder in pieces',
    'const d = new TextDecoder(); return d.decode(new Uint8Array([195]), { stream: true }) + d.decode(new Uint8Array([188]))',
    'ü',
  ],
  [
    'a decoder of a large text',
    'const t = new TextDecoder().decode(new Uint8Array(700000).fill(0xc3).map((b, i) => i % 2 ? 0xbc : b)); return [t.length, t.replaceAll("ü", "")]',
    [350_000, ''],
  ],
  [
    'URL',
    'const u = new URL("../x?y=1#z", "HTTPS://user:pw@Ex.com:444/a/b/"); return [u.href, u.origin, u.port, u.search, String(u), JSON.stringify(u)]',
    [
      'https://user:pw@ex.com:444/a/x?y=1#z',
      'https://ex.com:444',
      '444',
      '?y=1',
      'https://user:pw@ex.com:444/a/x?y=1#z',
      '"https://user:pw@ex.com:444/a/x?y=1#z"',
    ],
  ],
  [
    'URL setters',
    'const u = new URL("http://a/b"); u.pathname = "c d"; u.port = "81"; u.hash = "h"; u.search = "q=1"; u.searchParams.append("r", "ü"); return u.href',
    'http://a:81/c%20d?q=1&r=%C3%BC#h',
  ],
  ['URL.canParse', 'return [URL.canParse("x"), URL.canParse("x", "http://a")]', [false, true]],
  [
    'a bad URL',
    'try { new URL("x") } catch (e) { return [e.name, e.message] }',
    ['TypeError', 'Invalid URL'],
  ],
  [
    'URLSearchParams',
    'const p = new URLSearchParams({ a: "1 2", b: "ü" }); p.append("a", "3"); p.delete("b"); return [p.toString(), p.getAll("a"), [...p], p.has("a", "3"), p.size]',
    [
      'a=1+2&a=3',
      ['1 2', '3'],
      [
        ['a', '1 2'],
        ['a', '3'],
      ],
      true,
      2,
    ],
  ],
  [
    'Headers',
    'const h = new Headers({ B: "2", a: "1" }); h.append("A", "3"); return [[...h], h.get("a"), h.has("x"), h.get("x")]',
    [
      [
        ['a', '1, 3'],
        ['b', '2'],
      ],
      '1, 3',
      false,
      null,
    ],
  ],
  [
    'a bad header',
    'return ["a b", "", "a\\n"].map((n) => { try { new Headers([[n, "v"]]) } catch (e) { return e.name } })',
    ['TypeError', 'TypeError', 'TypeError'],
  ],
  [
    'a header value with a line feed',
    'try { new Headers({ a: "b\\r\\nc: d" }) } catch (e) { return e.name }',
    'TypeError',
  ],
  [
    'Request',
    'const r = new Request("http://a/", { method: "post", body: "x", headers: { Cookie: "c", host: "h", x: "1" } }); return [r.method, r.url, [...r.headers], await r.text(), r.bodyUsed]',
    [
      'POST',
      'http://a/',
      [
        ['content-type', 'text/plain;charset=UTF-8'],
        ['x', '1'],
      ],
      'x',
      true,
    ],
  ],
  [
    'Requests that are refused',
    'return [["http://a", { body: "x" }], ["http://a", { method: "TRACE" }], ["http://u:p@a/"]].map((a) => { try { new Request(...a) } catch (e) { return e.name } })',
    ['TypeError', 'TypeError', 'TypeError'],
  ],
  [
    'Response',
    'const r = new Response("ü", { status: 201, headers: { x: "1", "set-cookie": "a" } }); return [r.status, r.ok, [...r.headers], await r.clone().text(), [...new Uint8Array(await r.arrayBuffer())]]',
    [
      201,
      true,
      [
        ['content-type', 'text/plain;charset=UTF-8'],
        ['x', '1'],
      ],
      'ü',
      [195, 188],
    ],
  ],
  [
    'Responses that are refused',
    'return [[null, { status: 199 }], [null, { status: 600 }], ["x", { status: 204 }], ["x", { status: 304 }]].map((a) => { try { new Response(...a) } catch (e) { return e.name } })',
    ['RangeError', 'RangeError', 'TypeError', 'TypeError'],
  ],
  [
    'Response.json and .error',
    'const r = Response.json({ a: 1 }, { status: 202 }); return [r.status, r.headers.get("content-type"), await r.json(), Response.error().status, Response.redirect("http://a/b", 301).headers.get("location")]',
    [202, 'application/json', { a: 1 }, 0, 'http://a/b'],
  ],
  [
    'a body is read once',
    'const r = new Response("x"); await r.text(); try { await r.text() } catch (e) { return String(e) }',
    'TypeError: Body is already read',
  ],
  [
    'json() of nothing',
    'try { await new Response("").json() } catch (e) { return String(e) }',
    'SyntaxError: JSON input is empty',
  ],
  [
    'streams',
    'const s = new ReadableStream({ start(c) { c.enqueue(new Uint8Array([97])); c.enqueue(new Uint8Array([98])); c.close() } }); return new Response(s).text()',
    'ab',
  ],
  [
    'a body as stream',
    'const out = []; for await (const part of new Response("abc").body) out.push(...part); return out',
    [97, 98, 99],
  ],
  [
    'TransformStream',
    'const t = new TransformStream({ transform(c, k) { k.enqueue(c * 2) } }); const w = t.writable.getWriter(); w.write(4); w.close(); const r = t.readable.getReader(); return (await r.read()).value',
    8,
  ],
  [
    'Blob',
    'const b = new Blob(["ab", new Uint8Array([99])], { type: "Text/X" }); return [b.size, b.type, await b.text(), await b.slice(1).text(), await b.slice(-1, undefined, "y").text()]',
    [3, 'text/x', 'abc', 'bc', 'c'],
  ],
  [
    'File and FormData',
    'const f = new FormData(); f.append("a", "b"); f.append("c", new Blob(["xyz"]), "n.txt"); const g = await new Response(f).formData(); return [[...g.keys()], await g.get("c").text(), g.get("c").name, g.get("c") instanceof File]',
    [['a', 'c'], 'xyz', 'n.txt', true],
  ],
  [
    'Buffer',
    'return [Buffer.from("ü").toString("hex"), Buffer.from("fffe", "hex").readUInt16BE(), Buffer.concat([Buffer.alloc(1), Buffer.from([2])]).length, Buffer.isBuffer(Buffer.alloc(0)), Buffer.byteLength("ü"), Buffer.from("aGk=", "base64").toString("latin1")]',
    ['c3bc', 65534, 2, true, 2, 'hi'],
  ],
  [
    'structuredClone',
    'const v = { d: new Date(5), m: new Map([[1, new Set([2])]]), b: new Uint8Array([3]) }; v.self = v; const c = structuredClone(v); return [c.d.getTime(), [...c.m.get(1)], c.b[0], c.self === c, c !== v]',
    [5, [2], 3, true, true],
  ],
  [
    'structuredClone of a function',
    'try { structuredClone(() => 1) } catch (e) { return e.name }',
    'DataCloneError',
  ],
  [
    'crypto',
    'const hex = (b) => [...new Uint8Array(b)].map((n) => n.toString(16).padStart(2, "0")).join(""); return [hex(await crypto.subtle.digest("SHA-256", new TextEncoder().encode("abc"))).slice(0, 8), crypto.getRandomValues(new Uint8Array(8)).length]',
    ['ba7816bf', 8],
  ],
  [
    'HMAC: the second case of RFC 4231, by every hash',
    'const e = new TextEncoder(), hex = (b) => [...new Uint8Array(b)].map((n) => n.toString(16).padStart(2, "0")).join(""); const all = []; for (const hash of ["SHA-1", "SHA-256", { name: "sha-384" }, "SHA-512"]) { const key = await crypto.subtle.importKey("raw", e.encode("Jefe"), { name: "HMAC", hash }, false, ["sign"]); all.push(hex(await crypto.subtle.sign("HMAC", key, e.encode("what do ya want for nothing?"))).slice(0, 8)) } return all',
    ['effcdf6a', '5bdcc146', 'af45d2e3', '164b7a7b'],
  ],
  [
    'HMAC: a webhook is verified, and one that was changed is not',
    'const e = new TextEncoder(); const key = await crypto.subtle.importKey("raw", e.encode("secret"), { name: "HMAC", hash: "SHA-256" }, false, ["verify", "sign"]); const mark = new Uint8Array(await crypto.subtle.sign({ name: "hmac" }, key, e.encode("body"))); const verify = (s, b) => crypto.subtle.verify("HMAC", key, s, e.encode(b)); return [await verify(mark, "body"), await verify(mark.buffer, "body"), await verify(mark, "Body"), await verify(mark.subarray(1), "body"), await verify(mark.map((n, at) => at === 31 ? n ^ 1 : n), "body"), await verify(new Uint8Array(), "body")]',
    [true, true, false, false, false, false],
  ],
  [
    'HMAC: a key says what it is, and not what it holds',
    'const key = await crypto.subtle.importKey("raw", new Uint8Array(20), { name: "HMAC", hash: "SHA-256" }, false, ["verify"]); key.usages.push?.call; return [key instanceof CryptoKey, key.type, key.extractable, key.algorithm, key.usages, JSON.stringify(key).includes("0000"), await crypto.subtle.sign("HMAC", key, new Uint8Array()).catch((e) => e.name)]',
    [
      true,
      'secret',
      false,
      { name: 'HMAC', hash: { name: 'SHA-256' }, length: 160 },
      ['verify'],
      false,
      'InvalidAccessError',
    ],
  ],
  [
    'HMAC: what cannot be a key is refused by name',
    'const raw = new Uint8Array(4), hmac = { name: "HMAC", hash: "SHA-256" }; const tries = [["jwk", {}, hmac, true, ["sign"]], ["raw", raw, "HMAC", true, ["sign"]], ["raw", raw, { name: "AES-GCM" }, true, ["encrypt"]], ["raw", raw, { name: "HMAC", hash: "MD5" }, true, ["sign"]], ["raw", raw, hmac, true, []], ["raw", raw, hmac, true, ["encrypt"]], ["raw", new Uint8Array(), hmac, true, ["sign"]], ["raw", "text", hmac, true, ["sign"]], ["raw", new Uint8Array(70000), hmac, true, ["sign"]]]; const all = []; for (const args of tries) all.push(await crypto.subtle.importKey(...args).catch((e) => e.name)); try { new CryptoKey() } catch (e) { all.push(e.name) } all.push(await crypto.subtle.sign("HMAC", { usages: ["sign"] }, raw).catch((e) => e.name)); return all',
    [
      'NotSupportedError',
      'TypeError',
      'NotSupportedError',
      'NotSupportedError',
      'SyntaxError',
      'SyntaxError',
      'DataError',
      'TypeError',
      'QuotaExceededError',
      'TypeError',
      'TypeError',
    ],
  ],
  [
    'an unknown digest',
    'return crypto.subtle.digest("MD5", new Uint8Array()).catch((e) => e.name)',
    'NotSupportedError',
  ],
  ['performance', 'return [performance.now() >= 0, performance.timeOrigin > 1e12]', [true, true]],
  [
    'timers',
    'const seen = []; setTimeout((...a) => seen.push("t", ...a), 0, 1, 2); setImmediate(() => seen.push("i")); queueMicrotask(() => seen.push("m")); const id = setInterval(() => seen.push("n"), 4); await new Promise((done) => setTimeout(done, 40)); clearInterval(id); clearTimeout(undefined); clearTimeout(99999); return [seen.slice(0, 2), seen.includes("t"), seen.includes("n"), typeof id]',
    [['m', 'i'], true, true, 'number'],
  ],
  ['a timer without delay', 'return new Promise((done) => setTimeout(() => done("ok")))', 'ok'],
  ['a text as callback', 'try { setTimeout("1") } catch (e) { return e.name }', 'TypeError'],
  [
    'a timer that throws',
    'setTimeout(() => { throw new Error("lost") }, 0); return new Promise((done) => setTimeout(() => done("others go on"), 10))',
    'others go on',
  ],
  ['an unhandled rejection', 'Promise.reject(new Error("nobody")); return "fine"', 'fine'],
  [
    'console',
    'return [console.log("a", 1), typeof console.info, typeof console.debug, typeof console.warn, typeof console.error]',
    [null, 'function', 'function', 'function', 'function'],
  ],
  [
    'globals that can be written',
    'globalThis.fetch = () => 1; Buffer = 5; return [fetch(), Buffer]',
    [1, 5],
  ],
];

/** Body of `onCall`, and the recorded failure. */
const failures: readonly (readonly [name: string, body: string, expected: string | RegExp])[] = [
  [
    'undefined',
    'return undefined',
    '[js_invoke] Error: JS handler must return a JSON-serializable value',
  ],
  ['nothing', '', '[js_invoke] Error: JS handler must return a JSON-serializable value'],
  [
    'a function',
    'return () => 1',
    '[json_parse] Script return is not JSON-serializable (got function/symbol)',
  ],
  [
    'a symbol',
    'return Symbol()',
    '[json_parse] Script return is not JSON-serializable (got function/symbol)',
  ],
  [
    'toJSON that gives nothing',
    'return { toJSON() {} }',
    '[json_parse] Script return is not JSON-serializable (got function/symbol)',
  ],
  ['a BigInt', 'return 1n', 'Exception generated by QuickJS'],
  ['a circle', 'const a = {}; a.a = a; return a', 'Exception generated by QuickJS'],
  ['a getter that throws', 'return { get a() { throw 1 } }', 'Exception generated by QuickJS'],
  [
    '128 levels',
    'let v = 1; for (let n = 0; n < 128; n++) v = [v]; return v',
    '[json_parse] Script return is not valid JSON: recursion limit exceeded',
  ],
  ['half a pair', 'return "\\ud800"', /^\[json_parse\] Script return is not valid JSON: /],
  [
    'a result that fits the heap once',
    'return "x".repeat(4_300_000)',
    /^\[js_invoke\] InternalError: out of memory/,
  ],
  [
    'an Error',
    'throw new TypeError("boom")',
    /^\[js_invoke\] TypeError: boom\n {4}at onCall \(js_worker\.js:1:\d+\)\n$/,
  ],
  [
    'an Error without message',
    'throw new Error()',
    /^\[js_invoke\] {5}at onCall \(js_worker\.js:1:\d+\)\n$/,
  ],
  ['a text', 'throw "plain"', '[js_invoke] "plain"'],
  ['an object', 'throw { a: 1 }', '[js_invoke] {"a":1}'],
  ['an object with a message', 'throw { message: "m" }', '[js_invoke] m'],
  ['null', 'throw null', '[js_invoke] null'],
  [
    'a rejected promise',
    'return Promise.reject(new RangeError("r"))',
    /^\[js_invoke\] RangeError: r\n/,
  ],
];

/** Whole modules, and the recorded failure. */
const modules: readonly (readonly [name: string, script: string, expected: string | RegExp])[] = [
  [
    'no default export',
    'export const a = 1',
    '[js_invoke] Error: export default must be an object',
  ],
  [
    'a function as default export',
    'export default () => 1',
    '[js_invoke] Error: export default must be an object',
  ],
  [
    'a class as default export',
    'export default class {}',
    '[js_invoke] Error: export default must be an object',
  ],
  [
    'null as default export',
    'export default null',
    '[js_invoke] Error: export default must be an object',
  ],
  [
    'no handler',
    'export default {}',
    '[js_invoke] Error: Missing handler function export default.onCall',
  ],
  [
    'a handler that is no function',
    'export default { onCall: 5 }',
    '[js_invoke] Error: Missing handler function export default.onCall',
  ],
  [
    'a top level that throws',
    'throw new Error("top")',
    /^\[js_eval\] Error: top\n {4}at <anonymous> \(js_worker\.js:1:\d+\)\n$/,
  ],
  [
    'a top level that rejects',
    'await Promise.reject(new Error("later")); export default {}',
    /^\[js_eval\] Error: later\n/,
  ],
];

/** Whole modules with their result. */
const forms: readonly (readonly [name: string, script: string, result: unknown])[] = [
  ['export as default', 'const api = { onCall: () => 1 }; export { api as default }', 1],
  [
    'an instance of a class',
    'class Base { onCall() { return this.help() } help() { return 2 } } export default new (class extends Base {})()',
    2,
  ],
  ['an array with a handler', 'export default Object.assign([], { onCall: () => 3 })', 3],
  [
    'helpers through this',
    'export default { onCall(p, e, c) { return this.onCron(p, e, c) }, onCron: (p) => p }',
    7,
  ],
  [
    'top-level await',
    'const n = await new Promise((done) => setTimeout(() => done(8), 5)); export default { onCall: () => n }',
    8,
  ],
];

for (const dialect of oneDialect) {
  const test = suite(`js-runtime (${dialect})`);
  let server: ScriptServer;
  test.before(async () => {
    server = await scriptServer({}, { dialect, plugins: ['server-info', 'db', 'agent-uuid'] });
  });
  test.after(() => server.app.stop());
  test.after.each(async () => {
    await server.asSuper('js-worker_delete', { name: 'w' });
  });
  const run = async (
    script: string,
    params: unknown = null,
    rest: Record<string, unknown> = {},
  ) => {
    const made = await server.create('w', script, rest);
    if (typeof made === 'string') throw new Error(made);
    return server.run('w', params);
  };

  for (const [name, body, expected] of values) {
    test(`${name}`, async () => {
      const { result, error_message } = await run(`const top = typeof this;\n${onCall(body)}`);
      assert.is(error_message, null);
      assert.equal(result, expected);
    });
  }

  for (const [name, body, expected] of failures) {
    test(`the failure of ${name}`, async () => {
      const { result, error_message } = await run(onCall(body));
      assert.is(result, null);
      matches(error_message, expected);
    });
  }

  for (const [name, script, expected] of modules) {
    test(`a module with ${name} fails when it runs, each time`, async () => {
      matches((await run(script)).error_message, expected);
      matches((await server.run('w')).error_message, expected);
    });
  }

  for (const [name, script, expected] of forms) {
    test(`the form: ${name}`, async () => {
      const { result, error_message } = await run(script, 7);
      assert.is(error_message, null);
      assert.equal(result, expected);
    });
  }

  test('svc: named parameters, a request object, a text, a batch, and the answers as they are', async () => {
    const { result } = await run(
      onCall(`const list = 'js-worker_list_all_js_worker';
        const token = params;
        return [
          (await svc(list, { token, gone: undefined })).result,
          (await svc({ jsonrpc: '2.0', id: 7, method: list, params: [token] })).id,
          (await svc(' {"jsonrpc":"2.0","id":18446744073709551615,"method":"' + list + '","params":["' + token + '"]} ')).result,
          (await svc([{ jsonrpc: '2.0', id: 1, method: list, params: [token] }, { jsonrpc: '2.0', id: 2, method: 'none' }])).map((a) => a.id + (a.result ? 'ok' : String(a.error.code))),
          await svc([]),
          (await svc(list, { token }, null)).id,
          (await svc('none_such')).error,
        ]`),
      server.app.superToken,
    );
    assert.equal(result, [
      ['w'],
      7,
      ['w'],
      ['1ok', '2-32601'],
      [],
      null,
      { code: -32601, message: 'Method not found' },
    ]);
  });

  for (const [name, call] of [
    ['no argument', 'svc()'],
    ['an object without id', 'svc({ jsonrpc: "2.0", method: "m" })'],
    ['an id that is undefined', 'svc("m", {}, undefined)'],
    ['bad JSON', 'svc("{")'],
    ['a number', 'svc(5)'],
    ['a batch with one that is none', 'svc([{ jsonrpc: "2.0", id: 1, method: "none" }, 5])'],
  ] as const) {
    test(`svc rejects ${name}`, async () => {
      const { result } = await run(
        onCall(`return ${call}.then(() => 'resolved', (e) => [e.name, e.message])`),
      );
      assert.is(result[0], 'TypeError');
      assert.match(result[1], /^Error converting from js 'jsonrpc_module' into type 'String': /);
    });
  }

  test('svc implies no right', async () => {
    const token = await server.token([{ js_worker: 'other' }], [{ js_worker: 'read' }]);
    const { result } = await run(
      onCall(`const ask = (token) => svc('js-worker_read', { token, name: 'w' }).then((a) => a.error.message);
        return [await ask(params), await ask('nobody:here'), (await svc('js-worker_read', { name: 'w' })).error.code]`),
      token,
    );
    assert.equal(result, [
      "Permission denied: Permission denied for js_worker 'w', required permission: Read",
      'Permission denied: Invalid credentials',
      -32602,
    ]);
  });

  test('a subscription answers as over HTTP', async () => {
    const body = `return (await svc('svc-server_stream_log', { token: params, log_filter: 'info' })).error.code`;
    assert.is((await run(onCall(body), server.app.superToken)).result, -32603);
  });

  test('many calls at once', async () => {
    const body = `const all = await Promise.all(Array.from({ length: 200 }, () => svc('svc-server_uuid')));
      return [all.length, new Set(all.map((a) => a.result)).size]`;
    assert.equal((await run(onCall(body))).result, [200, 1]);
  });

  test('the helpers of db, execSql and getDatabaseType', async () => {
    const body = `const out = [];
      out.push(await getDatabaseType(params) !== undefined);
      out.push((await execSql(params, 'select $2 as a, $1 as b', [1, 'new'])).data);
      await db.create(params, 'box');
      await db.execSql(params, 'box', 'create table t (a)');
      await db.execSql(params, 'box', 'insert into t values (?)', [5]);
      out.push((await db.execSql(params, 'box', 'select a from t')).data);
      await db.update(params, 'box', 'box2');
      out.push((await db.read(params, 'box2')).data.name, (await db.list(params)).data.length);
      await db.remove(params, 'box2');
      out.push(await db.read(params, 'box2').catch((e) => e.name + ': ' + e.message));
      return out;`;
    const { result, error_message } = await run(onCall(body), server.app.superToken);
    assert.is(error_message, null);
    assert.equal(result.slice(0, 5), [true, [{ a: 'new', b: 1 }], [{ a: 5 }], 'box2', 1]);
    assert.match(result[5], /^Error: /);
  });

  for (const [call, expected] of [
    ['inlineCall(" ")', 'inlineCall js_worker_name cannot be empty'],
    ['inlineCall("w", 1, 0)', 'inlineCall timeout_sec must be a positive finite number'],
    ['inlineCall("w", 1, "x")', 'inlineCall timeout_sec must be a positive finite number'],
    ['inlineCall("w", 1n)', /^inlineCall params is not JSON-serializable: /],
    ['inlineCall("none")', 'Not found in database: js_worker not found: none'],
  ] as const) {
    test(`${call} rejects with an Error`, async () => {
      const { result } = await run(
        onCall(`return ${call}.catch((e) => [e.constructor === Error, e.message])`),
      );
      assert.is(result[0], true);
      matches(result[1], expected);
    });
  }

  test('inlineCall gives the value, and the whole text of a failure', async () => {
    const script = module(`async onCall() {
        return [await inlineCall('w', { n: 1 }), await inlineCall('w').catch((e) => e.message)] },
      onInlineCall(params) { if (params === null) throw new Error('x'.repeat(400)); return { got: params } }`);
    const { result } = await run(script);
    assert.equal(result[0], { got: { n: 1 } });
    const text = `Other error: ${FAILED}[js_invoke] Error: ${'x'.repeat(400)}\n`;
    assert.ok(result[1].startsWith(text), result[1]);
  });

  test('log entries carry worker, namespace and level', async () => {
    await run(`svcLog.warn('', 'at the top');
      ${onCall(`svcLog.info('space', { toString: () => 'text' }); svcLog.error(null, 'e');
        console.log('c', { a: 1 }); svcLog.log(5, 'long'.repeat(10_000)); return 1`)}`);
    const entries = (await server.asSuper('svc-server_log')).filter?.(
      (e: any) => e.target === 'js_worker',
    );
    assert.ok(Array.isArray(entries), 'log entries are listed');
    const seen = entries.map((e: any) => JSON.stringify(e));
    for (const [level, space, message] of [
      ['WARN', 'default', 'at the top'],
      ['INFO', 'space', 'text'],
      ['ERROR', 'default', '"e"'],
      ['INFO', 'console', 'c {'],
    ] as const) {
      assert.ok(
        seen.some(
          (text: string) =>
            text.includes(level) &&
            text.includes(`"${space}"`) &&
            text.includes(message.replaceAll('"', '')),
        ),
        `${level} ${space} ${message}: ${seen.slice(-8).join('\n')}`,
      );
    }
    assert.ok(seen.every((text: string) => text.length < 10_000));
    assert.ok(entries.slice(-5).every((e: any) => JSON.stringify(e).includes('"w"')));
  });

  for (const [name, script, expected] of [
    [
      'waiting',
      onCall('await new Promise(() => {})'),
      '[js_runner] JavaScript execution timed out',
    ],
    [
      'waiting for a call',
      onCall('await new Promise((done) => setTimeout(done, 60000))'),
      '[js_runner] JavaScript execution timed out',
    ],
    [
      'computing',
      onCall('for (;;);'),
      '[js_runner] JavaScript execution exceeded max_run_time_ms=400',
    ],
    [
      'computing with finally',
      onCall('try { for (;;); } catch { return 1 } finally { return 2 }'),
      '[js_runner] JavaScript execution exceeded max_run_time_ms=400',
    ],
    [
      'computing at the top',
      'for (;;); export default {}',
      '[js_runner] JavaScript execution exceeded max_run_time_ms=400',
    ],
    [
      'waiting at the top',
      'await new Promise(() => {}); export default {}',
      '[js_runner] JavaScript execution timed out',
    ],
  ] as const) {
    test(`the time limit ends a run that is ${name}; the next one has a fresh context`, async () => {
      const started = Date.now();
      // Long enough for a script to get as far as its wait on a busy machine: else the other wall is met.
      const limit = name.startsWith('waiting') ? 1_000 : 400;
      const limited = { max_run_time: limit };
      const row = await run(`let n = 0;\n${script}`, null, limited);
      assert.is(row.error_message, FAILED + expected);
      const took = row.finish_time - row.start_time;
      assert.ok(took >= limit - 1 && Date.now() - started < 30_000, `${took} ms`);
      await server.update('w', 'let n = 0; export default { onCall: () => ++n };', limited);
      assert.is((await server.run('w')).result, 1);
    });
  }

  test('heap exhaustion can be caught, and fails the run when it is not', async () => {
    const fill = 'const all = []; for (;;) all.push(new Uint8Array(100_000));';
    const caught = await run(onCall(`try { ${fill} } catch (e) { return [e.name, e.message] }`));
    assert.equal(caught.result, ['InternalError', 'out of memory']);
    await server.update('w', onCall(fill));
    const { error_message } = await server.run('w');
    assert.match(error_message, /\[js_invoke\] InternalError: out of memory/);
  });

  test('a result of more than 4 MiB is not recorded', async () => {
    const rest = { max_heap_size: 60_000_000 };
    const { error_message } = await run(onCall('return "x".repeat(4_300_000)'), null, rest);
    const text = '[json_parse] Script return is not valid JSON: it is larger than 4194304 bytes';
    assert.is(error_message, FAILED + text);
  });

  test('a larger heap holds more', async () => {
    const body =
      'const all = []; for (let n = 0; n < 200; n++) all.push(new Uint8Array(100_000)); return all.length';
    assert.match((await run(onCall(body))).error_message, /out of memory/);
    await server.update('w', onCall(body), { max_heap_size: 40_000_000 });
    assert.is((await server.run('w')).result, 200);
  });

  test('deep recursion can be caught', async () => {
    const { result } = await run(
      onCall(
        'let n = 0; const f = () => { n++; f() }; try { f() } catch (e) { return [n > 1000, e.name] }',
      ),
    );
    assert.is(result[0], true);
    assert.match(
      (await server.update('w', onCall('const f = () => f() + 1; return f()'))).name,
      'w',
    );
    assert.match(
      (await server.run('w')).error_message,
      /\[js_invoke\] RangeError: Maximum call stack size exceeded/,
    );
  });

  test('a returned value is a success although work was left behind', async () => {
    const { result, error_message, finish_time, start_time } = await run(
      onCall(`svc('svc-server_uuid'); setTimeout(() => 1, 60000); return 'sent'`),
    );
    assert.equal([result, error_message], ['sent', null]);
    // Far below the timer's minute.
    assert.ok(finish_time - start_time < 20_000);
    assert.is((await server.run('w')).result, 'sent');
  });

  test('source mode names the worker in stack frames', async () => {
    await server.create('w', onCall('throw new Error("x")'));
    const { error_message } = await server.run('w', null, { compile_mode: 'source' });
    assert.match(
      error_message,
      /^JavaScript runtime execution failed: JavaScript execution error: \[js_invoke\] Error: x\n {4}at onCall \(w\.js:1:\d+\)\n$/,
    );
  });

  test.run();
}

/** The text of a failure, without what every pooled run puts before it. */
function matches(text: string, expected: string | RegExp): void {
  const detail = text.startsWith(FAILED) ? text.slice(FAILED.length) : text;
  if (typeof expected === 'string') assert.is(detail, expected);
  else assert.match(detail, expected);
}
