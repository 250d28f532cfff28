// proof: 25
// js-runtime.md §6: where the objects of the Web differ easily. All rows of a database are one run of one script.

import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as assert from 'uvu/assert';
import { loop, oneDialect } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import {
  eventually,
  module,
  onCall,
  onRoute,
  PATIENT,
  type ScriptServer,
  scriptServer,
} from './js-worker-kit.ts';

type Rows = readonly (readonly [name: string, body: string, result: unknown])[];

/** Calls each function of a list: what it gives, or the name of what it throws. */
const HELPERS = `const tried = (...list) => list.map((f) => { try { return f() } catch (e) { return e.name } });
const bytes = (b) => [...new Uint8Array(b)];
const all = async (stream) => { const out = []; for await (const each of stream) out.push(each); return out };`;

const headers: Rows = [
  [
    'values of a record are text, missing ones too',
    'return [...new Headers({ a: undefined, b: null, c: 5 })]',
    [
      ['a', 'undefined'],
      ['b', 'null'],
      ['c', '5'],
    ],
  ],
  [
    'a pair has two parts',
    'return tried(() => new Headers([["a"]]), () => new Headers([["a", "b", "c"]]), () => new Headers([["a", undefined]]).get("a"))',
    ['TypeError', 'TypeError', 'undefined'],
  ],
  [
    'blanks around a value go, those within stay',
    'return new Headers({ a: " \\t b\\tc \\r\\n" }).get("a")',
    'b\tc',
  ],
  [
    'set-cookie is listed one by one',
    'const h = new Headers([["x", "1"], ["Set-Cookie", "a=1"], ["set-cookie", "b=2"]]); return [[...h], h.getSetCookie(), h.get("set-cookie")]',
    [
      [
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
        ['x', '1'],
      ],
      ['a=1', 'b=2'],
      'a=1, b=2',
    ],
  ],
];

