import type { Standing } from '@svc/fair-turns';
import type { Connection, Origin } from '@svc/plugin-sdk/http';
import type { Wait } from '@svc/plugin-sdk/kernel';
import { thisTurn } from '@svc/plugin-sdk/util';

/** Cost of what may begin in one turn of the event loop without regard to who sends it. */
const FREE = 128;
/** Cost that each share may begin in any turn, whatever the others do. */
const OWN = 16;
/** A message counts as one, and one more for each of these bytes: a batch holds many calls. */
const BYTES = 1_024;
/** A longer one counts as one: it is read in slices, within a budget of its own (`messages.ts`). */
const LONG_BYTES = 256 * 1_024;

/** Idle shares are forgotten once there are so many, or twice as many as wait. */
const REMEMBERED = 1_000;

interface Waiting {
  readonly connection: Connection;
  readonly cost: number;
  readonly start: () => void;
}

interface Share {
  readonly name: string;
  /** The turn that `used` is of. */
  turn: number;
  /** Begun in that turn. */
  used: number;
  /** Cost that it may still begin in this round (deficit round robin). */
  credit: number;
  readonly waiting: Waiting[];
}

/** Messages of a connection that wait, and where. */
interface Place {
  share: Share;
  count: number;
}

/**
 * Calls begin at once for as long as a turn of the event loop has few of them. Beyond that each share (token, or address
 * before a valid credential) waits its turn. A connection has a bounded number of calls that are not answered, those
 * that wait included, and is not read beyond that: nothing grows here.
 *
 * What is kept of a share or a connection stays while it is idle. In a table that is filled and emptied all the time, old
 * tables refer to newer ones, and keep what was in them until V8 collects everything.
 */
export class CallTurns {
  readonly #standing: (share: string) => Standing;
  readonly #shares = new Map<string, Share>();
  #most = REMEMBERED;
  /** Shares in which something waits, in order of their turns. */
  readonly #queue: Share[] = [];
  /** Messages of one connection begin in order, also when its first valid credential comes in between. */
  readonly #places = new WeakMap<Connection, Place>();
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
    const place = this.#places.get(connection);
    const isParked = place !== undefined && place.count > 0;
    const share = isParked ? place.share : this.#share(connection.caller?.id ?? connection.address);
    if (share.waiting.length === 0 && (this.#used < FREE || this.#usedBy(share) < OWN)) {
      this.#begins(share, cost);
      return undefined;
    }
    return (start) => {
      this.#next ??= setImmediate(() => this.#turn());
      if (share.waiting.push({ connection, cost, start }) === 1) this.#queue.push(share);
      if (!place) this.#places.set(connection, { share, count: 1 });
      else {
        place.share = share;
        place.count++;
      }
    };
  }

  stop(): void {
    clearImmediate(this.#next);
  }

  #share(name: string): Share {
    const existing = this.#shares.get(name);
    if (existing) return existing;
    if (this.#shares.size >= this.#most) this.#forget();
    const share: Share = { name, turn: 0, used: 0, credit: 0, waiting: [] };
    this.#shares.set(name, share);
    return share;
  }

  #forget(): void {
    for (const share of this.#shares.values()) {
      if (share.waiting.length === 0) this.#shares.delete(share.name);
    }
    this.#most = Math.max(REMEMBERED, 2 * this.#shares.size);
  }

  /** Starts the count anew in each turn: what has begun counts for one turn. */
  #count(): void {
    const turn = thisTurn();
    if (turn === this.#now) return;
    this.#now = turn;
    this.#used = 0;
  }

  #usedBy(share: Share): number {
    return share.turn === this.#now ? share.used : 0;
  }

  #begins(share: Share, cost: number): void {
    share.used = this.#usedBy(share) + cost;
    share.turn = this.#now;
    this.#used += cost;
  }

  #turn(): void {
    this.#next = undefined;
    this.#count();
    while (this.#queue.length > 0 && this.#used < FREE) this.#round();
    if (this.#queue.length > 0) this.#next ??= setImmediate(() => this.#turn());
  }

  /** Each share that waits begins a little; the one that was first goes last in the next round. */
  #round(): void {
    for (let left = this.#queue.length; left > 0 && this.#used < FREE; left--) {
      const share = this.#queue.shift() as Share;
      share.credit += OWN * this.#standing(share.name).weight;
      let begun = 0;
      for (const { cost, connection, start } of share.waiting) {
        if (cost > share.credit) break;
        begun++;
        share.credit -= cost;
        this.#begins(share, cost);
        (this.#places.get(connection) as Place).count--;
        start();
      }
      share.waiting.splice(0, begun);
      if (share.waiting.length > 0) this.#queue.push(share);
      else share.credit = 0;
    }
  }
}
