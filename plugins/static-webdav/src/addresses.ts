import { Refusal } from './answers.ts';

/** The resource that a URL names. */
export interface Address {
  readonly bucket: string;
  /** Decoded segments below the bucket; dot segments are resolved. */
  readonly segments: readonly string[];
  /** Tells whether the URL ends in `/`: a collection is meant. */
  readonly slash: boolean;
}

/**
 * The addresses of buckets, below `/svc/static-webdav/`. Dot segments are resolved before the bucket's name is read
 * (static-http.md §B2), so that the authorised bucket is the one that is used.
 */
export class Addresses {
  readonly prefix: string;
  readonly #parts: readonly string[];

  /** @param prefix with a slash at both ends */
  constructor(prefix: string) {
    this.prefix = prefix;
    this.#parts = prefix.split('/').filter((part) => part !== '');
  }

  /**
   * The address in the path of a request.
   * @throws Refusal 400 undecodable, 403 above the root, 502 outside of the bucket that the path names first
   */
  ofPath(raw: string): Address {
    const [first = ''] = raw.slice(this.prefix.length).split('/');
    const address = this.#resolve(raw);
    if (address.bucket !== decode(first)) throw new Refusal(502);
    return address;
  }

  /** The address in `Destination` or in a tag of `If`: an absolute path, or a URL whose host is ignored. @throws Refusal */
  ofReference(reference: string): Address {
    const path = /^(?:[a-z][a-z0-9+.-]*:\/\/[^/?#]*)?([^?#]*)/i.exec(reference.trim())?.[1] ?? '';
    if (!path.startsWith('/')) throw new Refusal(400);
    return this.#resolve(path);
  }

  #resolve(raw: string): Address {
    if (!/^[\x21-\x7e]*$/.test(raw)) throw new Refusal(400);
    const resolved: string[] = [];
    for (const part of raw.split('/').map(decode)) {
      if (/[/\0]/.test(part)) throw new Refusal(400);
      if (part === '' || part === '.') continue;
      if (part !== '..') resolved.push(part);
      else if (resolved.pop() === undefined) throw new Refusal(403);
    }
    if (this.#parts.some((part, at) => resolved[at] !== part)) throw new Refusal(502);
    const [bucket, ...segments] = resolved.slice(this.#parts.length);
    if (bucket === undefined) throw new Refusal(502);
    return { bucket, segments, slash: /\/\.{0,2}$/.test(raw) };
  }

  /** The absolute path, percent-encoded. That of a collection ends in `/`. */
  href(bucket: string, segments: readonly string[], isCollection: boolean): string {
    const path = [bucket, ...segments].map(encode).join('/');
    return `${this.prefix}${path}${isCollection ? '/' : ''}`;
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // The text is not percent-encoded UTF-8.
    throw new Refusal(400);
  }
}

/** Percent-encodes every byte except letters, digits and `-_.~`. */
export const encode = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
