// Slow bodies to routes and slow readers of files: they hold up nobody else.
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { bootForTest } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { scriptServer } from '../protocol/js-worker-kit.ts';
import { suite } from '../runner/suite.ts';
import { open, pour, stillOpen } from './socket-kit.ts';

const test = suite('slow bodies and slow readers');
const MIB = 1_048_576;

/** Begins a POST to this path and sends so much of its body. */
async function begin(url: string, path: string, bytes: number, from?: string): Promise<Socket> {
  const socket = await open({ url }, from);
  socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: ${8 * MIB}\r\n\r\n`);
  await pour(socket, Buffer.alloc(bytes));
  return socket;
}

test('a route that does not exist is answered before its body is read', async () => {
  const server = await scriptServer();
  const { url } = server.app;
  const sockets: Socket[] = [];
  for (let n = 0; n < 20; n++) {
    const socket = await open({ url });
    socket.write(
      `POST /worker-route/none HTTP/1.1\r\nhost: x\r\ncontent-length: ${8 * MIB}\r\n\r\n`,
    );
    const [answer] = await once(socket, 'data');
    assert.match(String(answer), /^HTTP\/1\.1 404 /);
    sockets.push(socket);
  }
  for (const socket of sockets) socket.destroy();
  await server.app.stop();
});

test('slow bodies of one address to a route leave room for others, and for the same address later', async () => {
  const server = await scriptServer();
  const { app } = server;
  const script = `export default { onRoute: async (request) =>
    new Response(String((await request.arrayBuffer()).byteLength)) };`;
  await server.create('t', script, { route_name: 't' });
  const sockets: Socket[] = [];
  for (let n = 0; n < 16; n++) sockets.push(await begin(app.url, '/worker-route/t', 7 * MIB));
  assert.ok((await stillOpen(app, sockets)) <= 16);
  const whole = await begin(app.url, '/worker-route/t', 8 * MIB, '127.0.0.2');
  const [answer] = await once(whole, 'data');
  assert.match(String(answer), /^HTTP\/1\.1 200 [\s\S]*8388608$/);
  for (const socket of [...sockets, whole]) socket.destroy();
  await app.stop();
});

test('readers that stand still make room for a download, of whatever address', async () => {
  const files = ['static-bucket', 'static-bucket-file'];
  const config = { 'static-bucket': { max_downloads: 70 } };
  const app = await bootForTest(['token', ...files], config, { clock: true });
  await app.call('static-bucket_create', [app.superToken, 'b', 'b', false, true]);
  await writeFile(join(app.dir, 'static', 'b', 'big.bin'), Buffer.alloc(24 * MIB, 1));
  const readers: Socket[] = [];
  const reader = async (from?: string) => {
    const socket = await open(app, from);
    socket.write('GET /svc/static/b/big.bin HTTP/1.1\r\nhost: x\r\n\r\n');
    const [head] = await once(socket, 'data');
    socket.pause();
    readers.push(socket);
    return Number(/^HTTP\/1\.1 (\d+)/.exec(String(head))?.[1]);
  };
  for (let n = 0; n < 64; n++) assert.is(await reader(), 200);
  assert.is(await reader(), 503, 'one address has its part');
  for (let n = 0; n < 6; n++) assert.is(await reader('127.0.0.2'), 200);
  assert.is(await reader('127.0.0.3'), 503, 'all of them have just begun');
  await app.clock.advance(2_500);
  const whole = await app.fetch('/svc/static/b/big.bin');
  assert.is((await whole.arrayBuffer()).byteLength, 24 * MIB);
  for (const socket of readers) socket.destroy();
  await app.stop();
});

test.run();
