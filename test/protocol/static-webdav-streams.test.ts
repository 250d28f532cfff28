// proof: 25
// static-http.md §B4, §B6: bodies and listings that are larger than memory, slow, cut short or too much for the disk.

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { oneDialect } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import { eventually } from './token-kit.ts';
import {
  basicOf,
  type DavServer,
  davServer,
  type Headers,
  lockBody,
  multistatus,
  ROOT,
} from './webdav-kit.ts';

const MB = 1024 * 1024;
const MANY = 3_000;
/** Nearly the longest value of a property. */
const LONG = 'x'.repeat(8_000);

const mayMount = tryMount();
if (!mayMount)
  process.stdout.write('  skipped: a full disk: mounting a small one is not allowed here\n');

function tryMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const place = mkdtempSync(join(tmpdir(), 'svc-mount-'));
  const works = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', place]).status === 0;
  if (works) spawnSync('umount', [place]);
  rmdirSync(place);
  return works;
}

for (const dialect of oneDialect) {
  const test = suite(`static-webdav streams (${dialect})`);
  let server: DavServer;
  let sockets: Socket[] = [];

  const boot = async (section: Record<string, unknown> = {}) => {
    server = await davServer({ dialect, clock: true }, { 'static-webdav': section });
  };
  test.before(() => boot());
  test.after(() => server.app.stop());
  test.before.each(async () => {
    await server.renew();
    await server.put('a.txt', 'content');
  });
  test.after.each(() => {
    for (const socket of sockets) socket.destroy();
    sockets = [];
  });

  /** A connection on which a test says what is sent when. */
  const talk = async () => {
    const { hostname, port } = new URL(server.app.url);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
    });
    socket.on('error', () => socket.destroy());
    await once(socket, 'connect');
    return {
      socket,
      received: () => received,
      send: (method: string, path: string, headers: Headers, body = '') => {
        const fields = { host: 'x', authorization: server.authorization, ...headers };
        const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
        const target = `${ROOT}/b/${path}`;
        socket.write(`${[`${method} ${target} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n${body}`);
      },
      until: (pattern: RegExp) => eventually(() => assert.match(received, pattern)),
    };
  };
  const unfinished = async () =>
    (await readdir(server.disk())).filter((name) => name.startsWith('.upload-'));
  const sizes = async () =>
    Promise.all((await unfinished()).map(async (name) => (await stat(server.disk(name))).size));
  const text = (path: string) => readFile(server.disk(path), 'utf8');

  test('readers see the old file until the new one is whole; a broken upload leaves nothing', async () => {
    const client = await talk();
    client.send('PUT', 'a.txt', { 'content-length': '10' }, 'half ');
    await eventually(async () => assert.is((await unfinished()).length, 1));
    assert.is((await server.dav('GET', 'a.txt')).text, 'content');
    const listed = await server.dav('PROPFIND', '', { depth: '1' });
    assert.is(multistatus(listed.text).length, 2, 'an unfinished upload is not listed');
    client.socket.destroy();
    await eventually(async () => assert.equal(await unfinished(), []));
    assert.is(await text('a.txt'), 'content');
  });

  test('a client that stops sending is cut after the deadline; one that sends slowly is not', async () => {
    const [idle, slow] = [await talk(), await talk()];
    // Of a size that the slow one never has: theirs are told apart by it.
    idle.send('PUT', 'idle.txt', { 'content-length': '100' }, 'x'.repeat(50));
    slow.send('PUT', 'slow.txt', { 'content-length': '10' });
    await eventually(async () => assert.equal((await sizes()).sort(), [0, 50]));
    for (let at = 0; at < 9; at++) {
      slow.socket.write('x');
      await eventually(async () => assert.ok((await sizes()).includes(at + 1)));
      await server.app.clock.advance(50_000);
    }
    await eventually(() => assert.ok(idle.socket.closed));
    slow.socket.write('x');
    await slow.until(/^HTTP\/1\.1 201 /);
    assert.equal([await text('slow.txt'), await unfinished()], ['x'.repeat(10), []]);
  });

  test('a chunked upload as of Finder must be as long as it says', async () => {
    const chunked = (length: string) => ({
      'transfer-encoding': 'chunked',
      'x-expected-entity-length': length,
    });
    assert.is((await server.dav('PUT', 'f.bin', chunked('5'), 'right')).status, 201);
    assert.is((await server.dav('PUT', 'f.bin', chunked('9'), 'short')).status, 400);
    assert.is((await server.dav('PUT', 'f.bin', chunked('2'), 'longer')).status, 400);
    assert.is((await server.dav('PUT', 'g.bin', chunked('0'), '')).status, 201);
    assert.equal([await text('f.bin'), await unfinished()], ['right', []]);
  });

  test('a client that asks first is told before it sends: refused, or to go on', async () => {
    const asking = { expect: '100-continue', 'content-length': '5' };
    await server.dav('LOCK', 'a.txt', {}, lockBody());
    const cases: [path: string, headers: Headers, status: number][] = [
      ['a.txt', {}, 423],
      ['none/x.txt', {}, 409],
      ['b.txt', { authorization: 'Basic bm86bm8=' }, 401],
      ['b.txt', { 'if-match': '*' }, 412],
      ['b.txt', { 'content-length': String(1e15 - 1) }, 507],
    ];
    for (const [path, headers, status] of cases) {
      const client = await talk();
      client.send('PUT', path, { ...asking, ...headers });
      await client.until(new RegExp(`^HTTP/1\\.1 ${status} [^]*\r\nconnection: close\r\n`, 'i'));
      await eventually(() => assert.ok(client.socket.closed));
      assert.not.match(client.received(), /100 Continue/);
    }
    const client = await talk();
    client.send('PUT', 'b.txt', asking);
    await client.until(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    client.socket.write('hello');
    await client.until(/HTTP\/1\.1 201 /);
    assert.is(await text('b.txt'), 'hello');

    const caller = await talk();
    const body = '{"jsonrpc":"2.0","id":1,"method":"svc-server_hello","params":[]}';
    const type = { 'content-type': 'application/json', 'content-length': String(body.length) };
    caller.socket.write(
      `POST / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\n${Object.entries(type)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('')}\r\n`,
    );
    await caller.until(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    caller.socket.write(body);
    await caller.until(/HTTP\/1\.1 200 OK[\s\S]*Running!/);
  });

  test('a refused upload gets its answer, and the connection goes on', async () => {
    const client = await talk();
    const body = 'x'.repeat(4 * MB);
    client.send('PUT', 'none/x.bin', { 'content-length': String(body.length) }, body);
    await client.until(/^HTTP\/1\.1 409 /);
    client.send('GET', 'a.txt', {});
    await client.until(/HTTP\/1\.1 200 OK[\s\S]*content$/);
  });

  test('more uploads at once than allowed are told to come again', async () => {
    await server.app.stop();
    await boot({ max_uploads: 2 });
    const clients = [await talk(), await talk(), await talk()];
    for (const [at, client] of clients.entries()) {
      client.send('PUT', `${at}.txt`, { 'content-length': '10' }, 'half ');
      if (at < 2) await eventually(async () => assert.is((await unfinished()).length, at + 1));
    }
    await clients[2]!.until(/^HTTP\/1\.1 503 [\s\S]*retry-after: 1/);
    clients[0]!.socket.destroy();
    await eventually(async () => {
      assert.is((await server.dav('PUT', 'free.txt', {}, 'x')).status % 100 < 5, true);
      assert.is(await text('free.txt'), 'x');
    });
    await server.app.stop();
    await boot();
  });

  const PART = {
    'content-type': 'application/x-sabredav-partialupdate',
    'x-update-range': 'append',
  };

  test('of conditional uploads and moves at once one wins; of parts at once none is lost', async () => {
    const together = async (method: string, path: string, headers: (n: number) => Headers) => {
      const answers = Array.from({ length: 8 }, (_, n) =>
        server.dav(method, path, headers(n), String(n)),
      );
      return (await Promise.all(answers)).map(({ status }) => status).sort();
    };
    const others = (status: number) => Array.from({ length: 7 }, () => status);
    const made = await together('PUT', 'new.txt', () => ({ 'if-none-match': '*' }));
    assert.equal(made, [201, ...others(412)]);
    const { etag = '' } = (await server.dav('HEAD', 'new.txt')).headers;
    const replaced = await together('PUT', 'new.txt', () => ({ 'if-match': etag }));
    assert.equal(replaced, [204, ...others(412)]);
    const appended = await together('PATCH', 'log.txt', () => PART);
    assert.equal(appended, [201, ...others(204)]);
    assert.equal([...(await text('log.txt'))].sort().join(''), '01234567');
    for (let n = 0; n < 8; n++) await server.put(`from/${n}.txt`, String(n));
    const moves = Array.from({ length: 8 }, (_, n) => {
      const destination = `${ROOT}/b/to.txt`;
      return server.dav('MOVE', `from/${n}.txt`, { destination, overwrite: 'F' });
    });
    const moved = (await Promise.all(moves)).map(({ status }) => status).sort();
    assert.equal(moved, [201, ...others(412)]);
    assert.is((await readdir(server.disk('from'))).length, 7);
    await server.put('ranges.txt', '........');
    const range = (n: number) => ({ 'content-range': `bytes ${n}-${n}/8` });
    assert.equal(await together('PUT', 'ranges.txt', range), [204, ...others(204)]);
    assert.is(await text('ranges.txt'), '01234567');
  });

  test('a part waits for the one before, and is told to come again when that takes too long', async () => {
    const [slow, late] = [await talk(), await talk()];
    slow.send('PATCH', 'a.txt', { ...PART, 'content-length': '1000' });
    await eventually(async () => assert.is((await unfinished()).length, 1));
    late.send('PATCH', 'a.txt', { ...PART, 'content-length': '5' }, 'never');
    assert.is((await server.dav('PUT', 'other.txt', {}, 'x')).status, 201);
    await eventually(async () => {
      const [before = 0] = await sizes();
      slow.socket.write('x');
      await eventually(async () => assert.ok(((await sizes())[0] ?? 0) > before));
      await server.app.clock.advance(50_000);
      assert.match(late.received(), /^HTTP\/1\.1 503 [\s\S]*retry-after: 1/);
    });
    const next = server.dav('PATCH', 'a.txt', PART, ' and more');
    slow.socket.destroy();
    assert.equal([(await next).status, await text('a.txt')], [204, 'content and more']);
  });

  test('an upload whose directory goes meanwhile is 409', async () => {
    await mkdir(server.disk('d'));
    const slow = await talk();
    slow.send('PUT', 'd/late.txt', { 'content-length': '10' }, 'half ');
    await eventually(async () => assert.is((await readdir(server.disk('d'))).length, 1));
    assert.is((await server.dav('DELETE', 'd')).status, 204);
    slow.socket.write('more.');
    await slow.until(/^HTTP\/1\.1 409 /);
    assert.not.ok((await readdir(server.disk())).includes('d'));
  });

  test('a part of a file that is replaced meanwhile is 409, and what replaced it stays', async () => {
    const slow = await talk();
    slow.send('PATCH', 'a.txt', { ...PART, 'content-length': '10' }, ' and ');
    await eventually(async () => assert.is((await unfinished()).length, 1));
    await server.outcomeOf('static-bucket-file_upload', 'b', 'a.txt', null, 'bmV3ZXI=');
    slow.socket.write('more,');
    await slow.until(/^HTTP\/1\.1 409 /);
    assert.equal([await text('a.txt'), await unfinished()], ['newer', []]);
  });

  (mayMount ? test : test.skip)('a full disk is 507, and what was there stays', async () => {
    await mkdir(server.disk('small'));
    const place = server.disk('small');
    assert.is(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', place]).status, 0);
    try {
      await writeFile(join(place, 'old.bin'), 'old');
      const body = Buffer.alloc(4 * MB, 'x');
      const chunked = { 'transfer-encoding': 'chunked' };
      for (let round = 0; round < 3; round++) {
        const answer = await server.dav('PUT', 'small/old.bin', chunked, body);
        assert.equal([answer.status, answer.text], [507, '']);
      }
      const client = await talk();
      const length = { 'content-length': String(MB) };
      await writeFile(join(place, 'filling.bin'), Buffer.alloc(MB + MB / 2));
      const large = 'x'.repeat(24 * MB);
      client.send(
        'PUT',
        'small/new.bin',
        chunked,
        `${(24 * MB).toString(16)}\r\n${large}\r\n0\r\n\r\n`,
      );
      await client.until(/^HTTP\/1\.1 507 /);
      client.send('GET', 'a.txt', {});
      await client.until(/HTTP\/1\.1 200 OK[\s\S]*content$/);
      assert.is(
        (await server.dav('PUT', 'small/new.bin', length, body.subarray(0, MB))).status,
        507,
      );
      await rm(join(place, 'filling.bin'));
      await server.put('large.bin', body);
      const destination = `${ROOT}/b/small/copy.bin`;
      assert.is((await server.dav('COPY', 'large.bin', { destination })).status, 507);
      assert.equal(await readdir(place), ['old.bin']);
      assert.is(await readFile(join(place, 'old.bin'), 'utf8'), 'old');
      const across = { destination: `${ROOT}/b/moved.bin` };
      assert.is((await server.dav('MOVE', 'small/old.bin', across)).status, 502);
    } finally {
      spawnSync('umount', [place]);
    }
  });

  test('stopping the server ends an upload and leaves nothing', async () => {
    const client = await talk();
    client.send('PUT', 'late.txt', { 'content-length': '10' }, 'half ');
    await eventually(async () => assert.is((await unfinished()).length, 1));
    const stopped = server.app.restart();
    await eventually(() => assert.ok(client.socket.closed));
    await stopped;
    await eventually(async () => assert.equal(await unfinished(), []));
    assert.not.ok((await readdir(server.disk())).includes('late.txt'));
  });

  test('a directory of many files is listed while others are served', async () => {
    await mkdir(server.disk('many'));
    for (let at = 0; at < MANY; at += 500) {
      const names = Array.from({ length: 500 }, (_, n) => `${at + n} with a longer name.txt`);
      await Promise.all(names.map((name) => writeFile(server.disk('many', name), 'x')));
    }
    let isListed = false;
    const listing = server.dav('PROPFIND', 'many/', { depth: '1' }).then((answer) => {
      isListed = true;
      return answer;
    });
    let calls = 0;
    while (!isListed) {
      await server.app.call('svc-server_hello');
      calls++;
    }
    const { status, text: xml } = await listing;
    assert.equal([status, xml.match(/<D:response>/g)?.length], [207, MANY + 1]);
    assert.ok(calls >= 10, `${calls} calls meanwhile`);

    assert.is((await server.dav('DELETE', 'many')).status, 204);
  });

  test('a client that does not read a listing is cut after the deadline', async () => {
    await mkdir(server.disk('many'));
    // Few files with large properties: megabytes that cost the server little.
    const values = Array.from({ length: 7 }, (_, at) => `<p${at} xmlns="x:">${LONG}</p${at}>`);
    const patch = `<propertyupdate xmlns="DAV:"><set><prop>${values.join('')}</prop></set></propertyupdate>`;
    for (let at = 0; at < 40; at++) {
      await writeFile(server.disk('many', `${at}.txt`), 'x');
      assert.is((await server.dav('PROPPATCH', `many/${at}.txt`, {}, patch)).status, 207);
    }
    const lazy = await talk();
    lazy.socket.pause();
    for (let at = 0; at < 6; at++) lazy.send('PROPFIND', 'many/', { depth: '1' });
    await eventually(async () => {
      await server.app.clock.advance(61_000);
      // Nothing is read here: a write tells whether the other side has gone.
      lazy.socket.write('\r\n');
      await new Promise((resolve) => setImmediate(resolve));
      assert.ok(lazy.socket.destroyed);
    });
    assert.is((await server.dav('GET', 'a.txt')).status, 200);
  });

  test('a body that never comes is not waited for', async () => {
    const client = await talk();
    client.send('PROPFIND', 'a.txt', { 'content-length': '100', depth: '0' }, '<propfind');
    await eventually(async () => {
      await server.app.clock.advance(61_000);
      assert.ok(client.socket.closed);
    });
  });

  test('an upload whose token goes meanwhile is not kept', async () => {
    const token = await server.token();
    const client = await talk();
    const authorization = basicOf(token);
    client.send('PUT', 'a.txt', { authorization, 'content-length': '10' }, 'half ');
    await eventually(async () => assert.is((await unfinished()).length, 1));
    await server.outcomeOf('token_delete', token.slice(0, token.indexOf(':')));
    client.socket.write('done.');
    await client.until(/^HTTP\/1\.1 403 /);
    assert.equal([await text('a.txt'), await unfinished()], ['content', []]);
  });

  test('a token that has gone is refused at once, also after it was used', async () => {
    const token = await server.token();
    const authorization = basicOf(token);
    assert.is((await server.dav('GET', 'a.txt', { authorization })).status, 200);
    await server.outcomeOf('token_delete', token.slice(0, token.indexOf(':')));
    assert.is((await server.dav('GET', 'a.txt', { authorization })).status, 401);
  });

  test.run();
}
