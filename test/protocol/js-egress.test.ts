// proof: 5
// js-runtime.md §6.1: what leaves the server on behalf of scripts, and where to.

import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createPlain } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import * as assert from 'uvu/assert';
import type { EgressRequest, EgressRules } from '../../plugins/egress/src/api.ts';
import { EgressGuard, type EgressOptions } from '../../plugins/egress/src/guard.ts';
import { policyOf } from '../../plugins/egress/src/policy.ts';
import { oneDialect } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import { onCall, PATIENT, type ScriptServer, scriptServer } from './js-worker-kit.ts';

const test = suite('egress');
let hits: { url: string; headers: Record<string, unknown>; method: string }[] = [];
const answers: { [path: string]: RequestListener } = {};
let server: Server;
let other: Server;
let port = 0;
let otherPort = 0;

const listener: RequestListener = (request, response) => {
  const { url = '', headers, method = '' } = request;
  hits.push({ url, headers, method });
  const answer = answers[url.split('?')[0] ?? ''];
  if (answer) answer(request, response);
  else response.end('reached');
};
const listen = (one: Server): Promise<number> =>
  new Promise((resolve) =>
    one.listen(0, '127.0.0.1', () => resolve((one.address() as AddressInfo).port)),
  );
const moved =
  (to: () => string, status = 302): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { location: to() }).end();

test.before(async () => {
  server = createServer(listener);
  other = createServer(listener);
  port = await listen(server);
  otherPort = await listen(other);
});
test.after(() => {
  for (const one of [server, other]) {
    one.closeAllConnections();
    one.close();
  }
});
test.before.each(() => {
  hits = [];
});

/** Limits of a silence that a test waits for; everything else may take its time on a busy machine. */
const HASTY = { idle_ms: 300 };
const WAIT_MS = 120_000;

const guards: EgressGuard[] = [];
test.after.each(() => {
  for (const guard of guards.splice(0)) guard.close();
});

/** One request: the answer with its body as text, or why there is none. */
async function ask(
  url: string,
  entries: readonly string[] = ['127.0.0.1'],
  more: Partial<EgressRules & EgressRequest & EgressOptions> = {},
) {
  const { method = 'GET', headers = [], redirect = 'follow', body, resolve, ...rules } = more;
  const limits = { connect_ms: WAIT_MS, idle_ms: WAIT_MS, max_bytes: 100_000 };
  const guard = new EgressGuard(
    { allow: entries, ...limits, ...rules },
    { userAgent: 'test', ...(resolve && { resolve }) },
  );
  guards.push(guard);
  const signal = AbortSignal.timeout(WAIT_MS);
  try {
    const answer = await guard.request({ url, method, headers, redirect, body, signal });
    const chunks: Buffer[] = [];
    for await (const chunk of answer.body) chunks.push(chunk as Buffer);
    return { ...answer, text: Buffer.concat(chunks).toString() };
  } catch (error) {
    const { message, cause } = error as Error;
    return { failed: String(cause ?? message) };
  }
}

type Found = readonly (readonly { address: string; family: number }[])[];
const resolver = (found: Found) => {
  let at = 0;
  return (_name: string, _options: unknown, done: (error: null, list: any) => void) =>
    done(null, found[Math.min(at++, found.length - 1)]);
};
const LOOP = { address: '127.0.0.1', family: 4 };

const INNER = [
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '0.1.2.3',
  '127.0.0.1',
  '127.255.255.255',
  '192.0.2.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  'fe80::1',
  'fe80::1%eth0',
  'fc00::1',
  'fd12::1',
  'ff02::1',
  'fec0::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:10.0.0.1',
  '::127.0.0.1',
  '::7f00:1',
  '64:ff9b::7f00:1',
  '64:ff9b::10.0.0.1',
  '64:ff9b:1::1',
  '2002:7f00:1::',
  '2002:a00:1::',
  '2001:db8::1',
  '2001::1',
  '::ffff:0:7f00:1',
];
for (const address of INNER) {
  test(`${address} is not allowed unless it is listed`, () => {
    assert.is(policyOf([]).allows({ host: address, port: 80, address }), false);
    assert.is(policyOf(['*']).allows({ host: address, port: 80, address }), true);
  });
}
for (const address of [
  '1.1.1.1',
  '8.8.8.8',
  '172.32.0.1',
  '100.128.0.1',
  '2606:4700::1',
  '64:ff9b::808:808',
  '::ffff:8.8.8.8',
  '2002:808:808::1',
]) {
  test(`${address} is public`, () => {
    assert.is(policyOf([]).allows({ host: address, port: 80, address }), true);
  });
}