const bodies: Rows = [
  [
    'a small body is a copy of what was given',
    'const b = new Uint8Array([1, 2]); const r = new Response(b); b[0] = 9; return bytes(await r.arrayBuffer())',
    [1, 2],
  ],
  [
    'a body of a view holds what the view shows',
    'const b = new Uint8Array([1, 2, 3, 4]); return [bytes(await new Response(b.subarray(1, 3)).arrayBuffer()), bytes(await new Response(new DataView(b.buffer, 2)).arrayBuffer())]',
    [
      [2, 3],
      [3, 4],
    ],
  ],
  [
    'a byte order mark is not part of the text',
    'return [(await new Response("\\ufeffab").text()).length, await new Response("\\ufeff[1]").json(), (await new Response(new Uint8Array([239, 187, 191, 97])).text()).length]',
    [2, [1], 1],
  ],
  [
    'a body is used once its stream was read from',
    'const r = new Response("abc"); const reader = r.body.getReader(); await reader.read(); reader.releaseLock(); return [r.bodyUsed, await r.text().catch((e) => e.name), ...tried(() => r.clone())]',
    [true, 'TypeError', 'TypeError'],
  ],
  [
    'a body is not used by looking at its stream',
    'const r = new Response("abc"); r.body; return [r.bodyUsed, await r.text(), r.bodyUsed]',
    [false, 'abc', true],
  ],
  [
    'no body is never used',
    'const r = new Response(null); return [await r.text(), await r.text(), r.bodyUsed, r.body]',
    ['', '', false, null],
  ],
  [
    'clones are read side by side',
    'const r = new Response(new Blob(["abc"]).stream()); const c = r.clone(); return Promise.all([r.text(), c.text()])',
    ['abc', 'abc'],
  ],
  [
    'form data comes back with names, types and bytes',
    'const f = new FormData(); f.append("ü", "a\\nb"); f.append("n\\"", new File([new Uint8Array([0, 255, 13, 10])], "ü\\".bin", { type: "x/y" })); f.append("e", new Blob([])); const g = await new Response(f).formData(); const files = [...g].slice(1); return [g.get("ü"), ...await Promise.all(files.map(async ([name, file]) => [name, file.name, file.type, bytes(await file.arrayBuffer())]))]',
    [
      'a\r\nb',
      ['n"', 'ü".bin', 'x/y', [0, 255, 13, 10]],
      ['e', 'blob', 'application/octet-stream', []],
    ],
  ],
  [
    'form data of a megabyte and a half fits',
    'const f = new FormData(); f.append("a", new Blob([new Uint8Array(1_500_000).fill(7)])); const g = await new Response(f).formData(); const b = new Uint8Array(await g.get("a").slice(-2).arrayBuffer()); return [g.get("a").size, ...b]',
    [1_500_000, 7, 7],
  ],
  [
    'what is no form is refused',
    'return Promise.all([new Response("x"), new Response("x", { headers: { "content-type": "multipart/form-data; boundary=y" } })].map((r) => r.formData().catch((e) => e.name)))',
    ['TypeError', 'TypeError'],
  ],
  [
    'only a Blob has a file name',
    'return tried(() => new FormData().append("a", "b", "c"), () => new File(["a"]))',
    ['TypeError', 'TypeError'],
  ],
  [
    'options may be null',
    'return [new Blob(["a"], null).size, new Request("http://a/", null).method, new Response(null, null).status, new TextDecoder("utf-8", null).decode(new Uint8Array([97]), null)]',
    [1, 'GET', 200, 'a'],
  ],
  [
    'the text of a status is checked',
    'return tried(() => new Response(null, { statusText: "a\\nb" }), () => new Response(null, { statusText: "Not Found" }).statusText)',
    ['TypeError', 'Not Found'],
  ],
  [
    'a Request takes over the body of another one',
    'const a = new Request("http://a/", { method: "POST", body: "x", headers: { q: "1" } }); const b = new Request(a, { headers: { z: "2" } }); return [a.bodyUsed, [...b.headers], await b.text(), ...tried(() => new Request(a))]',
    [true, [['z', '2']], 'x', 'TypeError'],
  ],
  [
    'a Request that has a body does not become GET',
    'const a = new Request("http://a/", { method: "POST", body: "x" }); return [...tried(() => new Request(a, { method: "GET" })), a.bodyUsed]',
    ['TypeError', false],
  ],
];

