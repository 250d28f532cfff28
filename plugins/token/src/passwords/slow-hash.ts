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

/** Digest that identifies the change from one stored form of a password to another, and reveals neither. */
export const formChangeDigest = (from: string | null, to: string | null): string =>
  digest('sha256', `${from} ${to}`, 'hex');

const MAX_RUNNING = 2;
const MAX_WAITING = 32;

/** Hash that costs the work of a check and matches no password. */
const DUMMY: SlowHash = { cost: COST, salt: randomBytes(16), hash: randomBytes(HASH_BYTES) };

/**
 * Slow hashing off the event loop, two at a time, so that the thread pool stays free for others. Work with `priority`, for
 * callers at a usual location, has a queue of its own, which is served first.
 */
export class SlowHasher {
  #running = 0;
  readonly #priority: (() => void)[] = [];
  readonly #waiting: (() => void)[] = [];

  /** Tells whether work without priority is refused. */
  get isFull(): boolean {
    return this.#waiting.length >= MAX_WAITING;
  }

  async hash(password: string): Promise<string> {
    const salt = randomBytes(16);
    const hash = await this.#derive(password, { salt, cost: COST }, true);
    return `scrypt$${COST}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
  }

  async matches(password: string, stored: SlowHash, priority: boolean): Promise<boolean> {
    return timingSafeEqual(await this.#derive(password, stored, priority), stored.hash);
  }

  /** Does the work of a check for a name that has no slow hash, so that the time reveals nothing. */
  async dummy(password: string, priority: boolean): Promise<void> {
    await this.matches(password, DUMMY, priority);
  }

  async #derive(
    password: string,
    { salt, cost }: Pick<SlowHash, 'salt' | 'cost'>,
    priority: boolean,
  ): Promise<Buffer> {
    const queue = priority ? this.#priority : this.#waiting;
    if (queue.length >= MAX_WAITING) throw overloaded();
    if (this.#running >= MAX_RUNNING) await new Promise<void>((go) => queue.push(go));
    else this.#running++;
    try {
      return await derive(password, salt, { N: 2 ** cost, r: 8, p: 1, maxmem: 2 ** (cost + 11) });
    } finally {
      // The slot is handed to the next in the queue; only without one is it free.
      const next = this.#priority.shift() ?? this.#waiting.shift();
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