for (const host of [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '127.0.0.1.',
  '%31%32%37.0.0.1',
  '１２７.0.0.1',
  '①②⑦.⓪.⓪.①',
  '0.0.0.0',
  '0',
  '[::]',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:7f00:0001]',
  '[::127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[2002:7f00:1::]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'user:secret@127.0.0.1',
]) {
  test(`http://${host}/ reaches nothing without a rule`, async () => {
    // No test waits for the machine's own resolver.
    const resolve = resolver([[LOOP, { address: '::1', family: 6 }]]);
    const { failed } = (await ask(`http://${host}:${port}/`, [], { resolve })) as any;
    assert.match(failed, /is a private address/);
    assert.equal(hits, []);
  });
}

for (const [entries, reached] of [
  [['127.0.0.1'], true],
  [['127.0.0.0/8'], true],
  [['*'], true],
  [['PORT'], true],
  [['*:PORT'], true],
  [['127.0.0.1:1'], false],
  [['*:1'], false],
  [['10.0.0.0/8'], false],
  [['localhost'], false],
  [['[::1]'], false],
] as const) {
  test(`with ${entries} listed 127.0.0.1 is ${reached ? 'reached' : 'not reached'}`, async () => {
    const rules = entries.map((entry) =>
      entry.replace(/^PORT$/, `127.0.0.1:${port}`).replace('PORT', String(port)),
    );
    const answer = (await ask(`http://127.0.0.1:${port}/`, rules)) as any;
    assert.is(answer.text === 'reached', reached, JSON.stringify(answer));
  });
}
for (const entry of ['', 'a b', 'http://a/', '10.0.0.0/33', '1.2.3.4:99999', '[::1', 'a/8']) {
  test(`'${entry}' is no rule`, () => {
    assert.throws(() => policyOf([entry], 'fetch_private'), /fetch_private/);
  });
}

test('a name that resolves to loopback is not connected to', async () => {
  const { failed } = (await ask(`http://name.example:${port}/`, [], {
    resolve: resolver([[LOOP]]),
  })) as any;
  assert.match(failed, /is a private address/);
  assert.equal(hits, []);
});
test('a name that is listed may resolve to loopback', async () => {
  const answer = (await ask(`http://name.example:${port}/`, ['name.example'], {
    resolve: resolver([[LOOP]]),
  })) as any;
  assert.is(answer.text, 'reached');
});
test('of several addresses only the allowed ones are used', async () => {
  const found = [{ address: '10.0.0.1', family: 4 }, LOOP, { address: 'fe80::1', family: 6 }];
  const answer = (await ask(`http://name.example:${port}/`, ['127.0.0.1'], {
    resolve: resolver([found]),
  })) as any;
  assert.is(answer.text, 'reached');
});
test('every connection is checked: an answer that was good before does not count', async () => {
  answers['/again'] = moved(() => `http://name.example:${port}/inner`);
  // The name is allowed while it stands for the first address only.
  const resolve = resolver([[LOOP], [{ address: '127.0.0.2', family: 4 }]]);
  answers['/again'] = (request, response) => {
    response.shouldKeepAlive = false;
    moved(() => `http://name.example:${port}/inner`)(request, response);
  };
  const { failed } = (await ask(`http://name.example:${port}/again`, ['127.0.0.1'], {
    resolve,
  })) as any;
  assert.match(failed, /127\.0\.0\.2.* is a private address/);
  assert.equal(
    hits.map(({ url }) => url),
    ['/again'],
  );
});

test('a redirect into what is not allowed is not followed', async () => {
  for (const to of [
    'http://127.0.0.2:PORT/',
    'http://[::1]:PORT/',
    'http://0.0.0.0:PORT/',
    '//127.0.0.2:PORT/x',
  ]) {
    answers['/to'] = moved(() => to.replace('PORT', String(port)));
    const { failed } = (await ask(`http://127.0.0.1:${port}/to`)) as any;
    assert.match(failed, /is a private address/, to);
  }
  assert.is(hits.length, 4);
});
for (const to of [
  'file:///etc/passwd',
  'data:text/plain,x',
  'ftp://127.0.0.1/',
  'gopher://127.0.0.1/',
  'javascript:1',
  'http://',
]) {
  test(`a redirect to ${to} is not followed`, async () => {
    answers['/to'] = moved(() => to);
    assert.ok('failed' in (await ask(`http://127.0.0.1:${port}/to`)));
  });
}
for (const scheme of [
  'file:///etc/passwd',
  'ftp://127.0.0.1/',
  'blob:x',
  'about:blank',
  'ws://127.0.0.1/',
  'unix:/run/x.sock',
  '',
  'no url',
]) {
  test(`'${scheme}' is no address`, async () => {
    assert.ok('failed' in (await ask(scheme, ['*'])));
  });
}
for (const blocked of [22, 25, 53, 110, 143, 6000, 6667]) {
  test(`port ${blocked} is blocked`, async () => {
    assert.equal(await ask(`http://127.0.0.1:${blocked}/`), { failed: 'Invalid port in URL' });
  });
}

