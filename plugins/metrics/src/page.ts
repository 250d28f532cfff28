import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { callerOf, type Exchange, type Kernel, type Principal } from '@svc/plugin-sdk';
import { agentTexts, hasNoAgents } from './agents.ts';
import { mayReadServer } from './permissions.ts';
import type { Registry } from './registry.ts';
import { CONTENT_TYPE, END } from './text.ts';

/** Answers are kept for so long: several readers of one token cost as much as one. */
const CACHE_MS = 1_000;
const PARTS = ['server', 'agents'] as const;
type Part = (typeof PARTS)[number];

const compress = promisify(gzip);

interface Page {
  /** undefined: the caller may see neither part. */
  readonly body: Promise<Buffer | undefined>;
  packed: Promise<Buffer> | undefined;
}

interface Options {
  readonly kernel: Kernel<{ readonly silence_s: number }>;
  readonly registry: Registry;
}

/** `GET /svc/metrics`, and `/metrics` on the listener of its own. */
export class MetricsPage {
  readonly #options: Options;
  readonly #pages = new Map<Part | undefined, Map<Principal, Page>>();
  /** One page is composed at a time: its text may be large. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: Options) {
    this.#options = options;
  }

  async answer(exchange: Exchange, known?: Principal): Promise<void> {
    const { method, query } = exchange;
    if (method !== 'GET' && method !== 'HEAD')
      return exchange.text(405, 'use GET', { ...FRESH, allow: 'GET, HEAD' });
    const asked = new URLSearchParams(query).get('only') ?? undefined;
    const only = PARTS.find((part) => part === asked);
    if (only !== asked) return exchange.text(400, 'only: must be server or agents', FRESH);
    const { auth, brand } = this.#options.kernel;
    const caller = known ?? (await callerOf(auth, exchange));
    if (!caller) {
      const realm = `Basic realm="${brand.word}", charset="UTF-8"`;
      return exchange.text(401, 'send a valid credential: Authorization: Bearer KEY:SECRET', {
        ...FRESH,
        'www-authenticate': realm,
      });
    }
    const page = this.#page(caller, only);
    const body = await page.body;
    if (!body) return exchange.text(403, DENIED, FRESH);
    const isPacked = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(
      String(exchange.request.headers['accept-encoding'] ?? ''),
    );
    if (isPacked) page.packed ??= compress(body, { level: constants.Z_BEST_SPEED });
    exchange.text(200, page.packed && isPacked ? await page.packed : body, {
      ...FRESH,
      vary: 'accept-encoding',
      'content-type': CONTENT_TYPE,
      ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
    });
  }

  #page(caller: Principal, only: Part | undefined): Page {
    const pages = this.#pages.get(only) ?? new Map<Principal, Page>();
    this.#pages.set(only, pages);
    const known = pages.get(caller);
    if (known) return known;
    const body = this.#last.then(() => this.#compose(caller, only));
    const forget = () => pages.delete(caller);
    const keep = () => this.#options.kernel.clock.timeout(forget, CACHE_MS);
    this.#last = body.then(keep, forget);
    const page = { body, packed: undefined };
    pages.set(caller, page);
    return page;
  }

  async #compose(caller: Principal, only: Part | undefined): Promise<Buffer | undefined> {
    const { kernel, registry } = this.#options;
    const { prefix } = registry;
    const isServer = only !== 'agents' && (await kernel.auth.allows(caller, mayReadServer));
    const silence_ms = () => kernel.config.silence_s * 1_000;
    const agents =
      only === 'server'
        ? undefined
        : await agentTexts({ kernel, prefix, silence_ms }, caller).catch((error: unknown) => {
            if (!hasNoAgents(error)) throw error;
            return undefined;
          });
    if (!isServer && !agents) return undefined;
    const texts = [...(isServer ? registry.texts() : []), ...(agents ?? []), END];
    return inPieces(texts);
  }
}

const FRESH = { 'cache-control': 'no-store' };
const DENIED =
  'the token may see no metrics: give it {"metrics":"read"} in scope global for the server, {"monitoring_uuid":"list"} and {"dynamic_monitoring_summary":"read"} for agents';

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
