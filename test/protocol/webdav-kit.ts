import { mkdir, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { dirname, join } from 'node:path';
import { bootForTest, type TestApp, type TestOptions } from '@svc/plugin-sdk/testing';
import { SaxesParser } from 'saxes';
import { type RawAnswer, rawRequest } from './static-kit.ts';

export const PLUGINS = [
  'token',
  'server-info',
  'static-bucket',
  'static-bucket-file',
  'static-webdav',
];
export const ROOT = '/svc/static-webdav';
export const RIGHTS = ['read', 'write', 'delete', 'list'].map((word) => ({
  static_bucket_file: word,
}));
const WAIT_MS = 60_000;

export type Headers = Record<string, string>;

export interface DavAnswer {
  readonly status: number;
  readonly headers: Record<string, string | undefined>;
  readonly text: string;
}

export const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** `key:secret` as a field. */
export const basicOf = (token: string): string => `Basic ${Buffer.from(token).toString('base64')}`;

/** One request; `fetch` does not take every method and header. */
export function send(
  url: string,
  method: string,
  headers: Headers = {},
  body?: string | Uint8Array,
): Promise<DavAnswer> {
  return new Promise((resolve, reject) => {
    const framed =
      body === undefined || 'transfer-encoding' in headers || 'content-length' in headers;
    const length = framed ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const options = { method, headers: { ...length, ...headers }, agent: false };
    const request = httpRequest(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers as Record<string, string>,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    request.setTimeout(WAIT_MS, () => request.destroy(new Error(`${method}: no answer in time`)));
    request.on('error', reject);
    request.end(body);
  });
}

/** A server with the bucket `b`, and what most tests do with it. */
export async function davServer(options: TestOptions, config: Record<string, unknown> = {}) {
  const app: TestApp = await bootForTest(PLUGINS, config, options);
  await app.call('static-bucket_create', [app.superToken, 'b', 'b', false, false]);
  const disk = (...parts: string[]) => join(app.dir, 'static', 'b', ...parts);
  const authorization = basicOf(app.superToken);
  return {
    app,
    disk,
    authorization,
    /** As the Super Token; a path without leading slash is one of bucket `b`. */
    dav: (method: string, path: string, headers: Headers = {}, body?: string | Uint8Array) =>
      send(
        `${app.url}${path.startsWith('/') ? path : `${ROOT}/b/${path}`}`,
        method,
        { authorization, ...headers },
        body,
      ),
    /** A call of the Super Token: the result, or an error as `<code> <message>`. */
    outcomeOf: (method: string, ...rest: unknown[]): Promise<any> =>
      app
        .call(method, [app.superToken, ...rest])
        .catch((error) => `${error.code} ${error.message}`),
    /** The bucket `b` as a new one, without files, locks and properties. */
    async renew() {
      await app.call('static-bucket_delete', [app.superToken, 'b']);
      await rm(disk(), { recursive: true, force: true });
      await app.call('static-bucket_create', [app.superToken, 'b', 'b', false, false]);
    },
    /** Rows of a table that belong to the bucket `b` as it is now. */
    rows: (table: string): Promise<any[]> =>
      app.sql(
        `select * from ${table} where bucket_id = (select id from static_file where name = 'b')`,
      ),
    /** A file on the disk, behind the server's back. */
    async put(path: string, content: string | Uint8Array) {
      await mkdir(dirname(disk(path)), { recursive: true });
      await writeFile(disk(path), content);
    },
    /** Bytes as they are; the connection is closed after the answer. */
    raw: (method: string, target: string, headers: Headers = {}): Promise<RawAnswer> => {
      const fields = Object.entries({ host: 'x', connection: 'close', authorization, ...headers });
      const lines = [`${method} ${target} HTTP/1.1`, ...fields.map(([n, v]) => `${n}: ${v}`)];
      return rawRequest(app.url, `${lines.join('\r\n')}\r\n\r\n`);
    },
    /** A token for bucket `b` with all four permissions, as `key:secret`. */
    token: (extra: Record<string, unknown> = {}) =>
      app.token([{ scopes: [{ static_bucket: 'b' }], permissions: RIGHTS }], extra),
  };
}

export type DavServer = Awaited<ReturnType<typeof davServer>>;

/** One `response` of a multistatus: properties by `{namespace}name` with their inner text and child names. */
export interface Found {
  readonly href: string;
  /** Status of the response as a whole. */
  readonly status: number | undefined;
  readonly properties: Record<string, { status: number; text: string; children: string[] }>;
}

/** Reads a multistatus with namespaces, as a strict client does. */
export function multistatus(text: string): Found[] {
  const parser = new SaxesParser({ xmlns: true });
  const found: Found[] = [];
  const open: string[] = [];
  let current: any;
  let group: { name: string; text: string; children: string[] }[] = [];
  let property: { name: string; text: string; children: string[] } | undefined;
  let collected = '';
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ uri, local }) => {
    const name = `{${uri}}${local}`;
    if (name === '{DAV:}response') current = { href: '', status: undefined, properties: {} };
    if (name === '{DAV:}propstat') group = [];
    if (open.at(-1) === '{DAV:}prop' && open.at(-2) === '{DAV:}propstat') {
      property = { name, text: '', children: [] };
      group.push(property);
    } else if (property) property.children.push(name);
    collected = '';
    open.push(name);
  });
  const onText = (piece: string) => {
    collected += piece;
    if (property) property.text += piece;
  };
  parser.on('text', onText);
  parser.on('cdata', onText);
  parser.on('closetag', () => {
    const name = open.pop();
    if (open.at(-1) === '{DAV:}prop' && open.at(-2) === '{DAV:}propstat') property = undefined;
    if (property) return;
    if (name === '{DAV:}href' && open.at(-1) === '{DAV:}response') current.href = collected;
    if (name === '{DAV:}status') {
      const status = Number(collected.split(' ')[1]);
      if (open.at(-1) === '{DAV:}response') current.status = status;
      else
        for (const { name: key, ...rest } of group) current.properties[key] = { status, ...rest };
    }
    if (name === '{DAV:}response') found.push(current);
  });
  parser.write(text).close();
  return found;
}

export const propfindBody = (...names: string[]): string =>
  `<?xml version="1.0"?><D:propfind xmlns:D="DAV:"><D:prop>${names.join('')}</D:prop></D:propfind>`;

export const lockBody = (scope = 'exclusive', owner = 'me'): string =>
  `<?xml version="1.0" encoding="utf-8"?><D:lockinfo xmlns:D="DAV:"><D:lockscope><D:${scope}/></D:lockscope><D:locktype><D:write/></D:locktype><D:owner>${owner}</D:owner></D:lockinfo>`;