const texts: Rows = [
  [
    'encodeInto writes whole characters only',
    'return [0, 1, 2, 3, 4, 7, 8, 10, 11].map((n) => { const b = new Uint8Array(n); const { read, written } = new TextEncoder().encodeInto("aé😀\\ud800z", b); return [read, written, b.subarray(written).every((x) => x === 0)] })',
    [
      [0, 0, true],
      [1, 1, true],
      [1, 1, true],
      [2, 3, true],
      [2, 3, true],
      [4, 7, true],
      [4, 7, true],
      [5, 10, true],
      [6, 11, true],
    ],
  ],
  [
    'encodeInto of much text asks the host once',
    'const b = new Uint8Array(150_000); const { read, written } = new TextEncoder().encodeInto("ü".repeat(200_000), b); return [read, written, b[149_999]]',
    [75_000, 150_000, 188],
  ],
  [
    'labels of text encodings',
    'return ["UTF8", " utf-16 ", "latin1", "ascii", "shift_jis", "x"].map((label) => tried(() => new TextDecoder(label).encoding)[0])',
    ['utf-8', 'utf-16le', 'windows-1252', 'windows-1252', 'shift_jis', 'RangeError'],
  ],
  [
    'a byte order mark is kept when asked for',
    'const b = new Uint8Array([239, 187, 191, 97]); return [new TextDecoder().decode(b).length, new TextDecoder("utf-8", { ignoreBOM: true }).decode(b).length]',
    [1, 2],
  ],
  [
    'halves of characters in URLSearchParams and FormData are replaced',
    'const p = new URLSearchParams([["a\\ud800", "b"]]); p.append("c", "\\udc00"); p.set("d", "\\ud800"); const f = new FormData(); f.append("\\ud800", "\\ud800"); return [[...p], [...f]]',
    [
      [
        ['a\ufffd', 'b'],
        ['c', '\ufffd'],
        ['d', '\ufffd'],
      ],
      [['\ufffd', '\ufffd']],
    ],
  ],
  [
    'random numbers fill arrays of integers only',
    'return tried(...[new Float64Array(1), new DataView(new ArrayBuffer(1)), [1], new Uint8Array(65_537), new BigInt64Array(1), new Uint8ClampedArray(1)].map((a) => () => crypto.getRandomValues(a) === a))',
    [
      'TypeMismatchError',
      'TypeMismatchError',
      'TypeMismatchError',
      'QuotaExceededError',
      true,
      true,
    ],
  ],
  [
    'a DOMException has its old code',
    'return ["InvalidCharacterError", "AbortError", "DataCloneError", "IndexSizeError", "HierarchyRequestError", "SyntaxError", "mine"].map((name) => new DOMException("m", name).code)',
    [5, 20, 25, 1, 3, 12, 0],
  ],
  [
    'an overflow of the stack is a RangeError, of memory an InternalError',
    'const f = () => f(); const seen = []; try { f() } catch (e) { seen.push(e instanceof RangeError, e.name) } try { const a = []; for (;;) a.push(new Uint8Array(500_000)) } catch (e) { seen.push(e instanceof InternalError, e.name, e.message) } return seen',
    [true, 'RangeError', true, 'InternalError', 'out of memory'],
  ],
];

const clones: Rows = [
  [
    'what is handed over is gone',
    'const b = new Uint8Array([1, 2]); const c = structuredClone({ b }, { transfer: [b.buffer] }); return [b.length, bytes(c.b.buffer), ...tried(() => structuredClone(1, { transfer: [{}] }), () => structuredClone(1, { transfer: [b.buffer] }))]',
    [0, [1, 2], 'DataCloneError', 'DataCloneError'],
  ],
  [
    '__proto__ is a member like any other',
    'const c = structuredClone(JSON.parse(\'{"__proto__":{"a":1}}\')); return [Object.keys(c), c.a, Object.getPrototypeOf(c) === Object.prototype]',
    [['__proto__'], null, true],
  ],
  [
    'what has inner state is refused',
    'return [Promise.resolve(), new WeakMap(), Object(Symbol()), (function* () {})(), (async function* () {})(), { f() {} }].map((v) => tried(() => structuredClone(v))[0])',
    Array.from({ length: 6 }, () => 'DataCloneError'),
  ],
  [
    'wrappers, dates, expressions and holes',
    'const c = structuredClone([new String("ab"), new Date(5), /x/gi, , -0, 1n, new Boolean(false)]); return [c[0] instanceof String, c[0].length, c[1].getTime(), String(c[2]), 3 in c, Object.is(c[4], -0), typeof c[5], c[6].valueOf()]',
    [true, 2, 5, '/x/gi', false, true, 'bigint', false],
  ],
  [
    'errors keep kind, message and cause',
    'const c = structuredClone(new TypeError("m", { cause: { x: 1 } })); const d = structuredClone(new DOMException("n", "AbortError")); return [c instanceof TypeError, c.message, c.cause.x, Object.keys(c), d.name, d.code]',
    [true, 'm', 1, [], 'AbortError', 20],
  ],
  [
    'a Buffer becomes a plain array of bytes, views share their buffer',
    'const b = new ArrayBuffer(4); const c = structuredClone({ b, v: new Uint16Array(b, 2), d: new DataView(b, 1, 2), n: Buffer.from("a") }); return [c.v.buffer === c.b, c.v.byteOffset, c.d.byteLength, Buffer.isBuffer(c.n), c.n[0]]',
    [true, 2, 2, false, 97],
  ],
];

