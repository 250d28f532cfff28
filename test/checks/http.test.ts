// Checks of kind http: what is measured, what a person is told, and that every answer ends.
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import * as assert from 'uvu/assert';
import { type HttpSpec, run } from '../../checks/src/index.ts';
import { suite } from '../runner/suite.ts';
import {
  drips,
  floods,
  hasIpv6,
  http,
  onText,
  openTimers,
  optionsFor,
  type Peer,
  says,
  startPeer,
  valuesOf,
} from './kit.ts';

const test = suite('checks: http');

async function withServer(
  listener: RequestListener,
  use: (port: number, requests: IncomingMessage[]) => Promise<void>,
  host = '127.0.0.1',
): Promise<void> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    listener(request, response);
  });
  await new Promise<void>((done) => server.listen(0, host, done));
  try {
    await use((server.address() as AddressInfo).port, requests);
  } finally {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
}

const HEAD = 'HTTP/1.1 200 OK\r\n';
const BOMB = gzipSync(Buffer.alloc(16 * 1024 * 1024));

// [what the peer does, its answer, more of the check, members of the values]
const MEASURED: [string, string | Buffer, Partial<HttpSpec>, Record<string, unknown>][] = [
  [
    'answers',
    `${HEAD}x-one: 1\r\nContent-Length: 5\r\n\r\nhello`,
    {},
    {
      ...{ status: 200, redirects: 0, ip: '127.0.0.1', body_bytes: 5, body: 'hello' },
      ...{ headers: { 'x-one': '1', 'content-length': '5' }, json: undefined },
    },
  ],
  [
    'answers an error',
    'HTTP/1.1 503 Away\r\nContent-Length: 0\r\n\r\n',
    {},
    { status: 503, body: '' },
  ],
  [
    'answers JSON',
    `${HEAD}Content-Length: 21\r\n\r\n{"ok":true,"n":[1,2]}`,
    {},
    { json: { ok: true, n: [1, 2] } },
  ],
  [
    'answers JSON of thousands of levels',
    `${HEAD}Content-Length: 20000\r\n\r\n${'['.repeat(10_000)}${']'.repeat(10_000)}`,
    {},
    { json: undefined, body_bytes: 20_000 },
  ],
  [
    'answers what only begins like JSON',
    `${HEAD}Content-Length: 4\r\n\r\n{"a"`,
    {},
    { body: '{"a"', json: undefined },
  ],
  [
    'answers more than is read',
    `${HEAD}Content-Length: 1000\r\n\r\n${'x'.repeat(1000)}`,
    { max_bytes: 10 },
    { status: 200, body: 'xxxxxxxxxx', body_bytes: 10 },
  ],
  [
    'answers HEAD without a body',
    `${HEAD}Content-Length: 5\r\n\r\n`,
    { method: 'head' },
    { status: 200, body: '', body_bytes: 0 },
  ],
  ['answers without content', 'HTTP/1.1 204 No\r\n\r\n', {}, { status: 204, body_bytes: 0 }],
  [
    'sends a bomb although nobody asked for an encoding',
    Buffer.concat([
      Buffer.from(`${HEAD}Content-Encoding: gzip\r\nContent-Length: ${BOMB.length}\r\n\r\n`),
      BOMB,
    ]),
    {},
    { status: 200, body: undefined, json: undefined, body_bytes: BOMB.length },
  ],
  [
    'switches to another protocol',
    'HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
    {
      headers: [
        ['connection', 'upgrade'],
        ['upgrade', 'websocket'],
      ],
    },
    { status: 101 },
  ],
  [
    'redirects where none is followed',
    'HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n',
    { follow: 0 },
    { status: 302, redirects: 0 },
  ],
];

for (const [what, answer, more, expected] of MEASURED) {
  test(`measures a peer that ${what}`, async () => {
    const peer = await startPeer(says(answer));
    try {
      const outcome = await run(http(`http://127.0.0.1:${peer.port}/a?b`, more), optionsFor());
      assert.is(outcome.error, undefined);
      for (const [name, value] of Object.entries(expected))
        assert.equal(valuesOf(outcome)[name], value, name);
      assert.is(outcome.code, expected['status'] ?? outcome.code);
      assert.ok((outcome.ms ?? -1) >= Number(outcome.values['ms_first']));
      await peer.left();
      assert.is(openTimers(), 0);
    } finally {
      await peer.stop();
    }
  });
}

