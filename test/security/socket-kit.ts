/** Bare sockets for attacks on the server: what a well-behaved client never does. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TestApp } from '@svc/plugin-sdk/testing';

/** A TCP connection to the server, from this address of the machine. */
export async function open(app: { readonly url: string }, from = '127.0.0.1'): Promise<Socket> {
  const { hostname, port } = new URL(app.url);
  const socket = connect({ host: hostname, port: Number(port), localAddress: from });
  // An attacker does not mind a reset; what the server did is seen in `closed`.
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

const UPGRADE = [
  'GET / HTTP/1.1',
  'host: 127.0.0.1',
  'upgrade: websocket',
  'connection: upgrade',
  'sec-websocket-version: 13',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
];

/** Sends the handshake of a WebSocket. @returns status of the answer; 0: the server closed the connection */
export async function shake(socket: Socket, headers: readonly string[] = []): Promise<number> {
  socket.write(`${[...UPGRADE, ...headers].join('\r\n')}\r\n\r\n`);
  const answer = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
  socket.on('data', (data: Buffer) => {
    if (data[0] === PING) socket.write(PONG);
  });
  return Number(/^HTTP\/1\.1 (\d+)/.exec(String(answer[0]))?.[1] ?? 0);
}

const PING = 0x89;
/** An empty one of a client; the server's pings are empty too. */
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);

/** A WebSocket without anything on it. */
export async function openSilent(app: TestApp, from?: string): Promise<Socket> {
  const socket = await open(app, from);
  await shake(socket);
  return socket;
}

const MASK = Buffer.alloc(4);

/** Header of a masked text frame of a client; the mask is all zeros. */
export function frameHeader(bytes: number, { final = true, continues = false } = {}): Buffer {
  const first = (final ? 0x80 : 0) | (continues ? 0 : 1);
  if (bytes < 126) return Buffer.concat([Buffer.from([first, 0x80 | bytes]), MASK]);
  const head = Buffer.alloc(10);
  head.writeUInt8(first, 0);
  head.writeUInt8(0xff, 1);
  head.writeBigUInt64BE(BigInt(bytes), 2);
  return Buffer.concat([head, MASK]);
}

/** Sends one call over a bare WebSocket and gives the text of the answer; empty when the server closes it. */
export async function callOver(socket: Socket, method: string, params: unknown): Promise<string> {
  const text = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  socket.write(Buffer.concat([frameHeader(text.length), text]));
  if (socket.destroyed) return '';
  const [data] = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [''])]);
  return String(data);
}

/** Writes all of `data`; resolves also when the server closes the connection meanwhile. */
export async function pour(socket: Socket, data: Uint8Array): Promise<void> {
  if (socket.destroyed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = () => resolve();
  socket.once('close', done);
  socket.write(data, done);
  await promise;
  socket.off('close', done);
}

/** Those of them that the server has left open, once it has seen everything sent before. */
export async function stillOpen(app: TestApp, sockets: readonly Socket[]): Promise<number> {
  // The end of a stream is seen by those that read it.
  for (const socket of sockets) socket.resume();
  // A few answers later every close of the server has come.
  for (let n = 0; n < 3; n++) await app.fetch('/svc/nothing').then((answer) => answer.text());
  await new Promise((resolve) => setTimeout(resolve, 50));
  return sockets.filter((socket) => !socket.destroyed && !socket.readableEnded).length;
}
