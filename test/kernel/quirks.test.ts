// What kernel/src/quirks.ts reaches for in ws and in Node: a new version of either that moves it fails here.
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import * as assert from 'uvu/assert';
import { WebSocket, WebSocketServer } from 'ws';
import {
  atFirstRead,
  closeButKeepIdle,
  frameBytes,
  keepOneList,
  raiseMessageLimit,
  unfinishedBytes,
} from '../../kernel/src/quirks.ts';
import { suite } from '../runner/suite.ts';

const test = suite('quirks');
const LOOPBACK = '127.0.0.1';
const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;

test('ws: a raised limit lets a longer message through, and never lowers the limit', async () => {
  const server = new WebSocketServer({ host: LOOPBACK, port: 0, maxPayload: 10 });
  await once(server, 'listening');
  const client = new WebSocket(`ws://${LOOPBACK}:${portOf(server)}`);
  const [socket] = (await once(server, 'connection')) as [WebSocket];
  try {
    raiseMessageLimit(socket, 100);
    raiseMessageLimit(socket, 1);
    if (client.readyState !== client.OPEN) await once(client, 'open');
    client.send('x'.repeat(100));
    const [data] = (await once(socket, 'message')) as [Buffer];
    assert.is(data.length, 100);
    const closed = once(client, 'close');
    socket.on('error', () => {});
    client.send('x'.repeat(101));
    assert.is((await closed)[0], 1009);
  } finally {
    client.terminate();
    server.close();
  }
});

test('ws: the length of a frame is known as soon as its header is there', async () => {
  const server = new WebSocketServer({ host: LOOPBACK, port: 0 });
  await once(server, 'listening');
  const client = new WebSocket(`ws://${LOOPBACK}:${portOf(server)}`);
  const [socket] = (await once(server, 'connection')) as [WebSocket];
  try {
    if (client.readyState !== client.OPEN) await once(client, 'open');
    const { _socket: out } = client as unknown as { _socket: Socket };
    const { _socket: into } = socket as unknown as { _socket: Socket };
    for (const [header, bytes] of [
      [[0x82, 0xfe, 0x12, 0x34, 0, 0, 0, 0], 0x1234],
      [[...Array(0x1234).fill(0), 0x82, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 1, 0, 0, 0, 0], 0x100001],
    ] as const) {
      const came = once(into, 'data');
      out.write(Buffer.from([...header]));
      await came;
      assert.is(frameBytes(socket), bytes);
    }
  } finally {
    client.terminate();
    server.close();
  }
});

const TEXT = 0x01;
const CONTINUED = 0x00;
const PING = 0x09;
const FINAL = 0x80;
/** A masked frame of a client whose mask is all zeros: header and payload (RFC 6455 §5.2). */
const frame = (first: number, payload: string) =>
  Buffer.concat([Buffer.from([first, 0x80 | payload.length, 0, 0, 0, 0]), Buffer.from(payload)]);

test('ws: one list takes the pieces of all messages, of whole ones and of those in fragments', async () => {
  const server = new WebSocketServer({ host: LOOPBACK, port: 0 });
  await once(server, 'listening');
  const client = new WebSocket(`ws://${LOOPBACK}:${portOf(server)}`);
  const [socket] = (await once(server, 'connection')) as [WebSocket];
  try {
    const list: unknown[] = [];
    const came: string[] = [];
    socket.on('message', (data) => {
      keepOneList(socket, list);
      came.push(String(data));
    });
    if (client.readyState !== client.OPEN) await once(client, 'open');
    const { _socket: out } = client as unknown as { _socket: Socket };
    const parts = [
      frame(FINAL | TEXT, 'whole'),
      frame(TEXT, 'in '),
      frame(CONTINUED, 'three '),
      frame(FINAL | CONTINUED, 'pieces'),
      frame(FINAL | TEXT, ''),
      frame(FINAL | TEXT, 'again'),
      frame(TEXT, 'not at '),
      frame(CONTINUED, 'its end'),
      frame(FINAL | PING, 'read'),
    ];
    out.write(Buffer.concat(parts));
    await once(socket, 'ping');
    assert.equal(came, ['whole', 'in three pieces', '', 'again']);
    assert.equal(list.map(String), ['not at ', 'its end']);
    out.write(frame(FINAL | CONTINUED, '!'));
    await once(socket, 'message');
    assert.equal([came.at(-1), list], ['not at its end!', []]);
  } finally {
    client.terminate();
    server.close();
  }
});