// [what the peer does, the peer, more of the check, words of the error]
const FAULTS: [string, Parameters<typeof startPeer>[0], Partial<HttpSpec>, RegExp][] = [
  ['closes at once', (socket) => void socket.end(), {}, /^the other side closed the connection/],
  ['closes after the request', onText((socket) => void socket.end()), {}, /^the other side closed/],
  ['speaks another protocol', says('SSH-2.0-x\r\n'), {}, /^the answer is not HTTP: /],
  [
    'breaks off',
    onText((socket) => void socket.end(`${HEAD}Content-Length: 100\r\n\r\nhalf`)),
    {},
    /^(?:the answer broke off|aborted|the other side closed the connection)$/,
  ],
  [
    'sends headers without end',
    floods(HEAD, `x-more: ${'y'.repeat(1000)}\r\n`),
    {},
    /^the headers of the answer are larger than 16 kB$/,
  ],
  [
    'sends provisional answers without end',
    floods('', 'HTTP/1.1 103 Early\r\n\r\n'.repeat(50)),
    {},
    /^more than 16 provisional answers$/,
  ],
  [
    'redirects to itself',
    (socket) =>
      void socket.on('data', () =>
        socket.write('HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n'),
      ),
    {},
    /^more than 3 redirects$/,
  ],
  [
    'redirects to another protocol',
    says('HTTP/1.1 302 Found\r\nLocation: ftp://127.0.0.1/x\r\nContent-Length: 0\r\n\r\n'),
    {},
    /^ftp: is not http: or https:$/,
  ],
];

for (const [what, serve, more, words] of FAULTS) {
  test(`says why it measured nothing, or not all, of a peer that ${what}`, async () => {
    const peer = await startPeer(serve);
    try {
      const outcome = await run(http(`http://127.0.0.1:${peer.port}/`, more), optionsFor());
      assert.match(outcome.error ?? 'no error', words);
      assert.is(outcome.ms, null);
      await peer.left();
      assert.is(openTimers(), 0);
    } finally {
      await peer.stop();
    }
  });
}

