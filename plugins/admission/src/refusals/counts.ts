import type { Logger } from '@svc/plugin-sdk';
import type { RefusalCount, Refusals } from '../api.ts';
import { addressClass } from './address-class.ts';

/** Lines that begin an attack, and as many that sum it up, in one minute. */
const MOST_LINES = 20;
/** Pairs of reason and address in one minute; what others do is logged without their addresses. */
const MOST_PAIRS = 1_000;
const MANY = 'many addresses';

/** Refusals of one reason and address in one minute. */
interface Attack {
  readonly reason: string;
  readonly address: string;
  /** Refusals that are not logged yet. */
  unlogged: number;
}

/** Refusals of this process by reason and address class; each attack is logged once a minute. */
export class RefusalCounts implements Refusals {
  readonly #log: Logger;
  readonly #counts = new Map<
    string,
    { -readonly [Key in keyof RefusalCount]: RefusalCount[Key] }
  >();
  readonly #attacks = new Map<string, Attack>();
  #begun = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  refused(reason: string, address: string): boolean {
    this.#count(reason, address);
    const attack = this.#attacks.get(`${reason} ${address}`);
    if (attack) attack.unlogged++;
    else if (this.#attacks.size < MOST_PAIRS) return this.#begin(reason, address);
    else this.#add(reason, MANY, 1);
    return false;
  }

  counts(): readonly RefusalCount[] {
    return [...this.#counts.values()].map((count) => ({ ...count }));
  }

  /** Sums up what followed the first line of each attack; called once a minute. */
  minute(): void {
    const attacks = [...this.#attacks.values()].filter(({ unlogged }) => unlogged > 0);
    this.#attacks.clear();
    this.#begun = 0;
    const rest = new Map<string, number>();
    let lines = 0;
    for (const attack of attacks.sort((a, b) => b.unlogged - a.unlogged)) {
      const { reason, address, unlogged } = attack;
      if (address !== MANY && lines++ < MOST_LINES) {
        this.#log.warn('refused', { reason, address, in_the_last_minute: unlogged });
        // It is logged: the next line about it is the next sum.
        this.#attacks.set(`${reason} ${address}`, { ...attack, unlogged: 0 });
      } else rest.set(reason, (rest.get(reason) ?? 0) + unlogged);
    }
    for (const [reason, in_the_last_minute] of rest)
      this.#log.warn('refused', { reason, address: MANY, in_the_last_minute });
  }

  #count(reason: string, address: string): void {
    const address_class = addressClass(address);
    const key = `${address_class} ${reason}`;
    const found = this.#counts.get(key);
    if (found) found.count++;
    else this.#counts.set(key, { reason, address_class, count: 1 });
  }

  #begin(reason: string, address: string): boolean {
    const isLogged = this.#begun < MOST_LINES;
    this.#add(reason, address, isLogged ? 0 : 1);
    if (!isLogged) return false;
    this.#begun++;
    this.#log.warn('refused', { reason, address });
    return true;
  }

  #add(reason: string, address: string, unlogged: number): void {
    const key = `${reason} ${address}`;
    const found = this.#attacks.get(key);
    if (found) found.unlogged += unlogged;
    else this.#attacks.set(key, { reason, address, unlogged });
  }
}