const events: Rows = [
  [
    'listeners are called once each, in order, whatever one of them throws',
    'const t = new EventTarget(); const seen = []; const f = (e) => seen.push(e.type, e.target === t); t.addEventListener("x", f); t.addEventListener("x", f); t.addEventListener("x", () => { throw new Error("mine") }); t.addEventListener("x", { handleEvent: () => seen.push("object") }, { once: true }); t.dispatchEvent(new Event("x")); t.removeEventListener("x", f); t.dispatchEvent(new Event("x")); return seen',
    ['x', true, 'object'],
  ],
  [
    'an event can be stopped and refused',
    'const t = new EventTarget(); let n = 0; t.addEventListener("x", (e) => { n++; e.preventDefault(); e.stopImmediatePropagation() }); t.addEventListener("x", () => n++); return [t.dispatchEvent(new Event("x", { cancelable: true })), t.dispatchEvent(new Event("x")), n]',
    [false, true, 2],
  ],
  [
    'a signal is aborted once, with its reason',
    'const c = new AbortController(); const seen = []; c.signal.onabort = (e) => seen.push(e.type); c.signal.addEventListener("abort", () => seen.push("listener")); c.abort("why"); c.abort("again"); return [seen.sort(), c.signal.aborted, c.signal.reason, ...tried(() => new AbortSignal(), () => AbortSignal.abort().throwIfAborted())]',
    [['abort', 'listener'], true, 'why', 'TypeError', 'AbortError'],
  ],
  [
    'a signal of signals, and one of time',
    'const c = new AbortController(); const any = AbortSignal.any([c.signal, AbortSignal.timeout(60_000)]); c.abort(7); const late = AbortSignal.timeout(1); await new Promise((done) => late.addEventListener("abort", done)); return [any.aborted, any.reason, late.reason.name, late.reason.code, AbortSignal.any([c.signal]).reason]',
    [true, 7, 'TimeoutError', 23, 7],
  ],
];

/** `params` is the address of a server. */
const fetched: Rows = [
  [
    'clones of a fetched response are read side by side',
    'const r = await fetch(params + "/drip"); const c = r.clone(); return Promise.all([r.text(), c.text()])',
    ['ab', 'ab'],
  ],
  [
    'one clone is read as a stream',
    'const r = await fetch(params + "/drip"); const c = r.clone(); const d = c.clone(); return [new TextDecoder().decode(new Uint8Array((await all(r.body)).flatMap((each) => [...each]))), await c.text(), (await d.blob()).size]',
    ['ab', 'ab', 2],
  ],
  [
    'the address of a response has no fragment',
    'const r = await fetch(params + "/x#here"); return [r.url === params + "/x", r.redirected]',
    [true, false],
  ],
  [
    'an unknown mode of redirects is refused',
    'return fetch(params + "/x", { redirect: "never" }).catch((e) => e.name)',
    'TypeError',
  ],
  [
    'a fetch ends with its signal, before and after the answer begins',
    'const c = new AbortController(); const early = fetch(params + "/never", { signal: c.signal }).catch((e) => [e.name, e.code]); const r = await fetch(params + "/half", { signal: c.signal }); const text = r.text().catch((e) => e.name); c.abort(); return [await early, await text, await fetch(params + "/x", { signal: c.signal }).catch((e) => e.name), await fetch(new Request(params + "/x", { signal: AbortSignal.abort(5) })).catch((e) => e)]',
    [['AbortError', 20], 'AbortError', 'AbortError', 5],
  ],
  [
    'what is no signal is refused, and none is needed',
    'return [await fetch(params + "/x", { signal: {} }).catch((e) => e.name), (await fetch(params + "/x", { signal: null })).status, new Request("http://a/").signal.aborted]',
    ['TypeError', 200, false],
  ],
  [
    'svc takes a text that is JSON or the name of a method',
    'return Promise.all(["null", "5", "true", \'"a_b"\', "a b", "none_such"].map((text) => svc(text).then((a) => a.error.code, (e) => e.name)))',
    ['TypeError', 'TypeError', 'TypeError', 'TypeError', 'TypeError', -32601],
  ],
];