// [what the peer does without end, the peer, scheme]
const ENDLESS: [string, Parameters<typeof startPeer>[0], string][] = [
  ['takes the connection and says nothing', () => undefined, 'http'],
  ['drips headers', drips(HEAD, 'x'), 'http'],
  ['drips a body', drips(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n'), 'http'],
  ['never ends its body', says(`${HEAD}\r\nhello`), 'http'],
  ['drips provisional answers', drips('', 'HTTP/1.1 102 P'), 'http'],
  ['never ends the TLS handshake', () => undefined, 'https'],
];

for (const [what, serve, scheme] of ENDLESS) {
  test(`ends by its deadline for a peer that ${what}`, async () => {
    const peer = await startPeer(serve);
    try {
      const options = optionsFor({ timeout_ms: 300 });
      const outcome = await run(http(`${scheme}://127.0.0.1:${peer.port}/`), options);
      assert.match(outcome.error ?? 'no error', /^timed out after 0\.3 s: no (?:answer|end) /);
      await peer.left();
      assert.is(openTimers(), 0);
    } finally {
      await peer.stop();
    }
  });
}

test('reads no more than it was told to of a body without end', async () => {
  const peer = await startPeer(floods(`${HEAD}\r\n`, Buffer.alloc(65_536, 'x')));
  try {
    const spec = http(`http://127.0.0.1:${peer.port}/`, { max_bytes: 1_000_000 });
    const outcome = await run(spec, optionsFor());
    assert.is(outcome.error, undefined);
    assert.is(outcome.values['body_bytes'], 65_536);
    assert.is(outcome.sample, 'x'.repeat(300));
    await peer.left();
  } finally {
    await peer.stop();
  }
});

test('is stopped by its signal', async () => {
  const stop = new AbortController();
  const peer = await startPeer(onText(() => stop.abort()));
  try {
    const spec = http(`http://127.0.0.1:${peer.port}/`);
    assert.is(
      (await run(spec, optionsFor({ signal: stop.signal }))).error,
      'the check was stopped',
    );
    await peer.left();
    assert.is(
      (await run(spec, optionsFor({ signal: stop.signal }))).error,
      'the check was stopped',
    );
    assert.is(peer.count(), 1);
  } finally {
    await peer.stop();
  }
});

// [what is wrong, the URL, more of the check, words of the error]
const WRONG: [string, string, Partial<HttpSpec>, RegExp][] = [
  ['a URL that is none', 'nothing', {}, /^the address is no URL$/],
  ['another scheme', 'ftp://127.0.0.1/', {}, /^ftp: is not/],
  ['CONNECT', 'http://127.0.0.1:1/', { method: 'CONNECT' }, /^CONNECT asks for no resource$/],
  ['an address of the other family', 'http://127.0.0.1:1/', { family: 6 }, /not an IPv6 address$/],
  ['a closed port', 'http://127.0.0.1:1/', {}, /^the connection was refused: 127.0.0.1 port 1$/],
  ['a name that does not exist', 'http://nowhere.invalid/', {}, /nowhere\.invalid$/],
];

for (const [what, url, more, words] of WRONG) {
  test(`says what is wrong with ${what}`, async () => {
    assert.match((await run(http(url, more), optionsFor())).error ?? 'no error', words);
  });
}

test('tells no secret in an error', async () => {
  const url = 'http://hidden:hush@127.0.0.1:1/?key=hush';
  const headers = [['x-key', 'hush\n']] as const;
  const outcomes = [
    await run(http(url), optionsFor()),
    await run(http(`${url}#`, { headers }), optionsFor()),
    await run(http('http://hidden:hush@[/'), optionsFor()),
  ];
  for (const outcome of outcomes) {
    assert.ok(outcome.error);
    assert.not.match(JSON.stringify(outcome), /hush|hidden/);
  }
});

test('sends method, path, headers and body, and asks for no encoding', async () => {
  await withServer(
    (request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => response.end(body));
    },
    async (port, requests) => {
      const spec = http(`http://127.0.0.1:${port}/a?b=c`, {
        ...{ method: 'post', body: 'täxt' },
        headers: [
          ['Content-Type', 'text/plain'],
          ['X-Two', '1'],
          ['x-two', '2'],
          ['Content-Length', '99999'],
        ],
        auth: { type: 'bearer', token: 'abc' },
      });
      const outcome = await run(spec, optionsFor({ user_agent: 'svc-server/1' }));
      assert.is(outcome.values['body'], 'täxt');
      const { method, url, headers } = requests[0]!;
      assert.equal([method, url], ['POST', '/a?b=c']);
      const { host, connection, ...sent } = headers;
      assert.is(host, `127.0.0.1:${port}`);
      assert.is(connection, 'close');
      assert.equal(sent, {
        ...{ 'content-type': 'text/plain', 'x-two': '1, 2', authorization: 'Bearer abc' },
        ...{ 'user-agent': 'svc-server/1', accept: '*/*', 'accept-encoding': 'identity' },
        'content-length': '5',
      });
    },
  );
});

test('credentials and headers of its own go to the first origin only, also when a redirect leads back', async () => {
  let other = 0;
  await withServer(
    (_request, response) => void response.end('there'),
    async (there, foreign) => {
      other = there;
      await withServer(
        (request, response) => {
          if (request.url === '/') response.writeHead(302, { location: '/same' }).end();
          else response.writeHead(307, { location: `http://127.0.0.1:${other}/` }).end();
        },
        async (port, own) => {
          const headers = [
            ['x-key', 'secret'],
            ['cookie', 'secret'],
            ['accept', 'text/x'],
          ] as const;
          const url = `http://user:secret@127.0.0.1:${port}/`;
          const outcome = await run(http(url, { headers }), optionsFor());
          assert.equal([outcome.error, outcome.code], [undefined, 200]);
          assert.is(outcome.values['redirects'], 2);
          const basic = `Basic ${Buffer.from('user:secret').toString('base64')}`;
          for (const { headers: sent } of own)
            assert.equal(
              [sent.authorization, sent['x-key'], sent.cookie],
              [basic, 'secret', 'secret'],
            );
          assert.is(own.length, 2);
          const { headers: sent } = foreign[0]!;
          assert.not.match(JSON.stringify(sent), /secret|Basic/);
          assert.equal([sent.accept, sent.host], ['text/x', `127.0.0.1:${there}`]);
          const post = http(`${url}same`, { method: 'POST', body: 'secret' });
          assert.match(
            (await run(post, optionsFor())).error ?? '',
            /^a redirect leads to another origin, which does not get the body/,
          );
          assert.is(foreign.length, 1);
        },
      );
    },
  );
});

test('a form that was taken is followed with GET, without the form', async () => {
  await withServer(
    (request, response) =>
      void (request.method === 'POST'
        ? response.writeHead(303, { location: '/done' }).end()
        : response.end('done')),
    async (port, requests) => {
      const headers = [['content-type', 'text/plain']] as const;
      const spec = http(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'x', headers });
      assert.is((await run(spec, optionsFor())).values['body'], 'done');
      const { method, url, headers: sent } = requests.at(-1)!;
      assert.equal([method, url, sent['content-type']], ['GET', '/done', undefined]);
    },
  );
});

(hasIpv6 ? test : test.skip)('reaches a server over IPv6', async () => {
  await withServer(
    (_request, response) => void response.end('six'),
    async (port) => {
      const outcome = await run(http(`http://[::1]:${port}/`, { family: 6 }), optionsFor());
      assert.equal([outcome.values['body'], outcome.values['ip']], ['six', '::1']);
    },
    '::1',
  );
});

test('a hundred checks at a time leave no connection behind', async () => {
  const peers: Peer[] = [];
  try {
    peers.push(await startPeer(says(`${HEAD}Content-Length: 2\r\n\r\nok`)));
    const spec = http(`http://localhost:${peers[0]!.port}/`, { family: 4 });
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => run(spec, optionsFor())));
    assert.ok(outcomes.every(({ code, error }) => code === 200 && error === undefined));
    await peers[0]!.left();
    assert.is(openTimers(), 0);
  } finally {
    for (const peer of peers) await peer.stop();
  }
});

test.run();