test('twenty redirects are followed, one more is not', async () => {
  let left = 0;
  answers['/loop'] = (request, response) =>
    left-- > 0 ? moved(() => '/loop')(request, response) : response.end('end');
  left = 20;
  assert.is(((await ask(`http://127.0.0.1:${port}/loop`)) as any).text, 'end');
  left = 21;
  assert.equal(await ask(`http://127.0.0.1:${port}/loop`), { failed: 'Max retries exceeded' });
});
test('credentials stay with their origin', async () => {
  const headers: [string, string][] = [
    ['authorization', 'Bearer x'],
    ['cookie', 'a=b'],
    ['proxy-authorization', 'y'],
    ['x-more', '1'],
  ];
  answers['/far'] = moved(() => `http://127.0.0.1:${otherPort}/end`);
  answers['/near'] = moved(() => '/end');
  await ask(`http://127.0.0.1:${port}/far`, ['127.0.0.1'], { headers });
  const far = hits.at(-1)?.headers ?? {};
  assert.equal(
    [far['authorization'], far['cookie'], far['proxy-authorization'], far['x-more']],
    [undefined, undefined, undefined, '1'],
  );
  await ask(`http://127.0.0.1:${port}/near`, ['127.0.0.1'], { headers });
  assert.is(hits.at(-1)?.headers['authorization'], 'Bearer x');
});
test('a redirected POST becomes GET without its body', async () => {
  answers['/post'] = moved(() => '/end', 303);
  await ask(`http://127.0.0.1:${port}/post`, ['127.0.0.1'], {
    method: 'POST',
    body: Buffer.from('x'),
    headers: [['content-type', 'a/b']],
  });
  const { method, headers } = hits.at(-1)!;
  assert.equal(
    [method, headers['content-length'], headers['content-type']],
    ['GET', undefined, undefined],
  );
});

