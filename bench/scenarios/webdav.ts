import { once } from 'node:events';
import { open, rm, statfs } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { type Bench, startBench } from '../server.ts';
import type { Figure, Scenario } from '../types.ts';

const NAME = 'webdav';
const MB = 1024 * 1024;
const SIZE_MB = 1024;
const ROUNDS = 3;
const PEEK_MS = 20;

interface Moved {
  readonly seconds: number;
  /** Most of the server's memory while the file was on its way, over what it was before. */
  readonly grown_mb: number;
}

/** One file of 1 GB up and down over loopback, against the same bytes written and flushed without a server. */
export const webdav: Scenario = {
  name: NAME,
  about: `PUT and GET of ${SIZE_MB} MB over WebDAV, against a plain file written and flushed`,
  async run() {
    const bench = await startBench('sqlite');
    try {
      const { dir } = bench.place.site;
      const { bavail, bsize } = await statfs(dir);
      if (bavail * bsize < 3 * SIZE_MB * MB) {
        process.stderr.write(`${NAME}: skipped, less than ${3 * SIZE_MB} MB free\n`);
        return [];
      }
      const target = await makeBucket(bench);
      // What the server needs once is no growth of an upload.
      await watched(bench, () => put(target, 16));
      await watched(bench, () => get(target));
      const plain: number[] = [];
      const up: Moved[] = [];
      const down: Moved[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        plain.push(await writePlain(join(dir, 'plain')));
        up.push(await watched(bench, () => put(target, SIZE_MB)));
        down.push(await watched(bench, () => get(target)));
      }
      return figures(plain, up, down);
    } finally {
      await bench.end();
      await bench.place.remove();
    }
  },
};

function figures(plain: number[], up: Moved[], down: Moved[]): Figure[] {
  const best = (moved: readonly Moved[]) => Math.min(...moved.map(({ seconds }) => seconds));
  const rate = (seconds: number) => SIZE_MB / seconds;
  const disk = rate(Math.min(...plain));
  const line = (figure: string, value: number): Figure => {
    return { scenario: NAME, figure, value, unit: 'MB/s', note: `best of ${ROUNDS}` };
  };
  const share = (figure: string, moved: Moved[], least: number): Figure => ({
    scenario: NAME,
    figure,
    value: (100 * rate(best(moved))) / disk,
    unit: '%',
    goal: { least },
  });
  const memory = (figure: string, moved: Moved[]): Figure => ({
    scenario: NAME,
    figure,
    value: Math.max(...moved.map(({ grown_mb }) => grown_mb)),
    unit: 'MB',
    goal: { most: 32 },
    note: `worst of ${ROUNDS}`,
  });
  return [
    line('plain file written and flushed (yardstick)', disk),
    line('PUT', rate(best(up))),
    line('GET', rate(best(down))),
    share('PUT of plain file', up, 80),
    share('GET of plain file', down, 80),
    memory('memory grown by PUT', up),
    memory('memory grown by GET', down),
  ];
}

interface Target {
  readonly url: string;
  readonly authorization: string;
}

async function makeBucket(bench: Bench): Promise<Target> {
  const url = bench.socketUrl.replace('ws', 'http');
  const params = [bench.token, 'bench', 'bench', false, false];
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'static-bucket_create', params }),
  });
  const { error } = (await response.json()) as { error?: { message: string } };
  if (error) throw new Error(error.message);
  const authorization = `Basic ${Buffer.from(bench.token).toString('base64')}`;
  return { url: `${url}svc/static-webdav/bench/large.bin`, authorization };
}

/** Asks the server for its memory again and again while the work goes on. */
async function watched(bench: Bench, work: () => Promise<void>): Promise<Moved> {
  const { rss_mb: before } = await bench.probe();
  let most = before;
  let isDone = false;
  const watching = (async () => {
    while (!isDone) {
      most = Math.max(most, (await bench.probe()).rss_mb);
      await new Promise((resolve) => setTimeout(resolve, PEEK_MS));
    }
  })();
  const begun = performance.now();
  await work();
  const seconds = (performance.now() - begun) / 1000;
  isDone = true;
  await watching;
  return { seconds, grown_mb: most - before };
}

const chunk = Buffer.alloc(MB, 'svc');

/** Seconds for the same bytes as a plain file. */
async function writePlain(path: string): Promise<number> {
  const begun = performance.now();
  const handle = await open(path, 'w');
  for (let at = 0; at < SIZE_MB; at++) await handle.write(chunk);
  await handle.sync();
  await handle.close();
  const seconds = (performance.now() - begun) / 1000;
  await rm(path);
  return seconds;
}

async function put({ url, authorization }: Target, size_mb: number): Promise<void> {
  const headers = { authorization, 'content-length': size_mb * MB };
  const upload = request(url, { method: 'PUT', headers });
  const answer = once(upload, 'response');
  for (let at = 0; at < size_mb; at++) {
    if (!upload.write(chunk)) await once(upload, 'drain');
  }
  upload.end();
  const [response] = (await answer) as [IncomingMessage];
  response.resume();
  if (response.statusCode !== 201 && response.statusCode !== 204)
    throw new Error(`PUT: ${response.statusCode}`);
}

async function get({ url, authorization }: Target): Promise<void> {
  const download = request(url, { headers: { authorization } });
  download.end();
  const [response] = (await once(download, 'response')) as [IncomingMessage];
  let bytes = 0;
  response.on('data', (piece: Buffer) => {
    bytes += piece.length;
  });
  await once(response, 'end');
  if (response.statusCode !== 200 || bytes !== Number(response.headers['content-length']))
    throw new Error(`GET: ${response.statusCode}, ${bytes} bytes`);
}
