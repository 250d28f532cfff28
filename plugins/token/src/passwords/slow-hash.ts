import {
  hash as digest,
  randomBytes,
  type ScryptOptions,
  scrypt,
  timingSafeEqual,
} from 'node:crypto';
import { RpcError } from '@svc/plugin-sdk';

/** A slow password hash: `scrypt$<log2 of the cost>$<salt>$<hash>`, base64url. */
export interface SlowHash {
  readonly cost: number;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** 2^14: 16 MB and some 50 ms each. */
const COST = 14;
const HASH_BYTES = 32;
const form = /^scrypt\$(1[0-7])\$([\w-]{22})\$([\w-]{43})$/;

export function parseSlowHash(stored: string): SlowHash | undefined {
  const [, cost, salt, hash] = form.exec(stored) ?? [];
  if (!cost || !salt || !hash) return undefined;
  return {
    cost: Number(cost),
    salt: Buffer.from(salt, 'base64url'),
    hash: Buffer.from(hash, 'base64url'),
  };
}

/** Names the change from one stored form of a password to another, and tells nothing of either. */
export const changeOfForm = (from: string | null, to: string | null): string =>
  digest('sha256', `${from} ${to}`, 'hex');

const RUNNING = 2;
const WAITING = 32;

/** Takes as much work as the check of a password, and matches none. */
const NOBODY: SlowHash = { cost: COST, salt: randomBytes(16), hash: randomBytes(HASH_BYTES) };

/**
 * Slow hashing off the event loop, two at a time, so that the thread pool stays free for others. `first` goes before the
 * rest and has waiting places of its own: for callers that are known already.
 */
export class SlowHasher {
  #running = 0;
  readonly #first: (() => void)[] = [];
  readonly #waiting: (() => void)[] = [];

  /** True when no more work is taken of callers that are not known. */
  get full(): boolean {
    return this.#waiting.length >= WAITING;
  }

  async make(password: string): Promise<string> {
    const salt = randomBytes(16);
    const hash = await this.#derive(password, { salt, cost: COST }, true);
    return `scrypt$${COST}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
  }

  async matches(password: string, stored: SlowHash, first: boolean): Promise<boolean> {
    return timingSafeEqual(await this.#derive(password, stored, first), stored.hash);
  }

  /** For a name that has no slow hash: what a caller waits for must not tell that. */
  async dummy(password: string, first: boolean): Promise<void> {
    await this.matches(password, NOBODY, first);
  }

  async #derive(
    password: string,
    { salt, cost }: Pick<SlowHash, 'salt' | 'cost'>,
    first: boolean,
  ): Promise<Buffer> {
    const queue = first ? this.#first : this.#waiting;
    if (queue.length >= WAITING) throw overloaded();
    if (this.#running >= RUNNING) await new Promise<void>((go) => queue.push(go));
    else this.#running++;
    try {
      return await derive(password, salt, { N: 2 ** cost, r: 8, p: 1, maxmem: 2 ** (cost + 11) });
    } finally {
      // The place passes on to the next in line; only without one is it free.
      const next = this.#first.shift() ?? this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}

/** 999: the caller may try again; says nothing about the credential. */
export const overloaded = () => RpcError.other('Too many password checks at once, try again');

const derive = (password: string, salt: Buffer, options: ScryptOptions) =>
  new Promise<Buffer>((resolve, reject) => {
    scrypt(password, salt, HASH_BYTES, options, (error, hash) =>
      error ? reject(error) : resolve(hash),
    );
  });
