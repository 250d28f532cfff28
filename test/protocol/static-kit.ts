import { once } from 'node:events';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { bootForTest, type TestApp, type TestOptions } from '@svc/plugin-sdk/testing';

export const PLUGINS = ['token', 'server-info', 'static-bucket', 'static-bucket-file'];
/** A whole second, so that entity tags have the short form. */
export const MTIME_S = 1_790_000_000;
const WAIT_MS = 60_000;

/** A server with buckets, and what most tests do with it. */
export async function staticServer(options: TestOptions, config: Record<string, unknown> = {}) {
  const app: TestApp = await bootForTest(PLUGINS, config, options);
  /** The result, or an error as `<code> <message>`. */
  const outcome = (method: string, params: unknown): Promise<any> =>
    app.call(method, params).catch((error) => `${error.code} ${error.message}`);
  const disk = (...parts: string[]) => join(app.dir, 'static', ...parts);
  return {
    app,
    outcome,
    disk,
    asSuper: (method: string, ...rest: unknown[]) => outcome(method, [app.superToken, ...rest]),
    /** A bucket whose directory has its name. */
    bucket: (name: string, { root = false, cors = false, path = name } = {}) =>
      app.call('static-bucket_create', [app.superToken, name, path, root, cors]),
    /** A file on the disk, behind the server's back, last changed at `MTIME_S`. */
    async put(path: string, content: string | Uint8Array, mtime_s = MTIME_S) {
      await mkdir(dirname(disk(path)), { recursive: true });
      await writeFile(disk(path), content);
      // Node takes a negative number for "now", a date it does not.
      const time = new Date(mtime_s * 1000);
      await utimes(disk(path), time, time);
    },
    raw: (request: string) => rawRequest(app.url, request),
  };
}

export type StaticServer = Awaited<ReturnType<typeof staticServer>>;

export interface RawAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

/** Sends bytes as they are, so that nothing is normalised on the way; the server must close or answer completely. */
export async function rawRequest(url: string, request: string): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const chunks: Buffer[] = [];
  socket.setTimeout(WAIT_MS, () => socket.destroy(new Error('no whole answer in time')));
  socket.write(Buffer.from(request, 'latin1'));
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return parseAnswer(Buffer.concat(chunks));
}

/** A request line and headers that end the connection after one answer. */
export const rawGet = (target: string, headers: Record<string, string> = {}, method = 'GET') =>
  [
    `${method} ${target} HTTP/1.1`,
    'host: x',
    'connection: close',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');

function parseAnswer(bytes: Buffer): RawAnswer {
  const end = bytes.indexOf('\r\n\r\n');
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { status: Number(first.split(' ')[1]), headers, body: bytes.subarray(end + 4) };
}
