// proof: 12
// static-http.md §A4: files that change while they are served, slow clients, many clients.

import { once } from 'node:events';
import { open, rename, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import * as assert from 'uvu/assert';
import { heldBytes } from '../memory.ts';
import { oneDialect } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import { rawGet, type StaticServer, staticServer } from './static-kit.ts';
import { eventually } from './token-kit.ts';

const MB = 1024 * 1024;
/** Much more than the buffers of two sockets hold. */
const SIZE = 48 * MB;

for (const dialect of oneDialect) {
  const test = suite(`static-http streams (${dialect})`);
  let server: StaticServer;
  let sockets: Socket[] = [];

  const boot = async (section: Record<string, unknown> = {}) => {
    server = await staticServer({ dialect, clock: true }, { 'static-bucket': section });
    await server.bucket('b');
    await server.put('b/big.mp4', Buffer.alloc(SIZE, 'a'));
    await server.put('b/small.txt', 'small');
  };
  test.before.each(() => boot());
  test.after.each(async () => {
    for (const socket of sockets) socket.destroy();
    sockets = [];
    await server.app.stop();
  });

  /** A client that has the headers and the first bytes, and reads on only when told to. */
  const begin = async (request = rawGet('/svc/static/b/big.mp4')) => {
    const { hostname, port } = new URL(server.app.url);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.on('error', () => socket.destroy());
    await once(socket, 'connect');
    socket.write(request);
    await once(socket, 'readable');
    const first = socket.read() as Buffer;
    const body = first.length - first.indexOf('\r\n\r\n') - 4;
    /** Reads on to the end of the connection. @returns bytes of the body */
    const rest = async (): Promise<number> => {
      let bytes = body;
      socket.on('data', (chunk) => {
        bytes += chunk.length;
      });
      if (!socket.closed) await once(socket, 'close');
      return bytes;
    };
    return { status: Number(first.toString('latin1').split(' ')[1]), rest, socket };
  };
  const stillServes = async () => {
    const response = await server.app.fetch('/svc/static/b/small.txt');
    assert.equal([response.status, await response.text()], [200, 'small']);
  };
  const file = () => server.disk('b', 'big.mp4');

  test('a file that shrinks ends this response only, and the client can tell', async () => {
    const reader = await begin();
    await truncate(file(), 20 * MB);
    const bytes = await reader.rest();
    assert.ok(bytes < SIZE, 'the length that was promised is not reached');
    await stillServes();
  });

  test('a file that changes in place is not passed off as whole', async () => {
    const reader = await begin();
    const handle = await open(file(), 'r+');
    await handle.write(Buffer.alloc(MB, 'b'), 0, MB, SIZE - MB);
    await handle.close();
    assert.ok((await reader.rest()) < SIZE);
    await stillServes();
  });

  test('a file that grows ends this response too', async () => {
    const reader = await begin();
    await writeFile(file(), 'more', { flag: 'a' });
    assert.ok((await reader.rest()) < SIZE);
    await stillServes();
  });

  test('a file that vanishes or is replaced is served to its end, as it was', async () => {
    const [vanishing, replaced] = [await begin(), await begin()];
    await server.put('b/next.mp4', 'next');
    await rename(server.disk('b', 'next.mp4'), file());
    assert.is(await replaced.rest(), SIZE);
    assert.is(await (await server.app.fetch('/svc/static/b/big.mp4')).text(), 'next');
    await rm(server.disk('b'), { recursive: true });
    assert.is(await vanishing.rest(), SIZE);
    await eventually(async () => {
      assert.is((await server.app.fetch('/svc/static/b/big.mp4')).status, 404);
    });
  });

  test('a small file that changes all the time is never torn, nor longer or shorter than said', async () => {
    const versions = ['a'.repeat(1_000), 'b'.repeat(60_000), 'c'.repeat(10)];
    await server.put('b/live.txt', versions[0] as string);
    let writing = true;
    const writer = (async () => {
      for (let turn = 0; writing; turn++) {
        const next = server.disk('b', `next-${turn % 2}`);
        await writeFile(next, versions[turn % 3] as string);
        await rename(next, server.disk('b', 'live.txt'));
      }
    })();
    const seen = new Set<string>();
    const ask = async () => {
      const response = await server.app.fetch('/svc/static/b/live.txt');
      seen.add(await response.text());
      assert.is(response.status, 200);
    };
    for (let turn = 0; turn < 60 || seen.size < 3; turn++)
      await Promise.all(Array.from({ length: 5 }, ask));
    writing = false;
    await writer;
    assert.equal([...seen].sort(), [...versions].sort());
  });

  test('a client that reads nothing is cut after the deadline; others go on meanwhile', async () => {
    const lazy = await begin();
    const quick = await begin();
    assert.is(await quick.rest(), SIZE);
    await server.app.clock.advance(59_000);
    assert.not.ok(lazy.socket.closed);
    // Twice the rest: the last chunk that it took may have left meanwhile.
    await server.app.clock.advance(61_000);
    assert.ok((await lazy.rest()) < SIZE);
    await stillServes();
  });

  test('a client that asks for small files and never reads them is cut as well', async () => {
    await server.put('b/page.html', Buffer.alloc(60_000, 'x'));
    const request = 'GET /svc/static/b/page.html HTTP/1.1\r\nhost: x\r\n\r\n';
    const lazy = await begin(request.repeat(400));
    await stillServes();
    await eventually(async () => {
      await server.app.clock.advance(61_000);
      // Nothing is read here: a write tells whether the other side has gone.
      lazy.socket.write('\r\n');
      await new Promise((resolve) => setImmediate(resolve));
      assert.ok(lazy.socket.destroyed);
    });
    await stillServes();
  });

  test('a client that goes away frees its place', async () => {
    await server.app.stop();
    await boot({ max_downloads: 2 });
    const [one, two] = [await begin(), await begin()];
    const refused = await begin();
    assert.is(refused.status, 503);
    await stillServes();
    one.socket.destroy();
    await eventually(async () => {
      const again = await begin(rawGet('/svc/static/b/big.mp4', { range: 'bytes=0-99' }));
      assert.is(again.status, 206);
    });
    assert.is(await two.rest(), SIZE);
  });

  test('fifty clients that stand still hold little memory', async () => {
    const before = heldBytes();
    const readers = await Promise.all(Array.from({ length: 50 }, () => begin()));
    const grown = heldBytes() - before;
    assert.ok(grown < 128 * MB, `${Math.round(grown / MB)} MB`);
    for (const { socket } of readers) socket.destroy();
    await stillServes();
  });

  test('stopping the server ends downloads in progress', async () => {
    const lazy = await begin();
    await server.app.stop();
    assert.ok((await lazy.rest()) < SIZE);
    await boot();
  });

  test('a file whose time is set back is seen as changed', async () => {
    const tag = async () => (await server.app.fetch('/svc/static/b/small.txt')).headers.get('etag');
    const first = await tag();
    await utimes(server.disk('b', 'small.txt'), 1, 1);
    await eventually(async () => assert.is(await tag(), '"1-5"'));
    assert.is.not(first, '"1-5"');
  });

  test.run();
}
