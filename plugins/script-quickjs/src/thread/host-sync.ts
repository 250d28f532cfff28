import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';
import { TextDecoder } from 'node:util';

/** Bytes of one piece of decoded text. */
const PIECE = 262_144;
const MOST_DECODERS = 256;
const MOST_DIGEST = 64 * 1_048_576;
const MOST_KEY = 65_536;
const PARTS = [
  'href',
  'origin',
  'protocol',
  'username',
  'password',
  'host',
  'hostname',
  'port',
  'pathname',
  'search',
  'hash',
] as const;

/** An error that a script is to see with this name. */
export class ScriptVisible extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

/** Calls that the host answers at once: Web APIs that Node has. Everything crosses as JSON; bytes go through `slot`. */
export class HostSync {
  /** Bytes that the script takes next. */
  slot: Uint8Array | undefined;
  readonly bodyOf: (id: number) => Uint8Array | undefined;
  readonly #decoders = new Map<number, TextDecoder>();
  #text: { decoder: TextDecoder; bytes: Uint8Array; at: number; stream: boolean } | undefined;
  #lastDecoder = 0;

  constructor(bodyOf: (id: number) => Uint8Array | undefined) {
    this.bodyOf = bodyOf;
  }

  /** Between two runs: decoders that a stream was not read to the end with. */
  forget(): void {
    this.#decoders.clear();
    this.#text = undefined;
    this.slot = undefined;
  }

  /** @throws ScriptVisible, TypeError, RangeError: the script sees these */
  answer(kind: string, value: unknown, bytes: Uint8Array | undefined): unknown {
    switch (kind) {
      case 'url':
        return urlParts(...(value as [string, string?]));
      case 'urlset':
        return urlSet(...(value as [string, string, string]));
      case 'query':
        return [...new URLSearchParams(value as string)];
      case 'querytext':
        return new URLSearchParams(value as [string, string][]).toString();
      case 'atob':
        return fromAscii(value as string);
      case 'btoa':
        return toAscii(value as string);
      case 'uuid':
        return randomUUID();
      case 'hex':
        return hexOf(bytes ?? new Uint8Array());
      case 'now':
        return performance.now();
      case 'origin':
        return performance.timeOrigin;
      default:
        return this.#binary(kind, value, bytes);
    }
  }

  #binary(kind: string, value: unknown, bytes: Uint8Array | undefined): unknown {
    switch (kind) {
      case 'encode':
        return this.#stage(Buffer.from(value as string, 'utf8'));
      case 'random':
        return this.#stage(randomBytes(bounded(value as number, 65_536)));
      case 'digest':
        return this.#stage(digest(value as string, bytes ?? new Uint8Array()));
      case 'hmac':
        return this.#stage(hmac(value as [string, string], bytes ?? new Uint8Array()));
      case 'body':
        return this.#stage(this.#body(value as number));
      case 'decoder':
        return labelled(value as string);
      case 'decoderstate':
        return this.#newDecoder(value as DecodeOptions);
      case 'decode':
        return this.#decode(value as DecodeOptions, bytes);
      case 'more':
        return this.#more();
      default:
        throw new TypeError('unknown request');
    }
  }

  #stage(bytes: Uint8Array): number {
    this.slot = bytes;
    return bytes.length;
  }

  #body(id: number): Uint8Array {
    const bytes = this.bodyOf(id);
    if (!bytes) throw new TypeError('the body is gone');
    return bytes;
  }

  #newDecoder({ label, fatal, ignoreBOM }: DecodeOptions): number {
    if (this.#decoders.size >= MOST_DECODERS)
      throw new RangeError('too many streaming decoders are open');
    this.#decoders.set(++this.#lastDecoder, new TextDecoder(label, { fatal, ignoreBOM }));
    return this.#lastDecoder;
  }

  #decode(options: DecodeOptions, given: Uint8Array | undefined): Decoded {
    const { label, fatal, ignoreBOM, state = 0, stream = false, body } = options;
    const bytes = body === undefined ? (given ?? new Uint8Array()) : this.#body(body);
    const kept = this.#decoders.get(state);
    if (kept && !stream) this.#decoders.delete(state);
    const decoder = kept ?? new TextDecoder(label, { fatal, ignoreBOM });
    this.#text = { decoder, bytes, at: 0, stream };
    return this.#more();
  }

  #more(): Decoded {
    const text = this.#text;
    if (!text) throw new TypeError('nothing is being decoded');
    const { decoder, bytes, at, stream } = text;
    const to = Math.min(bytes.length, at + PIECE);
    const more = to < bytes.length;
    text.at = to;
    if (!more) this.#text = undefined;
    const part = decoder.decode(bytes.subarray(at, to), { stream: more || stream });
    return { text: part, more };
  }
}

interface DecodeOptions {
  readonly label: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  readonly state?: number;
  readonly stream?: boolean;
  readonly body?: number;
}

interface Decoded {
  readonly text: string;
  readonly more: boolean;
}

function urlParts(input: string, base?: string): string[] {
  let url: URL;
  try {
    url = new URL(input, base);
  } catch {
    throw new TypeError('Invalid URL');
  }
  return PARTS.map((part) => url[part]);
}

function urlSet(href: string, part: string, value: string): string[] {
  const url = new URL(href);
  if (part === 'href') return urlParts(value);
  const settable = PARTS.find((name) => name === part && name !== 'origin');
  if (settable && settable !== 'origin') url[settable] = value;
  return PARTS.map((name) => url[name]);
}

function fromAscii(text: string): string {
  try {
    return atob(text);
  } catch {
    throw new ScriptVisible('InvalidCharacterError', 'The string is not correctly encoded.');
  }
}

function toAscii(text: string): string {
  try {
    return btoa(text);
  } catch {
    throw new ScriptVisible('InvalidCharacterError', 'The string holds a character above U+00FF.');
  }
}

const ALGORITHMS: { readonly [name: string]: string } = {
  'SHA-1': 'sha1',
  'SHA-256': 'sha256',
  'SHA-384': 'sha384',
  'SHA-512': 'sha512',
};

function algorithmOf(name: string): string {
  const algorithm = ALGORITHMS[name.toUpperCase()];
  if (!algorithm) throw new ScriptVisible('NotSupportedError', `Unrecognized algorithm: ${name}`);
  return algorithm;
}

function digest(name: string, bytes: Uint8Array): Uint8Array {
  const algorithm = algorithmOf(name);
  bounded(bytes.length, MOST_DIGEST);
  return createHash(algorithm).update(bytes).digest();
}

/** `key`: as `hex` gave it. */
function hmac([name, key]: readonly [string, string], bytes: Uint8Array): Uint8Array {
  bounded(bytes.length, MOST_DIGEST);
  return createHmac(algorithmOf(name), Buffer.from(key, 'hex')).update(bytes).digest();
}

function hexOf(bytes: Uint8Array): string {
  bounded(bytes.length, MOST_KEY);
  return Buffer.from(bytes).toString('hex');
}

function bounded(length: number, most: number): number {
  if (length > most) throw new ScriptVisible('QuotaExceededError', `more than ${most} bytes`);
  return length;
}

function labelled(label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    throw new RangeError(`The "${label}" encoding is not supported`);
  }
}
