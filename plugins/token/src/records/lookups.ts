import { setImmediate } from 'node:timers/promises';
import { BoundedCache, RpcError } from '@svc/plugin-sdk';
import type { Places } from '../login/locations.ts';
import type { Sessions } from '../sessions/active.ts';
import type { SessionStore } from '../sessions/store.ts';
import type { Records } from './cache.ts';
import type { TokenRow } from './store.ts';
import type { TokenReads } from './store-reads.ts';
import type { Token } from './token.ts';
import type { Turns } from './turns.ts';

/** Names of one read. Those that come while it runs wait for the next one. */
const BATCH = 50;
/** Names that wait. An address takes no more of these places than it leaves free: alone, half of them. */
export const WAITING = 40_000;
/** Names that nobody has are remembered up to this length. */
const LONGEST = 64;

type Kind = 'key' | 'username';

interface Wanted {
  readonly kind: Kind;
  readonly name: string;
  resolve(): void;
  reject(error: unknown): void;
}

interface LookupsParts {
  readonly reads: TokenReads;
  readonly sessionStore: Pick<SessionStore, 'of' | 'ownersOf'>;
  readonly records: Records;
  readonly sessions: Sessions;
  readonly places: Places;
  /** One read of the table at a time, in order with the changes that are heard of. */
  readonly turns: Turns;
}

/**
 * Reads records when they are needed. Names that are looked for at one moment share a read, and addresses take turns, so that
 * somebody who tries keys by the thousand costs little and holds up himself.
 */
export class Lookups {
  readonly #parts: LookupsParts;
  /** By address, in the order of their turns. */
  readonly #queues = new Map<string, Wanted[]>();
  readonly #waiting = new Map<string, Promise<void>>();
  /** Names that nobody has. */
  readonly #nobodys = new BoundedCache<string, true>({
    most: 20_000,
    bytes: 4 * 2 ** 20,
    weigh: () => 200,
  });
  #changes = 0;
  #isReading = false;

  constructor(parts: LookupsParts) {
    this.#parts = parts;
  }

  /** The token with this key. @throws RpcError 103 */
  async byKey(key: string): Promise<Token | undefined> {
    await this.find('key', key);
    return this.#parts.records.byKey(key);
  }

  /** @throws RpcError 103 */
  async byUsername(username: string): Promise<Token | undefined> {
    await this.find('username', username);
    return this.#parts.records.byUsername(username);
  }

  /** By key, then by username. @throws RpcError 103 */
  async byName(name: string): Promise<Token | undefined> {
    return (await this.byKey(name)) ?? (await this.byUsername(name));
  }

  /**
   * Reads the token that has this name; a key may also be that of a session. `from`: who asks.
   * @returns undefined where memory knows already. @throws RpcError 103; 999 when too many wait
   */
  find(kind: Kind, name: string, from = ''): Promise<void> | undefined {
    if (this.#isKnown(kind, name)) return undefined;
    const id = `${kind} ${name}`;
    if (this.#nobodys.get(id)) return undefined;
    const waiting = this.#waiting.get(id);
    if (waiting) return waiting;
    const theirs = this.#queues.get(from)?.length ?? 0;
    if (theirs >= WAITING - this.#waiting.size)
      throw RpcError.other('Too many log-ins at once, try again');
    const found = new Promise<void>((resolve, reject) => {
      const queue = this.#queues.get(from) ?? [];
      this.#queues.set(from, queue);
      queue.push({ kind, name, resolve, reject });
    }).finally(() => this.#waiting.delete(id));
    this.#waiting.set(id, found);
    if (!this.#isReading) this.#next();
    return found;
  }

  /** Names that nobody had may be somebody's now. */
  forget(): void {
    this.#changes++;
    this.#nobodys.clear();
  }

  /** Takes over what the table holds of these records. @returns ids that have none. @throws RpcError 103 */
  async read(ids: readonly number[], samePassword?: string): Promise<number[]> {
    if (ids.length === 0) return [];
    const rows = await this.#parts.reads.byIds(ids);
    await this.#take(rows, samePassword);
    const there = new Set(rows.map(({ id }) => id));
    return ids.filter((id) => !there.has(id));
  }

  #isKnown(kind: Kind, name: string): boolean {
    const { records, sessions } = this.#parts;
    if (kind === 'username') return records.byUsername(name) !== undefined;
    return records.byKey(name) !== undefined || sessions.knows(name);
  }

  #next(): void {
    this.#isReading = this.#queues.size > 0;
    if (!this.#isReading) return;
    void this.#parts.turns.run(async () => {
      // What comes in this turn of the event loop joins, and reads on this thread leave turns to others.
      await setImmediate();
      const batch = this.#batch();
      try {
        await this.#find(batch);
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      this.#next();
    });
  }

  /** One of each address, then the next of each. */
  #batch(): Wanted[] {
    const batch: Wanted[] = [];
    while (batch.length < BATCH && this.#queues.size > 0) {
      const [[from, queue]] = this.#queues as unknown as [[string, Wanted[]]];
      this.#queues.delete(from);
      const wanted = queue.shift();
      if (wanted) batch.push(wanted);
      if (queue.length > 0) this.#queues.set(from, queue);
    }
    return batch;
  }

  async #find(batch: readonly Wanted[]): Promise<void> {
    const { reads, sessionStore } = this.#parts;
    const changes = this.#changes;
    const namesOf = (wanted: Kind) =>
      batch.flatMap(({ kind, name }) => (kind === wanted ? [name] : []));
    const keys = namesOf('key');
    const [byKey, byUsername] = await Promise.all([
      reads.byKeys(keys),
      reads.byUsernames(namesOf('username')),
    ]);
    const found = new Set(byKey.map(({ token_key }) => token_key));
    const owners = await sessionStore.ownersOf(keys.filter((key) => !found.has(key)));
    const rows = new Map([...byKey, ...byUsername].map((row) => [row.id, row]));
    for (const row of await reads.byIds(owners.filter((id) => !rows.has(id))))
      rows.set(row.id, row);
    await this.#take([...rows.values()]);
    if (changes !== this.#changes) return;
    for (const { kind, name } of batch)
      if (name.length <= LONGEST && !this.#isKnown(kind, name))
        this.#nobodys.set(`${kind} ${name}`, true);
  }

  async #take(rows: readonly TokenRow[], samePassword?: string): Promise<void> {
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return;
    const { reads, records, sessions, sessionStore, places } = this.#parts;
    const [above, found, seen] = await Promise.all([
      reads.above(rows),
      sessionStore.of(...ids),
      places.of(ids),
    ]);
    const sessionsOf = Map.groupBy(found, ({ token_id }) => Number(token_id));
    const placesOf = Map.groupBy(seen, ({ token_id }) => Number(token_id));
    for (const row of rows) {
      const token = records.put({ row, above: above.get(row.id) ?? [] }, samePassword);
      sessions.replace(token, sessionsOf.get(row.id) ?? []);
      places.put(token.places, placesOf.get(row.id) ?? []);
      records.weigh(token);
    }
  }
}
