import { setImmediate } from 'node:timers/promises';
import { RpcError } from '@svc/plugin-sdk';
import type { SerialQueue } from '@svc/plugin-sdk/util';
import { BoundedCache } from '@svc/plugin-sdk/util';
import type { LoginLocations } from '../login/locations.ts';
import type { ActiveSessions } from '../sessions/active.ts';
import type { SessionStore } from '../sessions/store.ts';
import type { Records } from './cache.ts';
import type { TokenRow } from './store.ts';
import type { TokenReads } from './store-reads.ts';
import type { Token } from './token.ts';

/** Names per read. Those that arrive while it runs wait for the next one. */
const BATCH_SIZE = 50;
/** Most pending names. One address occupies no more of the queue than it leaves free: alone, half of it. */
export const WAITING = 40_000;
/** Longest name that is cached as missing. */
const MAX_NAME_LENGTH = 64;

type Kind = 'key' | 'username';

interface PendingLookup {
  readonly kind: Kind;
  readonly name: string;
  resolve(): void;
  reject(error: unknown): void;
}

interface LookupsDependencies {
  readonly reads: TokenReads;
  readonly sessionStore: Pick<SessionStore, 'ofTokens' | 'ownersOf'>;
  readonly records: Records;
  readonly sessions: ActiveSessions;
  readonly locations: LoginLocations;
  /** Serializes reads of the table with the changes that messages announce. */
  readonly turns: SerialQueue;
}

/**
 * Loads records on demand. Lookups of one moment share a read, and addresses are served round robin, so that a client that
 * tries keys by the thousand costs little and delays only itself.
 */
export class Lookups {
  readonly #deps: LookupsDependencies;
  /** Pending names by address, served round robin. */
  readonly #queues = new Map<string, PendingLookup[]>();
  readonly #pending = new Map<string, Promise<void>>();
  /** Names that no record has. */
  readonly #missing = new BoundedCache<string, true>({
    most: 20_000,
    bytes: 4 * 2 ** 20,
    weigh: () => 200,
  });
  #generation = 0;
  #isReading = false;

  constructor(deps: LookupsDependencies) {
    this.#deps = deps;
  }

  /** Returns the token with this key. @throws RpcError 103 */
  async byKey(key: string): Promise<Token | undefined> {
    await this.load('key', key);
    return this.#deps.records.byKey(key);
  }

  /** @throws RpcError 103 */
  async byUsername(username: string): Promise<Token | undefined> {
    await this.load('username', username);
    return this.#deps.records.byUsername(username);
  }

  /** Token with this key, else with this username. @throws RpcError 103 */
  async byName(name: string): Promise<Token | undefined> {
    return (await this.byKey(name)) ?? (await this.byUsername(name));
  }

  /**
   * Loads the token that has this name; a key may also be that of a session. `from`: address of the client.
   * @returns undefined where it is cached. @throws RpcError 103; 999 when too many wait
   */
  load(kind: Kind, name: string, from = ''): Promise<void> | undefined {
    if (this.#isCached(kind, name)) return undefined;
    const id = `${kind} ${name}`;
    if (this.#missing.get(id)) return undefined;
    const pending = this.#pending.get(id);
    if (pending) return pending;
    const theirs = this.#queues.get(from)?.length ?? 0;
    if (theirs >= WAITING - this.#pending.size)
      throw RpcError.other('Too many log-ins at once, try again');
    const found = new Promise<void>((resolve, reject) => {
      const queue = this.#queues.get(from) ?? [];
      this.#queues.set(from, queue);
      queue.push({ kind, name, resolve, reject });
    }).finally(() => this.#pending.delete(id));
    this.#pending.set(id, found);
    if (!this.#isReading) this.#readNext();
    return found;
  }

  /** Clears the names cached as missing: a change may have created them. */
  forgetMissing(): void {
    this.#generation++;
    this.#missing.clear();
  }

  /** Reads these records into the cache. @returns ids without a record. @throws RpcError 103 */
  async read(ids: readonly number[], samePassword?: string): Promise<number[]> {
    if (ids.length === 0) return [];
    const rows = await this.#deps.reads.byIds(ids);
    await this.#cacheRows(rows, samePassword);
    const there = new Set(rows.map(({ id }) => id));
    return ids.filter((id) => !there.has(id));
  }

  #isCached(kind: Kind, name: string): boolean {
    const { records, sessions } = this.#deps;
    if (kind === 'username') return records.byUsername(name) !== undefined;
    return records.byKey(name) !== undefined || sessions.has(name);
  }

  #readNext(): void {
    this.#isReading = this.#queues.size > 0;
    if (!this.#isReading) return;
    void this.#deps.turns.run(async () => {
      // Names of this turn of the event loop join, and reads on this thread yield to other work.
      await setImmediate();
      const batch = this.#nextBatch();
      try {
        await this.#readBatch(batch);
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      this.#readNext();
    });
  }

  /** Takes one name of each address, then the next of each. */
  #nextBatch(): PendingLookup[] {
    const batch: PendingLookup[] = [];
    while (batch.length < BATCH_SIZE && this.#queues.size > 0) {
      const [[from, queue]] = this.#queues as unknown as [[string, PendingLookup[]]];
      this.#queues.delete(from);
      const wanted = queue.shift();
      if (wanted) batch.push(wanted);
      if (queue.length > 0) this.#queues.set(from, queue);
    }
    return batch;
  }

  async #readBatch(batch: readonly PendingLookup[]): Promise<void> {
    const { reads, sessionStore } = this.#deps;
    const changes = this.#generation;
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
    await this.#cacheRows([...rows.values()]);
    if (changes !== this.#generation) return;
    for (const { kind, name } of batch)
      if (name.length <= MAX_NAME_LENGTH && !this.#isCached(kind, name))
        this.#missing.set(`${kind} ${name}`, true);
  }

  async #cacheRows(rows: readonly TokenRow[], samePassword?: string): Promise<void> {
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return;
    const { reads, records, sessions, sessionStore, locations } = this.#deps;
    const [ancestors, found, seen] = await Promise.all([
      reads.ancestors(rows),
      sessionStore.ofTokens(...ids),
      locations.load(ids),
    ]);
    const sessionsOf = Map.groupBy(found, ({ token_id }) => Number(token_id));
    const locationsOf = Map.groupBy(seen, ({ token_id }) => Number(token_id));
    for (const row of rows) {
      const token = records.put({ row, ancestors: ancestors.get(row.id) ?? [] }, samePassword);
      sessions.replace(token, sessionsOf.get(row.id) ?? []);
      locations.merge(token.locations, locationsOf.get(row.id) ?? []);
      records.weigh(token);
    }
  }
}