const unfinished: [name: string, sent: Buffer, atLeast: number, atMost: number][] = [
  ['a whole message holds nothing', frame(FINAL | TEXT, 'x'.repeat(100)), 0, 0],
  ['a frame without its end', frame(FINAL | TEXT, 'x'.repeat(100)).subarray(0, 60), 60, 1_000],
  ['a fragment without its last one', frame(TEXT, 'x'.repeat(100)), 100, 1_000],
  [
    'very small fragments count their buffers',
    Buffer.concat([frame(TEXT, 'x'), ...Array.from({ length: 99 }, () => frame(CONTINUED, 'x'))]),
    10_000,
    100_000,
  ],
  [
    'the last fragment gives all back',
    Buffer.concat([frame(TEXT, 'x'), frame(FINAL | CONTINUED, 'x')]),
    0,
    0,
  ],
];
for (const [name, sent, atLeast, atMost] of unfinished) {
  test(`ws: bytes of an unfinished message: ${name}`, async () => {
    const http = createServer().listen(0, LOOPBACK);
    const server = new WebSocketServer({ server: http });
    await once(http, 'listening');
    const client = new WebSocket(`ws://${LOOPBACK}:${portOf(http)}`);
    const [socket] = (await once(server, 'connection')) as [WebSocket];
    try {
      if (client.readyState !== client.OPEN) await once(client, 'open');
      const { _socket: out } = client as unknown as { _socket: Socket };
      const { _socket: into } = socket as unknown as { _socket: Socket };
      const came = once(into, 'data');
      out.write(sent);
      await came;
      const held = unfinishedBytes(socket);
      assert.ok(held >= atLeast && held <= atMost, `${held} bytes`);
    } finally {
      client.terminate();
      server.close();
      http.close();
    }
  });
}

test('Node: a request tells of the first read of its body, and of no other', async () => {
  let reads = 0;
  let early = 0;
  const bodies: string[] = [];
  const server = createServer().listen(0, LOOPBACK);
  server.on('checkContinue', async (incoming: IncomingMessage, response) => {
    atFirstRead(incoming, () => {
      reads++;
      response.writeContinue();
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    early = reads;
    for await (const chunk of incoming) bodies.push(String(chunk));
    response.end();
  });
  await once(server, 'listening');
  const headers = { expect: '100-continue' };
  const call = request({ host: LOOPBACK, port: portOf(server), method: 'POST', headers });
  call.once('continue', () => {
    call.write('one');
    setTimeout(() => call.end('two'), 20);
  });
  call.flushHeaders();
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  assert.is(early, 0, 'no read before the body is asked for');
  assert.is(reads, 1);
  assert.is(bodies.join(''), 'onetwo');
  await new Promise((resolve) => server.close(resolve));
});

test('Node: a server that closes keeps its idle connections until it is told to close them', async () => {
  const server = createServer((_incoming, response) => response.end('ok')).listen(0, LOOPBACK);
  await once(server, 'listening');
  const socket: Socket = connect(portOf(server), LOOPBACK);
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(socket, 'data');
  let ended = false;
  socket.once('close', () => {
    ended = true;
  });
  const closeIdle = closeButKeepIdle(server);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.is(ended, false);
  closeIdle();
  await once(server, 'close');
  if (!ended) await once(socket, 'close');
});

test.run();
