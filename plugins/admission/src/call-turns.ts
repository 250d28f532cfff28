import { type Connection, type Origin, thisTurn, type Wait } from '@svc/plugin-sdk';
import type { Standing } from './shares.ts';

/** What may begin in one turn of the event loop without a look at who sends it. */
const FREE = 128;
/** What each share may begin in any turn, whatever the others do. */
const OWN = 16;
/** A message counts as one, and one more for each of these bytes: a batch holds many calls. */
const BYTES = 1_024;
/** A longer one counts as one: it is read in slices, within a budget of its own (`messages.ts`). */
const LONG_BYTES = 256 * 1_024;

interface Waiting {
  readonly connection: Connection;
  readonly cost: number;
  readonly start: () => void;
}

interface Share {
  readonly name: string;
  /** Begun in this turn. */
  used: number;
  /** What it may still begin in this round (deficit round robin). */
  credit: number;
  readonly waiting: Waiting[];
}

/**
 * Calls begin at once for as long as a turn of the event loop has few of them. Beyond that each share (token, or address
 * before a valid credential) waits its turn. A connection has a bounded number of calls that are not answered, those
 * that wait included, and is not read beyond that: nothing grows here.
 */
export class CallTurns {
  readonly #standing: (share: string) => Standing;
  readonly #shares = new Map<string, Share>();
  /** Messages of one connection begin in order, also when its first valid credential comes in between. */
  readonly #parked = new Map<Connection, { readonly share: Share; count: number }>();
  #now = 0;
  #used = 0;
  #next: NodeJS.Immediate | undefined;

  constructor(standing: (share: string) => Standing) {
    this.#standing = standing;
  }

  waits({ connection }: Origin, bytes: number): Wait {
    if (!connection) return undefined;
    this.#count();
    const cost = 1 + (bytes > LONG_BYTES ? 0 : Math.floor(bytes / BYTES));
    const parked = this.#parked.get(connection);
    const share = parked?.share ?? this.#share(connection.caller?.id ?? connection.address);
    if (!parked && share.waiting.length === 0 && (this.#used < FREE || share.used < OWN)) {
      share.used += cost;
      this.#used += cost;
      return undefined;
    }
    return (start) => {
      this.#next ??= setImmediate(() => this.#turn());
      share.waiting.push({ connection, cost, start });
      if (parked) parked.count++;
      else this.#parked.set(connection, { share, count: 1 });
    };
  }

  stop(): void {
    clearImmediate(this.#next);
  }

  #share(name: string): Share {
    const known = this.#shares.get(name);
    if (known) return known;
    const share: Share = { name, used: 0, credit: 0, waiting: [] };
    this.#shares.set(name, share);
    return share;
  }

  /** What has begun counts for one turn. */
  #count(): void {
    const turn = thisTurn();
    if (turn === this.#now) return;
    this.#now = turn;
    this.#used = 0;
    for (const share of this.#shares.values()) {
      if (share.used === 0 && share.waiting.length === 0) this.#shares.delete(share.name);
      share.used = 0;
    }
  }

  #turn(): void {
    this.#next = undefined;
    this.#count();
    while (this.#shares.size > 0 && this.#used < FREE) this.#round();
    if (this.#shares.size > 0) this.#next ??= setImmediate(() => this.#turn());
  }

  /** Each share that waits begins a little; the one that was first goes last in the next round. */
  #round(): void {
    for (const share of [...this.#shares.values()]) {
      if (this.#used >= FREE) return;
      share.credit += OWN * this.#standing(share.name).weight;
      let begun = 0;
      for (const { cost, connection, start } of share.waiting) {
        if (cost > share.credit) break;
        begun++;
        share.credit -= cost;
        share.used += cost;
        this.#used += cost;
        this.#begin(connection, start);
      }
      share.waiting.splice(0, begun);
      this.#shares.delete(share.name);
      if (share.waiting.length > 0) this.#shares.set(share.name, share);
    }
  }

  #begin(connection: Connection, start: () => void): void {
    const parked = this.#parked.get(connection);
    if (parked && --parked.count === 0) this.#parked.delete(connection);
    start();
  }
}
