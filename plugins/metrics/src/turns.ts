import { type LongTurn, onLongTurn } from '@svc/plugin-sdk/util';
import type { Family } from './api.ts';

/** Work that was begun by no call: answers of the database for the server itself. */
const NO_CALL = 'other';

/** Turns of the main thread that kept everybody waiting, by what ran longest in them. Names of methods and routes are few. */
export class LongTurns {
  readonly #counts = new Map<string, number>();

  /** Counts from now on. Returns the end of it. */
  watch(): () => void {
    return onLongTurn(({ call }: LongTurn) => {
      const name = call === '' ? NO_CALL : call;
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    });
  }

  readonly family: Family = {
    name: 'long_turns',
    type: 'counter',
    help: 'Turns of the main thread with more than 50 ms of processor time, by the method or route that ran longest in them.',
    read: () => [...this.#counts].map(([call, value]) => ({ labels: { call }, value })),
  };
}
