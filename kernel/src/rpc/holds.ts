import { setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { Logger, Principal, Requirement } from '@svc/plugin-sdk';
import type { Hold, LivesOn } from '@svc/plugin-sdk/kernel';

/** Streams that are asked in one turn of the event loop. */
const CHUNK = 200;

type Allows = (caller: Principal, requirement: Requirement) => boolean | Promise<boolean>;

interface Held extends Hold {
  readonly caller: Principal;
  readonly livesOn: LivesOn;
  readonly end: () => void;
}

/** Everything that lives on a credential and its rights: the one place that decides when a stream has to end. */
export class Holds {
  readonly #allows: Allows;
  readonly #log: Logger;
  /** Holds by `Principal.id`. */
  readonly #of = new Map<string, Set<Held>>();
  /** Streams to be asked again: those that live on rights, whose answer is there at once, and those with a question of their own. */
  readonly #due = new Set<Held>();
  readonly #slow = new Set<Held>();
  #isAsking = false;

  constructor(allows: Allows, log: Logger) {
    this.#allows = allows;
    this.#log = log;
  }

  /** Asked for the first time at once: the right may have gone since the caller was let in. */
  hold(caller: Principal, livesOn: LivesOn): Hold {
    const gone = new AbortController();
    const { ended } = caller;
    const release = () => {
      ended.removeEventListener('abort', end);
      this.#queueOf(held).delete(held);
      const others = this.#of.get(caller.id);
      others?.delete(held);
      if (others?.size === 0) this.#of.delete(caller.id);
    };
    const end = () => {
      release();
      gone.abort();
    };
    const held: Held = { caller, livesOn, end, ended: gone.signal, release };
    if (ended.aborted) gone.abort();
    else {
      // One credential may hold any number of streams.
      setMaxListeners(0, ended);
      ended.addEventListener('abort', end, { once: true });
      this.#add(held);
    }
    return held;
  }

  /** The rights of callers with this id may have changed; undefined: of any. */
  changed(id?: string): void {
    const sets = id === undefined ? this.#of.values() : [this.#of.get(id) ?? []];
    for (const set of sets) for (const held of set) this.#queueOf(held).add(held);
    if (this.#next()) this.#begin();
  }

  #add(held: Held): void {
    const others = this.#of.get(held.caller.id) ?? new Set();
    this.#of.set(held.caller.id, others.add(held));
    // The server itself and the Super Token may do everything for as long as they are valid.
    if (held.caller.super) return;
    this.#queueOf(held).add(held);
    this.#begin();
  }

  #queueOf({ livesOn }: Pick<Held, 'livesOn'>): Set<Held> {
    return typeof livesOn === 'function' ? this.#slow : this.#due;
  }

  /** Subscriptions without number keep no terminal open that has lost its right. */
  #next(): Held | undefined {
    for (const queue of [this.#due, this.#slow]) for (const held of queue) return held;
    return undefined;
  }

  #begin(): void {
    if (!this.#isAsking) void this.#ask();
  }

  async #ask(): Promise<void> {
    this.#isAsking = true;
    try {
      await setImmediate();
      let asked = 0;
      for (let held = this.#next(); held; held = this.#next()) {
        this.#queueOf(held).delete(held);
        if (!(await this.#mayGoOn(held))) held.end();
        if (++asked % CHUNK === 0) await setImmediate();
      }
    } finally {
      // The asking ends in the turn that saw none left: a change that comes a microtask later begins anew.
      this.#isAsking = false;
    }
  }

  /** A stream that cannot be asked ends. */
  async #mayGoOn({ caller, livesOn }: Held): Promise<boolean> {
    if (caller.super) return true;
    try {
      if (typeof livesOn === 'function') return await livesOn();
      for (const requirement of livesOn) if (await this.#allows(caller, requirement)) return true;
      return false;
    } catch (error) {
      this.#log.error('the right of a stream could not be asked, so it ends', { error });
      return false;
    }
  }
}
