import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { script } from '../assets/script.ts';
import { style } from '../assets/style.ts';
import type { Facts } from '../live/facts.ts';
import type { Latency } from '../live/latency.ts';
import { logoType } from '../logo.ts';
import type { Language } from '../page.ts';
import { FIRST_RANGE, type Range } from '../ranges.ts';
import { badge, icon } from './badge.ts';
import { colorsOf } from './colors.ts';
import { curve } from './curve.ts';
import { jsonFeed, type Links, rss } from './feeds.ts';
import { type Html, incidentHtml, pageHtml } from './html.ts';
import { Voice } from './say.ts';

const compress = promisify(gzip);
/** Smaller ones are not compressed. */
const LEAST_GZIP = 1_000;

/** Body that is sent, made once for all readers. */
export interface Body {
  readonly bytes: Buffer;
  /** Compressed bytes, where that is worth it. */
  readonly gzip: Buffer | undefined;
  readonly etag: string;
  readonly type: string;
  /** Content security policy. */
  readonly policy: string;
}

/** Resource that a reader asks for, after the page's address. */
export type Wanted =
  | { readonly kind: 'page' | 'rss' | 'json' | 'logo' | 'icon' | 'badge' }
  | { readonly kind: 'badge-of' | 'latency'; readonly key: string }
  | { readonly kind: 'incident'; readonly id: number };

/** A picture may style itself, and nothing else. */
export const PICTURE = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
const NOTHING = "default-src 'none'; sandbox";
const pagePolicy = (style: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self' ${style}; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`;

export const digest = (bytes: string | Buffer): string =>
  createHash('sha256').update(bytes).digest('base64url').slice(0, 22);

export const ASSETS = digest(style + script).slice(0, 10);

export interface SnapshotParts {
  readonly base: string;
  readonly every_ms: number;
  /** Reads the curve of an entry over more than the day. @throws RpcError 103 */
  readonly past: (key: string, range: Range) => Promise<Latency | undefined>;
}

/** A page at one time, with everything that was made of it. */
export class Snapshot {
  readonly facts: Facts;
  /** Unix ms: from then on the page is read again. */
  readonly until: number;
  readonly #places: SnapshotParts & { readonly assets: string };
  /** Names are those of what there is, so their number is bounded. */
  readonly #bodies = new Map<string, Promise<Body | undefined> | Body>();

  constructor(facts: Facts, parts: SnapshotParts) {
    this.facts = facts;
    this.until = facts.at + parts.every_ms;
    this.#places = { ...parts, assets: ASSETS };
  }

  /** @returns undefined: there is no such thing */
  body(
    wanted: Wanted,
    language: Language,
    range: Range = FIRST_RANGE,
  ): Promise<Body | undefined> | Body | undefined {
    const part = 'key' in wanted ? wanted.key : 'id' in wanted ? wanted.id : '';
    const name = `${wanted.kind} ${part} ${wanted.kind === 'logo' ? '' : language} ${range}`;
    const cached = this.#bodies.get(name);
    if (cached) return cached;
    const made = this.#make(wanted, language, range);
    if (!made) return undefined;
    const body = this.#finish(name, made);
    this.#bodies.set(name, body);
    return body;
  }

  async #finish(name: string, making: Made | Promise<Made | undefined>): Promise<Body | undefined> {
    try {
      const made = await making;
      const finished = made && (await finish(made));
      if (finished) this.#bodies.set(name, finished);
      return finished;
    } catch (error) {
      // The next reader tries again.
      this.#bodies.delete(name);
      throw error;
    }
  }

  #make(
    wanted: Wanted,
    language: Language,
    range: Range,
  ): Made | Promise<Made | undefined> | undefined {
    const { facts } = this;
    const voice = new Voice(language, facts);
    switch (wanted.kind) {
      case 'page':
        return ofHtml(pageHtml(facts, voice, { ...this.#places, range }));
      case 'incident': {
        const incident = [...facts.open, ...facts.past].find(({ id }) => id === wanted.id);
        return incident && ofHtml(incidentHtml(incident, facts, voice, this.#places));
      }
      case 'rss':
        return text(rss(facts, voice, this.#links()), 'application/rss+xml; charset=utf-8');
      case 'json':
        return text(jsonFeed(facts, voice, this.#links()), 'application/feed+json');
      case 'logo':
        return this.#logo();
      case 'icon':
        return picture(icon(facts.state));
      case 'badge': {
        const says = voice.text(facts.sentence);
        return picture(badge(facts.page.settings.title, says, facts.state));
      }
      default:
        return this.#ofRow(wanted.kind, wanted.key, range, voice);
    }
  }

  #ofRow(kind: 'badge-of' | 'latency', key: string, range: Range, voice: Voice) {
    const row = this.facts.rows.find((one) => one.key === key);
    if (!row) return undefined;
    if (kind === 'badge-of') return picture(badge(row.name, voice.text(row.says), row.state));
    const { accent, banner } = this.facts.page.settings;
    const colors = colorsOf(accent, banner);
    const drawn = (latency: Latency | undefined) =>
      latency && picture(curve(latency, range, colors, voice));
    if (!row.latency || range === FIRST_RANGE) return drawn(row.latency);
    return this.#places.past(key, range).then(drawn);
  }

  #logo(): Made | undefined {
    const { logo } = this.facts.page;
    if (logo === null) return undefined;
    const bytes = Buffer.from(logo, 'base64');
    const type = logoType(bytes);
    return type && { bytes, type, policy: PICTURE };
  }

  #links(): Links {
    const { url, slug } = { ...this.facts.page, ...this.facts.page.settings };
    const page = url?.replace(/(?<!\/)\/+$/, '') ?? `${this.#places.base}/${slug}`;
    return { page, incident: (id) => `${page}/incident/${id}` };
  }
}

interface Made {
  readonly bytes: Buffer;
  readonly type: string;
  readonly policy: string;
}

const text = (content: string, type: string, policy = NOTHING): Made => ({
  bytes: Buffer.from(content),
  type,
  policy,
});
const picture = (svg: string): Made => text(svg, 'image/svg+xml', PICTURE);
const ofHtml = ({ html, styleSource }: Html): Made =>
  text(html, 'text/html; charset=utf-8', pagePolicy(styleSource));

/** Compressed by the threads of the process. */
async function finish({ bytes, type, policy }: Made): Promise<Body> {
  const isPacked = /^image\/(?:png|jpeg|webp)$/.test(type) || bytes.byteLength < LEAST_GZIP;
  const packed = isPacked ? undefined : await compress(bytes);
  return { bytes, gzip: packed, etag: digest(bytes), type, policy };
}

/** The sheet and the script. */
export const assets = (): Promise<ReadonlyMap<string, Body>> =>
  Promise.all([
    finish(text(style, 'text/css; charset=utf-8')),
    finish(text(script, 'text/javascript; charset=utf-8')),
  ]).then(
    ([css, js]) =>
      new Map([
        ['page.css', css],
        ['page.js', js],
      ]),
  );
