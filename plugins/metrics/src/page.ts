import type { IncomingHttpHeaders } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { Kernel, Principal } from '@svc/plugin-sdk';
import type { Exchange } from '@svc/plugin-sdk/http';
import { callerOf, SerialQueue } from '@svc/plugin-sdk/util';
import { agentTexts, hasNoAgents } from './agents.ts';
import { monitorTexts } from './monitors.ts';
import { mayReadServer } from './permissions.ts';
import type { Registry } from './registry.ts';
import { CONTENT_TYPE, END } from './text.ts';

/** Answers are kept for so long: several readers of one token cost as much as one. */
const CACHE_MS = 1_000;
const PARTS = ['server', 'agents', 'monitors'] as const;
type Part = (typeof PARTS)[number];

const compress = promisify(gzip);

interface Page {
  /** undefined: the caller may see no part. */
  readonly body: Promise<Buffer | undefined>;
  packed: Promise<Buffer> | undefined;
}

interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
}

interface Answer {
  readonly status: number;
  readonly body: string | Buffer;
  readonly headers: { readonly [name: string]: string };
}

interface Options {
  readonly kernel: Kernel<{ readonly silence_s: number }>;
  readonly silence_ms: () => number;
  readonly registry: Registry;
}

/** `GET /svc/metrics`, and `/metrics` on the listener of its own. */
export class MetricsPage {
  readonly #options: Options;
  readonly #pages = new Map<Part | undefined, Map<Principal, Page>>();
  /** One page is composed at a time: its text may be large. */
  readonly #queue = new SerialQueue();

  constructor(options: Options) {
    this.#options = options;
  }

  /** `GET /svc/metrics` with a credential. */
  async route(exchange: Exchange): Promise<void> {
    const { kernel } = this.#options;
    const url = new URL(`http://metrics/${exchange.query}`);
    const caller = await callerOf(kernel.auth, exchange);
    const { headers, method } = exchange.request;
    const answer = await this.answer({ method: method ?? '', url, headers }, caller);
    exchange.text(answer.status, answer.body, answer.headers);
  }

  /** @param caller undefined: no valid credential came along */
  async answer({ method, url, headers }: Asked, caller: Principal | undefined): Promise<Answer> {
    const { word } = this.#options.kernel.brand;
    if (method !== 'GET' && method !== 'HEAD') return plain(405, 'use GET', { allow: 'GET, HEAD' });
    const asked = url.searchParams.get('only') ?? undefined;
    const only = PARTS.find((part) => part === asked);
    if (only !== asked) return plain(400, `only: must be one of ${PARTS.join(', ')}`);
    if (!caller)
      return plain(401, 'send a valid credential: Authorization: Bearer KEY:SECRET', {
        'www-authenticate': `Basic realm="${word}", charset="UTF-8"`,
      });
    const page = this.#page(caller, only);
    const body = await page.body;
    if (!body) return plain(403, DENIED);
    const isPacked = GZIP.test(String(headers['accept-encoding'] ?? ''));
    if (isPacked) page.packed ??= compress(body, { level: constants.Z_BEST_SPEED });
    return plain(200, isPacked && page.packed ? await page.packed : body, {
      vary: 'accept-encoding',
      'content-type': CONTENT_TYPE,
      ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
    });
  }

  #page(caller: Principal, only: Part | undefined): Page {
    const pages = this.#pages.get(only) ?? new Map<Principal, Page>();
    this.#pages.set(only, pages);
    const current = pages.get(caller);
    if (current) return current;
    const body = this.#queue.run(() => this.#compose(caller, only));
    const forget = () => pages.delete(caller);
    const expire = () => this.#options.kernel.clock.timeout(forget, CACHE_MS);
    body.then(expire, forget);
    const page = { body, packed: undefined };
    pages.set(caller, page);
    return page;
  }

  async #compose(caller: Principal, only: Part | undefined): Promise<Buffer | undefined> {
    const { kernel, registry, silence_ms } = this.#options;
    const { prefix } = registry;
    const isAsked = (part: Part) => only === undefined || only === part;
    const isServer = isAsked('server') && (await kernel.auth.allows(caller, mayReadServer));
    const agents = isAsked('agents')
      ? await agentTexts({ kernel, prefix, silence_ms }, caller).catch((error: unknown) => {
          if (!hasNoAgents(error)) throw error;
          return undefined;
        })
      : undefined;
    const monitors = isAsked('monitors')
      ? await monitorTexts({ kernel, prefix }, caller)
      : undefined;
    // A server without monitors has none for the Super Token either.
    if (!isServer && !agents && !monitors && !caller.super) return undefined;
    const server = isServer ? registry.texts() : [];
    const texts = [...server, ...(agents ?? []), ...(monitors ?? []), END];
    return inPieces(texts);
  }
}

/** RFC 9110 §12.5.3: named, and not with the weight 0. */
const GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;
const plain = (status: number, body: string | Buffer, headers = {}): Answer => ({
  status,
  body,
  headers: { 'cache-control': 'no-store', ...headers },
});
const DENIED =
  'the token may see no metrics: give it {"metrics":"read"} in scope global for the server, {"monitoring_uuid":"list"} and {"dynamic_monitoring_summary":"read"} for agents, {"monitor":"read"} for monitors';

/** Lines that become bytes in one turn of the event loop. */
const LINES = 2_000;

async function inPieces(texts: readonly string[]): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let from = 0; from < texts.length; from += LINES) {
    pieces.push(Buffer.from(texts.slice(from, from + LINES).join('')));
    await nextTurn();
  }
  return Buffer.concat(pieces);
}
