import type { Clock } from '@svc/plugin-sdk';
import type { Exchange } from '@svc/plugin-sdk/http';

/** Largest request body, bytes (worker-route.md §3.1). */
const MOST_BODY = 8_388_608;
/** Bodies that arrive, wait or are worked on, of all workers together, bytes. */
const MOST_HELD = 134_217_728;
/** Part of them that one address may hold. */
const MOST_OF_ADDRESS = MOST_HELD / 4;
/** A client that sends less than this in `STALL_MS` is given up. */
const STALL_BYTES = 65_536;
const STALL_MS = 10_000;
/** Memory of one chunk in addition to its bytes. */
const CHUNK_COST = 256;

/** A body in memory, none when it is empty; to be given back after its run. */
export interface HeldBody {
  /** Bytes in an ArrayBuffer of their own. */
  readonly bytes: Uint8Array | undefined;
  release(): void;
}

/** Reason why there is no body. */
export interface Unread {
  readonly status: 400 | 413 | 503;
  readonly reason: string;
}

const TOO_BIG: Unread = { status: 413, reason: 'length limit exceeded' };
const BROKEN: Unread = { status: 400, reason: 'broken transfer' };
const SLOW: Unread = { status: 400, reason: 'the client is too slow' };
const FULL: Unread = { status: 503, reason: 'too many bodies are held' };
const NONE: HeldBody = { bytes: undefined, release() {} };

/** Request bodies. Routes ask for no credential, so all bodies together are bounded, and each has to move on. */
export class RequestBodies {
  readonly #clock: Clock;
  #held = 0;
  readonly #byAddress = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async read({ connection, peerAddress, request }: Exchange): Promise<HeldBody | Unread> {
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    // RFC 9112 §6.3: without these two a request has no body.
    if (length === undefined && coding === undefined) return NONE;
    if (Number(length ?? 0) > MOST_BODY) return TOO_BIG;
    const chunks: Buffer[] = [];
    const receipt = connection.receive(peerAddress);
    let size = 0;
    const unread = await this.#collect(request, (chunk) => {
      size += chunk.length;
      chunks.push(chunk);
      const ofAddress = this.#hold(peerAddress, chunk.length);
      if (size > MOST_BODY) return TOO_BIG;
      const hasRoom = receipt.holds(size + chunks.length * CHUNK_COST);
      const isFull = this.#held > MOST_HELD || ofAddress > MOST_OF_ADDRESS;
      return isFull || !hasRoom ? FULL : undefined;
    });
    receipt.holds(0);
    const release = () => {
      this.#hold(peerAddress, -size);
      size = 0;
    };
    if (!unread && size > 0) return { bytes: joined(chunks, size), release };
    release();
    return unread ?? NONE;
  }

  /** @returns bytes that the address holds now */
  #hold(address: string, more: number): number {
    const bytes = (this.#byAddress.get(address) ?? 0) + more;
    this.#held += more;
    if (bytes > 0) this.#byAddress.set(address, bytes);
    else this.#byAddress.delete(address);
    return bytes;
  }

  /** Collects the body by events: ending an iteration would close the connection before the client learns why. */
  #collect(
    request: Exchange['request'],
    accept: (chunk: Buffer) => Unread | undefined,
  ): Promise<Unread | undefined> {
    return new Promise((resolve) => {
      let moved = 0;
      const done = (unread?: Unread) => {
        for (const [name, hear] of Object.entries(heard)) request.off(name, hear);
        stop();
        if (unread) request.pause();
        resolve(unread);
      };
      const heard: { readonly [name: string]: (chunk: Buffer) => void } = {
        data(chunk) {
          moved += chunk.length;
          const refused = accept(chunk);
          if (refused) done(refused);
        },
        end: () => done(),
        close: () => done(BROKEN),
        error: () => done(BROKEN),
      };
      const checkProgress = () => {
        if (moved < STALL_BYTES) return done(SLOW);
        moved = 0;
        stop = this.#clock.timeout(checkProgress, STALL_MS);
      };
      let stop = this.#clock.timeout(checkProgress, STALL_MS);
      for (const [name, hear] of Object.entries(heard)) request.on(name, hear);
      if (request.destroyed) done(BROKEN);
    });
  }
}

function joined(chunks: readonly Buffer[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
