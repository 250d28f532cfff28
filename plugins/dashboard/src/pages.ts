import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Brand, Logger } from '@svc/plugin-sdk';
import type { Exchange } from '@svc/plugin-sdk/http';
import { codeOf } from '@svc/plugin-sdk/util';
import type { Assets } from './assets.ts';

/**
 * Placeholders in `index.html` as it is built: the nonce of inline styles, and where the head gets what the server says of
 * itself.
 */
const NONCE = /__NONCE__/g;
const HEAD = '<!--head-->';
const NOT_BUILT = 'The dashboard is not built: npm run build\n';

interface Options {
  /** `/svc/dashboard/`, with the brand's word. */
  readonly home: string;
  readonly brand: Brand;
  /** Path of `index.html` as it was built. */
  readonly index: string;
  readonly assets: Assets;
  readonly log: Logger;
  /** Origins other than its own that the page may connect to. */
  readonly servers: () => readonly string[];
}

/** Answers requests below `/svc/dashboard/`: files by name, and the page itself for every other address. */
export class Pages {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  async answer(exchange: Exchange): Promise<void> {
    const { method, params } = exchange;
    if (method !== 'GET' && method !== 'HEAD')
      return exchange.text(405, 'Method not allowed', { allow: 'GET, HEAD' });
    const { path = '' } = params;
    try {
      const isPage = path === '' || path === 'index.html';
      if (isPage || !(await this.#options.assets.answer(exchange, path)))
        await this.#page(exchange, path);
    } catch (error) {
      this.#options.log.error('dashboard file could not be served', { path: exchange.path, error });
      if (!exchange.response.headersSent) exchange.text(500, 'Failed to read file');
    }
  }

  /** The page keeps its own history: every address that names no file is one of its views. */
  async #page(exchange: Exchange, path: string): Promise<void> {
    if (path.startsWith('assets/')) return exchange.text(404, 'File not found');
    const built = await textOf(this.#options.index);
    if (built === undefined) return exchange.text(503, NOT_BUILT);
    const nonce = randomBytes(16).toString('base64url');
    const html = built.replace(NONCE, nonce).replace(HEAD, () => this.#head());
    exchange.text(200, html, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': this.#policy(nonce),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      // Browsers complain of it where the connection is not encrypted.
      ...(exchange.secure && { 'cross-origin-opener-policy': 'same-origin' }),
    });
  }

  /** The page is built without knowing under which brand and path it is served. */
  #head(): string {
    const { home, brand, servers } = this.#options;
    const metas = { word: brand.word, title: brand.title, servers: servers().join(' ') };
    const lines = Object.entries(metas).map(
      ([name, content]) => `<meta name="svc-${name}" content="${escapeHtml(content)}">`,
    );
    return `<base href="${escapeHtml(home)}">${lines.join('')}<title>${escapeHtml(brand.title)}</title>`;
  }

  #policy(nonce: string): string {
    const others = this.#options.servers().flatMap((url) => [url, url.replace(/^http/, 'ws')]);
    return [
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      "img-src 'self' data: blob:",
      "media-src 'self' blob:",
      "font-src 'self'",
      ["connect-src 'self'", ...others].join(' '),
      "worker-src 'self'",
      "manifest-src 'self'",
      "base-uri 'self'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; ');
  }
}

/** @returns undefined where there is no such file */
async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