test('a body past the limit fails', async () => {
  answers['/large'] = (_request, response) => void response.end(Buffer.alloc(100_001));
  assert.match(
    ((await ask(`http://127.0.0.1:${port}/large`)) as any).failed,
    /larger than 100000 bytes/,
  );
  answers['/fits'] = (_request, response) => void response.end(Buffer.alloc(100_000));
  assert.is(((await ask(`http://127.0.0.1:${port}/fits`)) as any).text.length, 100_000);
});
const bomb = Buffer.alloc(50_000_000);
for (const [coding, packed] of [
  ['gzip', gzipSync(bomb)],
  ['deflate', deflateSync(bomb)],
  ['br', brotliCompressSync(Buffer.alloc(5_000_000))],
  ['gzip, gzip', gzipSync(gzipSync(bomb))],
] as const) {
  test(`a bomb in ${coding} is stopped at the limit`, async () => {
    answers['/bomb'] = (_request, response) =>
      void response.setHeader('content-encoding', coding).end(packed);
    assert.match(
      ((await ask(`http://127.0.0.1:${port}/bomb`)) as any).failed,
      /larger than 100000 bytes/,
    );
  });
}
for (const [coding, packed] of [
  ['gzip', gzipSync('text')],
  ['x-gzip', gzipSync('text')],
  ['deflate', deflateSync('text')],
  ['deflate', deflateRawSync('text')],
  ['br', brotliCompressSync('text')],
  ['deflate, gzip', gzipSync(deflateSync('text'))],
  ['identity', Buffer.from('text')],
] as const) {
  test(`content in ${coding} is decoded, also when it comes byte by byte`, async () => {
    answers['/packed'] = async (_request, response) => {
      response.setHeader('content-encoding', coding);
      for (const byte of packed) {
        response.write(Buffer.of(byte));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    };
    assert.is(((await ask(`http://127.0.0.1:${port}/packed`)) as any).text, 'text');
  });
}
test('an empty body is empty, whatever its coding', async () => {
  for (const coding of ['gzip', 'x-gzip', 'deflate', 'br', 'gzip, br', 'identity', 'constructor']) {
    answers['/empty'] = (_request, response) =>
      void response.setHeader('content-encoding', coding).end();
    assert.is(((await ask(`http://127.0.0.1:${port}/empty`)) as any).text, '', coding);
  }
});
test('a kept connection that the server closes as the request comes: the request goes out once more, over a new one', async () => {
  const limits = { connect_ms: WAIT_MS, idle_ms: WAIT_MS, max_bytes: 100_000 };
  for (const [method, answered] of [
    ['GET', true],
    ['HEAD', true],
    ['PUT', true],
    ['DELETE', true],
    ['POST', false],
    ['PATCH', false],
  ] as const) {
    const seen: string[] = [];
    const closing = createPlain((socket) => {
      let count = 0;
      socket.on('error', () => undefined);
      socket.on('data', (data) => {
        seen.push(String(data).split(' ', 1)[0]!);
        if (++count > 1) socket.destroy();
        else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      });
    });
    const at = await listen(closing as Server);
    const guard = new EgressGuard({ allow: ['127.0.0.1'], ...limits }, { userAgent: 'test' });
    guards.push(guard);
    const send = async (verb: string) => {
      const url = `http://127.0.0.1:${at}/`;
      const order = {
        url,
        method: verb,
        headers: [],
        redirect: 'follow',
        body: undefined,
      } as const;
      const answer = await guard.request({ ...order, signal: AbortSignal.timeout(WAIT_MS) });
      for await (const _chunk of answer.body);
      return answer.status;
    };
    assert.is(await send('GET'), 200);
    const second = await send(method).catch((error: Error) => String(error.cause));
    assert.is(second, answered ? 200 : 'socket hang up', method);
    assert.equal(seen, ['GET', method, ...(answered ? [method] : [])]);
    closing.close();
  }
});
test('content in deflate that is cut off or nonsense fails', async () => {
  for (const packed of [deflateSync('text').subarray(0, 6), Buffer.from('nonsense')]) {
    answers['/torn'] = (_request, response) =>
      void response.setHeader('content-encoding', 'deflate').end(packed);
    assert.ok('failed' in (await ask(`http://127.0.0.1:${port}/torn`)));
  }
});
test('content that is not what it says fails', async () => {
  answers['/torn'] = (_request, response) =>
    void response.setHeader('content-encoding', 'gzip').end('no gzip');
  assert.ok('failed' in (await ask(`http://127.0.0.1:${port}/torn`)));
});
test('silence ends a request', async () => {
  answers['/silent'] = () => undefined;
  const silent = (await ask(`http://127.0.0.1:${port}/silent`, ['127.0.0.1'], HASTY)) as any;
  assert.match(silent.failed, /no answer in time/);
  answers['/half'] = (_request, response) => void response.write('x');
  assert.ok('failed' in (await ask(`http://127.0.0.1:${port}/half`, ['127.0.0.1'], HASTY)));
});
for (const [name, reply] of [
  [
    'a switch of protocols',
    'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
  ],
  ['nonsense', 'nonsense\r\n\r\n'],
  ['nothing', ''],
  ['headers without an end', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(20_000)}`],
] as const) {
  test(`${name} as an answer fails`, async () => {
    const plain = createPlain((socket) => {
      socket.on('error', () => undefined);
      socket.end(reply);
    });
    const at = await listen(plain as never);
    try {
      assert.ok('failed' in (await ask(`http://127.0.0.1:${at}/`)));
    } finally {
      plain.close();
    }
  });
}
for (const [name, headers] of [
  ['a line break in a value', [['x', 'a\r\nb: c']]],
  ['a line break in a name', [['x\r\ny', 'a']]],
  ['a name that is none', [['a b', 'c']]],
] as const) {
  test(`${name} is not sent`, async () => {
    assert.ok('failed' in (await ask(`http://127.0.0.1:${port}/`, ['127.0.0.1'], { headers })));
    assert.equal(hits, []);
  });
}
test("headers of the connection are not the script's", async () => {
  await ask(`http://127.0.0.1:${port}/`, ['127.0.0.1'], {
    headers: [
      ['Transfer-Encoding', 'chunked'],
      ['Content-Length', '5'],
      ['Connection', 'upgrade'],
      ['Upgrade', 'x'],
    ],
  });
  const { headers } = hits.at(-1)!;
  assert.equal(
    [headers['transfer-encoding'], headers['content-length'], headers['upgrade']],
    [undefined, undefined, undefined],
  );
});
for (const method of ['CONNECT', 'a b', '']) {
  test(`method '${method}' gives no answer and no wait`, async () => {
    const answer = await ask(`http://127.0.0.1:${port}/`, ['127.0.0.1'], { method, ...HASTY });
    assert.ok('failed' in answer || method === '', JSON.stringify(answer));
  });
}
test.run();

