import { type Logger, RpcError } from '@svc/plugin-sdk';
import type { Exchange } from '@svc/plugin-sdk/http';
import { codeOf, trim } from '@svc/plugin-sdk/util';
import type {
  Bucket,
  FileServer,
  Representation,
  StaticBuckets,
} from '@svc/plugin-static-bucket/api';
import type { UserContent } from '@svc/plugin-user-content/api';
import { accepts, encodings } from './encodings.ts';
import { leadsOut } from './failures.ts';
import { CORS } from './representation.ts';
import type { SiteCache } from './site-cache.ts';
import type { Found, Site } from './site-files.ts';

const METHODS = 'GET, HEAD, OPTIONS';
const TEXT = { 'content-type': 'text/plain; charset=utf-8' };
const NO_HEADERS = {};
const CORS_HEADERS = { [CORS[0]]: CORS[1] };
const PREFLIGHT = {
  ...CORS_HEADERS,
  'access-control-allow-methods': METHODS,
  'access-control-allow-headers': '*',
};

export interface SiteOptions {
  readonly cache: SiteCache;
  readonly server: FileServer;
  readonly isServed: StaticBuckets['isServed'];
  readonly content: UserContent;
  readonly log: Logger;
}

/** Answers requests for files of buckets, in the order of static-http.md §A2. */
export class SiteHandler {
  readonly #options: SiteOptions;

  constructor(options: SiteOptions) {
    this.#options = options;
  }

  /**
   * Answers one request. `raw` is the percent-encoded path below the bucket; `atRoot`: it is the server's own path too.
   * Returns a promise only when it has to wait.
   */
  answer(
    exchange: Exchange,
    bucket: Bucket | undefined,
    raw: string,
    atRoot = false,
  ): void | Promise<void> {
    const served = bucket !== undefined && this.#options.isServed(bucket);
    const answer = (is: boolean) =>
      bucket && is ? this.#answer(exchange, bucket, raw, atRoot) : this.#absent(exchange);
    return served instanceof Promise ? served.then(answer) : answer(served);
  }

  #absent(exchange: Exchange): void {
    exchange.text(404, 'Static not found', TEXT);
  }

  #answer(exchange: Exchange, bucket: Bucket, raw: string, atRoot: boolean): void | Promise<void> {
    if (!this.#options.content.admit(exchange, { trusted: bucket.trusted, stays: atRoot })) return;
    if (exchange.method !== 'GET' && exchange.method !== 'HEAD')
      return refuseMethod(exchange, bucket);
    const kept = this.#options.cache.fresh(bucket, raw);
    return kept ? this.#send(exchange, kept) : this.#find(exchange, bucket, raw);
  }

  async #find(exchange: Exchange, bucket: Bucket, raw: string): Promise<void> {
    const accepts = (name: (typeof encodings)[number]['name']) => takes(exchange, name);
    try {
      const use = (found: Found) => this.#use(exchange, bucket, found);
      await this.#options.cache.find({ bucket, raw, accepts }, use);
    } catch (error) {
      this.#fail(exchange, bucket, error);
    }
  }

  async #use(exchange: Exchange, bucket: Bucket, found: Found): Promise<void> {
    if (found.kind === 'file') return this.#send(exchange, found.site);
    const cors = bucket.cors ? CORS_HEADERS : NO_HEADERS;
    if (found.kind === 'redirect') {
      exchange.text(302, 'Found', { ...TEXT, ...cors, location: withSlash(exchange) });
      return;
    }
    // Row 7 of the table comes before row 8. A directory exists, so `*` matches it.
    const etag = found.kind === 'directory' ? found.etag : undefined;
    if (etag && matches(exchange.request.headers['if-none-match'], etag)) {
      exchange.response.writeHead(304, { etag, ...cors }).end();
      return;
    }
    exchange.text(404, 'File not found', { ...TEXT, ...cors });
  }

  #send(exchange: Exchange, site: Site): void | Promise<void> {
    return this.#options.server.serve(exchange, chosen(exchange, site));
  }

  #fail(exchange: Exchange, bucket: Bucket, error: unknown): void {
    if (error instanceof URIError) {
      badUrl(exchange);
      return;
    }
    const cors = bucket.cors ? CORS_HEADERS : NO_HEADERS;
    const refused = codeOf(error) === 'LEADS_OUT' ? leadsOut() : error;
    if (refused instanceof RpcError) {
      exchange.text(400, refused.message, { ...TEXT, ...cors });
      return;
    }
    this.#options.log.error('file could not be served', { path: exchange.path, error });
    exchange.text(500, 'Failed to read file', { ...TEXT, ...cors });
  }
}

/** Answers a path whose percent-encoding is not UTF-8. */
export function badUrl(exchange: Exchange): void {
  exchange.text(400, 'Invalid URL: percent-encoded UTF-8 expected', TEXT);
}

function refuseMethod({ method, request, response }: Exchange, { cors }: Bucket): void {
  // The rest of the body would be read as the next request of the connection.
  const close = request.complete ? NO_HEADERS : { connection: 'close' };
  if (method === 'OPTIONS' && cors) {
    response.writeHead(204, { ...PREFLIGHT, ...close }).end();
    return;
  }
  const text = 'Method not allowed';
  const length = { 'content-length': text.length };
  const headers = { allow: METHODS, ...length, ...(cors ? CORS_HEADERS : NO_HEADERS), ...close };
  response.writeHead(405, headers).end(text);
}

/** The encoding to send. A range is always one of the file itself. */
function chosen(exchange: Exchange, { main, encoded }: Site): Representation {
  if (encoded.size === 0 || exchange.request.headers.range !== undefined) return main;
  for (const { name } of encodings) {
    const representation = encoded.get(name);
    if (representation && takes(exchange, name)) return representation;
  }
  return main;
}

const takes = ({ request }: Exchange, name: (typeof encodings)[number]['name']): boolean =>
  request.headers.range === undefined &&
  accepts(request.headers['accept-encoding'] as string | undefined, name);

const matches = (field: string | undefined, etag: string): boolean =>
  trim(field ?? '') === '*' ||
  (field?.split(',').some((item) => [etag, `W/${etag}`].includes(trim(item))) ?? false);

/** The path with a slash at its end. It begins with one slash only: after two the first segment would be a host. */
const withSlash = ({ path, query }: Exchange): string => `/${path.replace(/^\/+/, '')}/${query}`;
