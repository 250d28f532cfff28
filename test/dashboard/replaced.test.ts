/** The dashboard's files while their folder is replaced, as a build or an update does it. */
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { definePlugin } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { Assets } from '../../plugins/dashboard/src/assets.ts';
import { suite } from '../runner/suite.ts';

const test = suite('dashboard files in a folder that is replaced');
const SWAPS = 60;
const CLIENTS = 6;
/** The builds share a file; each has one of its own. */
const builds = ['1', '2'].map(
  (build) =>
    new Map([
      ['shared.js', 's'],
      [`own-${build}.js`, build],
    ]),
);
const names = [...new Set(builds.flatMap((build) => [...build.keys()]))];
const textOf = (letter: string) => `// ${letter.repeat(300_000)}\n`;

let app: TestApp;
let folder: string;

test.before(async () => {
  const plugin = definePlugin({
    name: 'files',
    version: '1.0.0',
    setup({ hooks, log }) {
      hooks.routes.tap((routes) =>
        routes.add({
          path: '/files/*path',
          async handle(exchange) {
            served ??= new Assets(folder, log);
            if (!(await served.answer(exchange, exchange.params['path'] ?? '')))
              exchange.text(404, 'File not found');
          },
        }),
      );
    },
  });
  let served: Assets | undefined;
  app = await bootForTest([plugin]);
  folder = join(app.dir, 'public');
  for (const [at, build] of builds.entries()) {
    const assets = join(`${folder}.${at}`, 'assets');
    mkdirSync(assets, { recursive: true });
    for (const [name, letter] of build) {
      writeFileSync(join(assets, name), textOf(letter));
      writeFileSync(join(assets, `${name}.gz`), gzipSync(textOf(letter)));
    }
  }
  cpSync(`${folder}.0`, folder, { recursive: true });
});
test.after(() => app.stop());

/** As the build does it: a folder cannot be renamed over a full one. */
function swap(build: number): void {
  cpSync(`${folder}.${build}`, `${folder}.new`, { recursive: true });
  renameSync(folder, `${folder}.old`);
  renameSync(`${folder}.new`, folder);
  rmSync(`${folder}.old`, { recursive: true });
}

/** The text; undefined where the file, or the connection, went away. */
const fetched = (name: string, coding: string): Promise<string | undefined> =>
  new Promise((done, fail) => {
    const options = { headers: { 'accept-encoding': coding }, agent: false as const };
    get(`${app.url}/files/assets/${name}`, options, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', () => done(undefined));
      response.on('end', () => {
        const body = Buffer.concat(parts);
        if (response.statusCode === 404) return done(undefined);
        if (response.statusCode !== 200) return fail(new Error(`status ${response.statusCode}`));
        done(String(response.headers['content-encoding'] ? gunzipSync(body) : body));
      });
    }).on('error', () => done(undefined));
  });

/** Files of the folder that this process has open. */
const open = () =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder);
    } catch {
      // The descriptor of the listing itself is closed by now.
      return false;
    }
  });

async function noneOpen(): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (open().length > 0 && Date.now() < deadline) await pause(10);
  assert.equal(open(), []);
}

test('under load every file that comes is whole and of one build, and the new build is there at once', async () => {
  const letters = new Map(builds.flatMap((build) => [...build]));
  let isOver = false;
  let whole = 0;
  const client = async () => {
    while (!isOver)
      for (const name of names)
        for (const coding of ['gzip', 'identity']) {
          const text = await fetched(name, coding);
          if (text === undefined) continue;
          assert.is(text === textOf(letters.get(name)!), true, name);
          whole++;
        }
  };
  const clients = Array.from({ length: CLIENTS }, client);
  for (let turn = 1; turn <= SWAPS; turn++) {
    swap(turn % 2);
    const before = whole;
    const now = builds[turn % 2]!;
    for (const name of names)
      assert.is((await fetched(name, 'gzip')) !== undefined, now.has(name), `${turn} ${name}`);
    while (whole === before) await pause(1);
  }
  isOver = true;
  await Promise.all(clients);
  await noneOpen();
});

test('a file that is cut short while it is sent ends the connection, so that nobody waits for the rest', async () => {
  swap(0);
  const big = join(folder, 'assets', 'big.bin');
  writeFileSync(big, Buffer.alloc(50_000_000));
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
  socket.write('GET /files/assets/big.bin HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(socket, 'data');
  socket.pause();
  writeFileSync(big, 'short');
  socket.resume();
  await once(socket, 'close');
  await noneOpen();
});

test('a reader that goes away in the middle leaves no file open', async () => {
  writeFileSync(join(folder, 'assets', 'big.bin'), Buffer.alloc(50_000_000));
  for (let turn = 0; turn < 5; turn++) {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    socket.write('GET /files/assets/big.bin HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(socket, 'data');
    socket.destroy();
  }
  await noneOpen();
});

test.run();