for (const dialect of oneDialect) {
  const scripts = suite(`egress of scripts (${dialect})`);
  let app: ScriptServer;
  scripts.before(async () => {
    const logging = { memory_log_capacity: 5_000 };
    app = await scriptServer({ logging }, { dialect, clock: true });
  });
  scripts.after(() => app.app.stop());
  scripts('a script reaches neither this server nor what is behind it', async () => {
    const { port: own } = new URL(app.app.url);
    await app.create(
      'w',
      onCall(
        `const seen = []; for (const host of ['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '2130706433']) await fetch('http://' + host + ':${own}/').then(() => seen.push('reached'), (e) => seen.push(e.message)); return [...new Set(seen)]`,
      ),
    );
    for (const message of (await app.run('w')).result) {
      assert.match(message, /^Failed to fetch: .* is a private address, see fetch_private$/);
    }
  });

  // biome-ignore format: one case per line
  const refused: [url: string, cause: RegExp][] = [
    ['http://10.0.0.1/', /^10\.0\.0\.1 is a private address, see fetch_private$/],
    ['https://[fe80::1]/', /^fe80::1 is a private address, see fetch_private$/],
    ['http://localhost/', /^localhost \((?:127\.0\.0\.1|::1)(?:, (?:127\.0\.0\.1|::1))*\) is a private address, see fetch_private$/],
    ['http://8.8.8.8:25/', /^Invalid port in URL$/],
    ['http://nothing.invalid/', /nothing\.invalid/],
  ];
  scripts(
    'a fetch that is refused or fails says why, in its message and as its cause',
    async () => {
      await app.create(
        'reasons',
        onCall(
          'const seen = []; for (const url of params) await fetch(url).catch((e) => seen.push([e.name, e.message, e.cause])); return seen',
        ),
      );
      const { result } = await app.run(
        'reasons',
        refused.map(([url]) => url),
      );
      for (const [at, [url, cause]] of refused.entries()) {
        const [name, message, seen] = result[at];
        assert.equal([name, message], ['TypeError', `Failed to fetch: ${seen}`], url);
        assert.match(seen, cause, url);
      }
    },
  );

  scripts(
    'failed fetches are logged once a minute for each worker and host, without path and query',
    async () => {
      const body = onCall(
        'for (let n = 0; n < 3; n++) for (const host of ["10.0.0.1", "10.0.0.2:8080"]) await fetch("http://" + host + "/secret?token=secret").catch(() => {}); return 1',
      );
      for (const name of ['one', 'two']) await app.create(name, body);
      const told = () =>
        app.app
          .records()
          .filter(({ message }) => message === 'a fetch of a script failed')
          .map(({ level, fields }) => [
            level,
            fields['worker'],
            fields['host'],
            fields['since_last'],
          ])
          .filter(([, worker]) => worker === 'one' || worker === 'two');
      for (const name of ['one', 'two', 'one']) await app.run(name);
      assert.equal(told(), [
        ['WARN', 'one', '10.0.0.1', 1],
        ['WARN', 'one', '10.0.0.2:8080', 1],
        ['WARN', 'two', '10.0.0.1', 1],
        ['WARN', 'two', '10.0.0.2:8080', 1],
      ]);
      await app.app.clock.advance(60_000);
      await app.run('one');
      assert.equal(told().slice(4), [
        ['WARN', 'one', '10.0.0.1', 6],
        ['WARN', 'one', '10.0.0.2:8080', 6],
      ]);
      assert.not.match(JSON.stringify(app.app.records()), /secret/);
    },
  );

  scripts(
    'a script that fetches from ever new hosts gets a thousand warnings, and one for the rest',
    async () => {
      await app.create(
        'many',
        onCall(
          'for (let n = 0; n < 1_100; n++) await fetch("http://10.1." + (n >> 8) + "." + (n & 255) + "/").catch(() => {}); return 1',
        ),
        PATIENT,
      );
      await app.app.clock.advance(60_000);
      const before = app.app.records().length;
      assert.is((await app.run('many')).result, 1);
      const told = app.app
        .records()
        .slice(before)
        .filter(({ message }) => message === 'a fetch of a script failed');
      assert.is(told.length, 1_001);
    },
  );
  scripts.run();
}
