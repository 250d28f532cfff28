import type { Turn } from '@svc/plugin-retention/api';
import type { Kernel } from '@svc/plugin-sdk';
import { within } from '@svc/plugin-sdk/util';
import type { Config } from '../config.ts';
import type { CleaningStore, Depth } from '../store/cleaning.ts';
import { clean } from './clean.ts';
import { type DrainParts, drain } from './drain.ts';

/** The turn is taken so often, and lasts `TURN_MS`. */
const PERIOD_MS = 3_000;
export const TURN_MS = 10_000;
/** Nothing is begun on a turn that was taken before this time, ms. */
const FRESH_MS = 8_000;
const CLEAN_MS = 60_000;
const DEPTH_MS = 15_000;
/** Longest rest of a server that has nothing to send: old messages are deleted, too. */
const IDLE_MS = 300_000;
/** Time in which a server that stops lets receivers answer, ms. */
const STOP_MS = 3_000;

export interface SenderParts extends Omit<DrainParts, 'hasTurn' | 'stopping' | 'unstored'> {
  readonly kernel: Kernel<Config>;
  readonly turn: Turn;
  readonly cleaning: CleaningStore;
}

/** Sends what the outbox holds: on the server whose turn it is, channels side by side. */
export class Sender {
  readonly #parts: SenderParts;
  readonly #drain: DrainParts;
  /** Channels that are being sent on. */
  readonly #running = new Map<number, Promise<void>>();
  readonly #stop = new AbortController();
  #looking: Promise<void> | undefined;
  #again = false;
  #isEnding = false;
  /** Tells whether this server is alone and nothing waits: what comes announces itself. */
  #isIdle = false;
  /** Monotonic time at which the turn was taken. */
  #takenAt = Number.NEGATIVE_INFINITY;
  #cleaned = Number.NEGATIVE_INFINITY;
  #measured = Number.NEGATIVE_INFINITY;
  #depth: Depth = { waiting: 0, oldest: null };

  constructor(parts: SenderParts) {
    this.#parts = parts;
    const own = { unstored: new Map(), stopping: this.#stop.signal };
    this.#drain = { ...parts, ...own, hasTurn: () => this.#hasTurn() };
  }

  /** Messages that wait, as they were some seconds ago; none on a server that does not send. */
  get depth(): Depth {
    return this.#depth;
  }

  start(): void {
    const { clock, kernel } = this.#parts;
    kernel.every('messages to channels', PERIOD_MS, () => {
      const rests = this.#isIdle && clock.monotonic() - this.#measured < IDLE_MS;
      return rests ? undefined : this.look();
    });
  }

  /** Looks at the outbox now, or once more when it is just looking. Never rejects. */
  look(): Promise<void> {
    this.#again = true;
    this.#looking ??= this.#lookOften().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** Lets receivers answer for some seconds, and gives the turn back. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#looking;
    const all = Promise.all(this.#running.values());
    await within(STOP_MS, all);
    this.#stop.abort();
    await all;
    if (this.#takenAt > Number.NEGATIVE_INFINITY && this.#parts.kernel.db.severalServers)
      await this.#parts.turn.end();
  }

  async #lookOften(): Promise<void> {
    while (this.#again && !this.#isEnding) {
      this.#again = false;
      this.#isIdle = false;
      try {
        await this.#look();
      } catch (error) {
        this.#parts.log.warn('the outbox could not be read; it is tried again', { error });
        return;
      }
    }
  }

  async #look(): Promise<void> {
    const { channels, clock, keys, kernel, outbox, turn } = this.#parts;
    const now = clock.now();
    if (keys.problem !== undefined) return;
    if (kernel.db.severalServers) {
      const asked = clock.monotonic();
      if (!(await keys.isKnown()) || !(await turn.take())) {
        this.#depth = { waiting: 0, oldest: null };
        return;
      }
      this.#takenAt = asked;
    }
    await outbox.see(now);
    for (const id of await channels.sendable(clock.now()))
      if (!this.#running.has(id)) this.#begin(id);
    await this.#tidy();
  }

  #begin(id: number): void {
    const { clock, log } = this.#parts;
    const work = drain(id, this.#drain)
      .then(
        (wait_ms) => {
          if (wait_ms !== undefined) clock.timeout(() => void this.look(), wait_ms);
        },
        (error) => log.warn('a channel could not send; it is tried again', { channel: id, error }),
      )
      .finally(() => this.#running.delete(id));
    this.#running.set(id, work);
  }

  async #tidy(): Promise<void> {
    const { cleaning, clock, kernel } = this.#parts;
    const now = clock.monotonic();
    if (now - this.#cleaned >= CLEAN_MS) {
      await clean({ ...this.#parts, hasTurn: () => this.#hasTurn() });
      this.#cleaned = now;
    }
    if (now - this.#measured >= DEPTH_MS) {
      this.#depth = await cleaning.depth();
      this.#measured = now;
      const isAlone = !kernel.db.severalServers;
      this.#isIdle = isAlone && !this.#again && this.#depth.waiting === 0;
    }
  }

  #hasTurn(): boolean {
    const { clock, kernel } = this.#parts;
    if (this.#isEnding) return false;
    return !kernel.db.severalServers || clock.monotonic() - this.#takenAt < FRESH_MS;
  }
}