const tables = { headers, bodies, texts, clones, events, fetched };
const script = (rows: Rows): string => {
  const calls = rows.map(
    ([, body]) =>
      `[await (async () => { ${body} })().then((v) => v ?? null, (e) => 'thrown: ' + e)],`,
  );
  return `${HELPERS}\n${onCall(`return [${calls.join('\n')}]`)}`;
};

for (const dialect of oneDialect) {
  const test = suite(`js-runtime: objects of the Web (${dialect})`);
  let server: ScriptServer;
  let web: Server;
  let address = '';
  let results: unknown[][] = [];
  /** Answers that are not finished. */
  const open = new Set<ServerResponse>();
  test.before(async () => {
    web = createServer(({ url }, response) => {
      if (url === '/never' || url === '/half') {
        open.add(response);
        response.on('close', () => open.delete(response));
      }
      if (url === '/never') return;
      if (url === '/large') return response.end(Buffer.alloc(7_000_000, 'x'));
      response.write('a');
      if (url !== '/half') setImmediate(() => response.end('b'));
    });
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    const config = { 'js-worker': { fetch_private: ['127.0.0.1'] } };
    server = await scriptServer(config, { dialect });
    await server.create('w', script(Object.values(tables).flat()), PATIENT);
    address = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
    const row = await server.run('w', address);
    assert.is(row.error_message, null);
    results = row.result;
  });
  test.after(async () => {
    web.closeAllConnections();
    web.close();
    await server.app.stop();
  });

  let place = 0;
  for (const [title, rows] of Object.entries(tables)) {
    for (const [name, , expected] of rows) {
      const at = place++;
      test(`${title}: ${name}`, () => assert.equal(results[at]?.[0], expected));
    }
  }

  const runs = async (body: string, params: unknown, more: Record<string, unknown> = {}) => {
    const name = `w${++place}`;
    await server.create(name, `${HELPERS}\n${onCall(body)}`, { ...PATIENT, ...more });
    const { result, error_message } = await server.run(name, params);
    assert.is(error_message, null);
    return result;
  };

  test('many fetches at once make no warning', async () => {
    const warnings: string[] = [];
    const listen = ({ name }: Error) => void warnings.push(name);
    process.on('warning', listen);
    const body = `const list = Array.from({ length: 40 }, () => fetch(params + '/x'));
      return (await Promise.all(list)).length`;
    assert.is(await runs(body, address), 40);
    process.off('warning', listen);
    assert.equal(warnings, []);
  });

  // More than 64 MiB in all.
  const held = [
    ['read', 'await r.arrayBuffer()'],
    ['read as a stream', 'for await (const part of r.clone().body); await r.body.cancel()'],
    ['read by every clone', 'const d = r.clone(); await r.bytes(); await d.bytes()'],
    ['read as text', 'await r.text()'],
    ['given up', 'await r.clone().bytes(); await r.body.cancel()'],
    ['given up by signal', 'await r.clone().bytes(); c.abort()'],
  ] as const;
  for (const [name, body] of loop(held.slice(-2), [...held])) {
    test(`bodies that were ${name} count no more`, async () => {
      const all = `let n = 0; for (; n < 10; n++) {
        const c = new AbortController(); const r = await fetch(params + '/large', { signal: c.signal }); ${body} } return n`;
      assert.is(await runs(all, address, { max_heap_size: 60_000_000 }), 10);
    });
  }

  test('bodies that a script may still read are bounded', async () => {
    const body = `const kept = []; try { for (;;) { const r = await fetch(params + '/large');
      kept.push(r.clone()); await r.bytes() } } catch (e) { return [kept.length, e.message, e.cause] }`;
    assert.equal(await runs(body, address, { max_heap_size: 60_000_000 }), [
      10,
      'Failed to fetch: one run may hold 67108864 bytes of bodies',
      'one run may hold 67108864 bytes of bodies',
    ]);
  });

  test('of more than a thousand unread answers the oldest are given up', async () => {
    const body = `const get = async () => (await fetch(params + '/x'));
      const list = []; while (list.length < 1_100) list.push(...await Promise.all(Array.from({ length: 100 }, get)));
      return [await list[0].text().catch((e) => e.message), await list[1_099].text()]`;
    assert.equal(await runs(body, address), ['the body is gone', 'ab']);
  });

  for (const [name, body] of [
    ['before its answer', `fetch(params + '/never', { signal }).catch(() => 1); await seen();`],
    [
      'while its body is read',
      `(await fetch(params + '/half', { signal })).text().catch(() => 1);`,
    ],
    ['while its body is not read', `globalThis.kept = await fetch(params + '/half', { signal });`],
    [
      'by its stream',
      `const r = await fetch(params + '/half'); signal.onabort = () => r.body.cancel();`,
    ],
    [
      'when its Request is',
      `fetch(new Request(params + '/never', { signal })).catch(() => 1); await seen();`,
    ],
  ] as const) {
    test(`the connection of a fetch that is given up ${name} is closed while the run goes on`, async () => {
      // Those of the tests before.
      await eventually(() => assert.is(open.size, 0));
      const script = `const c = new AbortController(); const { signal } = c;
        const state = async () => (await svc('js-worker_read', { token: env.token, name: 'state' })).result.description;
        const until = async (text) => { while (await state() !== text) await new Promise((done) => setTimeout(done, 5)) };
        const seen = () => until('seen');
        ${body} await seen(); c.abort(); await until('closed'); return 1`;
      const say = (description: string) => server.update('state', onCall(''), { description });
      await server.create('state', onCall(''));
      const running = runs(script, address, { env: { token: server.app.superToken } });
      await eventually(() => assert.is(open.size, 1));
      await say('seen');
      await eventually(() => assert.is(open.size, 0));
      await say('closed');
      assert.is(await running, 1);
      await server.asSuper('js-worker_delete', { name: 'state' });
    });
  }

  test('a clone of the request of a route has all its headers and its body', async () => {
    const body = `const c = request.clone(); return Response.json([c.headers.get('cookie'), c.headers.get('host') !== null, await c.text(), await request.text()])`;
    await server.create('clone', onRoute(body), { route_name: 'clone' });
    const answer = await server.app.fetch('/svc/worker-route/clone', {
      method: 'POST',
      headers: { cookie: 'a=b' },
      body: 'text',
    });
    assert.equal(await answer.json(), ['a=b', true, 'text', 'text']);
  });

  test('a form that a route receives is read past the heap of the script', async () => {
    const body = `const form = await request.formData(); const file = form.get('f'); return Response.json([form.get('a'), file.name, file.size])`;
    await server.create('form', onRoute(body), { route_name: 'form' });
    const form = new FormData();
    form.append('a', 'b');
    form.append('f', new Blob([new Uint8Array(3_000_000)]), 'n.bin');
    const answer = await server.app.fetch('/svc/worker-route/form', { method: 'POST', body: form });
    assert.equal(await answer.json(), ['b', 'n.bin', 3_000_000]);
  });

  test('an odd word for the host leaves the run its answer', async () => {
    const text = module(`async onCall() { const r = new Response(new Blob(['x'])).body;
      Array.prototype.toJSON = () => null;
      try { return await new Response('a', { headers: { 'content-type': 'multipart/form-data; boundary=y' } }).formData() } catch (e) { return e.name } finally { delete Array.prototype.toJSON } }`);
    await server.create('odd', text);
    assert.is((await server.run('odd')).result, 'TypeError');
  });
  test.run();
}
