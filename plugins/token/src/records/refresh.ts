import { setImmediate } from 'node:timers/promises';
import {
  type Clock,
  DatabaseChanged,
  type Logger,
  type Messaging,
  Type,
  topic,
} from '@svc/plugin-sdk';
import type { BusSender, BusServer } from '@svc/plugin-sdk/kernel';
import type { SerialQueue } from '@svc/plugin-sdk/util';
import type { LoginLocations } from '../login/locations.ts';
import type { ActiveSessions } from '../sessions/active.ts';
import type { SessionFingerprint, SessionStore } from '../sessions/store.ts';
import type { Records } from './cache.ts';
import type { Lookups } from './lookups.ts';
import { type Fingerprint, SUPER_ID, type TokenStore } from './store.ts';
import { isOlder } from './versions.ts';

/** Change of one record or of its sessions. */
const TokenChanged = topic(
  'token.changed',
  Type.Object({
    id: Type.Integer(),
    samePassword: Type.Optional(Type.String()),
    gone: Type.Optional(Type.String()),
  }),
);

/** Delay of `poll`, which runs each second, that shows that the process slept or the database hangs. */
const OVERDUE_MS = 3_000;
/** Longest wait of a call for tokens to be read again; after it memory counts, as while the database is away. */
const CATCH_UP_MS = 1_000;
/** First version in which `exec_sql` changes no table of tokens. */
const SEALED_SINCE = '0.9.0';
/** Records of one read. */
const CHUNK = 100;

interface Change {
  readonly id: number;
  /** `formChangeDigest` of a new form of the same password; another change may have followed meanwhile. */
  readonly samePassword?: string;
  /** Key of a token that was deleted. */
  readonly gone?: string;
}

interface RefreshDependencies {
  readonly store: TokenStore;
  readonly sessionStore: SessionStore;
  readonly records: Records;
  readonly sessions: ActiveSessions;
  readonly locations: Pick<LoginLocations, 'dropToken'>;
  readonly lookups: Lookups;
  readonly messaging: Messaging;
  readonly clock: Clock;
  readonly log: Logger;
  readonly turns: SerialQueue;
  /** Called when the token with this key is deleted: its dependents may have to stop. */
  readonly onDeleted: (key: string) => Promise<void>;
  /** Called when anything in the tables may have changed. */
  readonly onTableChange: () => void;
  /** Called when the rights of one key may have changed; undefined: of any. */
  readonly onRightsChange: (key?: string) => void;
}

/** Keeps the records that are in memory equal to the table; one read at a time, in order. */
export class Refresh {
  readonly #deps: RefreshDependencies;
  /** Pending reload of all records: requests that come before it starts share it. */
  #reloadingAll: Promise<void> | undefined;
  /** Set after a failed read: memory may differ from the table. */
  #stale = false;
  /** Changes published here, which the bus delivers back. Their rows have been read: a second read that failed would drop a valid token. */
  readonly #ownChanges = new WeakSet<Change>();
  #fingerprint: Fingerprint | undefined;
  #sessionFingerprint: SessionFingerprint | undefined;
  #polledAt: number;
  #catchingUp: Promise<void> | undefined;

  constructor(deps: RefreshDependencies) {
    this.#deps = deps;
    this.#polledAt = deps.clock.now();
  }

  /** Applies a change made here, and publishes it to the other servers. `by`: change of the number of records. */
  async changed(change: Change, by = 0): Promise<void> {
    await this.#reloadOne(change, true);
    this.#expect(change.id, by);
    this.#ownChanges.add(change);
    this.#deps.messaging.publish(TokenChanged, change);
  }

  /** Subscribes to changes of other servers. @returns unsubscribes */
  listen(): () => void {
    const { messaging } = this.#deps;
    const changed = messaging.subscribe(TokenChanged, (payload) => {
      if (isChange(payload) && !this.#ownChanges.has(payload)) void this.#reloadOne(payload, false);
    });
    const database = messaging.subscribe(DatabaseChanged, (payload, from) => {
      if (payload?.gap || mayHaveWritten(from, messaging.bus.servers())) void this.reloadAll();
    });
    return () => {
      changed();
      database();
    };
  }

  /** Reads the Super Token at the start. */
  load(): Promise<void> {
    return this.#deps.turns.run(async () => {
      await this.#compareFingerprints();
      await this.#deps.lookups.read([SUPER_ID]);
    });
  }

  /** Reads everything again that is in memory. Never rejects: a failure is logged, and `poll` tries again. */
  reloadAll(): Promise<void> {
    const { records, lookups, log, turns } = this.#deps;
    this.#reloadingAll ??= turns.run(async () => {
      this.#reloadingAll = undefined;
      this.#deps.onTableChange();
      lookups.forgetMissing();
      try {
        const ids = new Set([SUPER_ID, ...records.ids()]);
        for (const chunk of chunksOf([...ids])) {
          for (const deleted of await lookups.read(chunk)) await this.#remove(deleted);
          await setImmediate();
        }
        records.changed();
        this.#deps.onRightsChange();
        this.#stale = false;
      } catch (error) {
        if (!this.#stale) log.error('tokens could not be read again', { error });
        this.#stale = true;
      }
    });
    return this.#reloadingAll;
  }

  /** Reads the token with this key again, which memory may hold in an older state. Never rejects: after a failure memory counts. */
  async reload(key: string): Promise<void> {
    const { records, lookups, log, turns } = this.#deps;
    try {
      const token = records.byKey(key);
      if (!token) await lookups.load('key', key);
      else
        await turns.run(async () => {
          await lookups.read([token.id]);
          records.changed();
        });
    } catch (error) {
      log.warn('a token could not be looked for', { error });
    }
  }

  /** Promise that resolves when memory follows the table again, or after a second; undefined while it does. */
  overdue(): Promise<void> | undefined {
    const { clock } = this.#deps;
    const late_ms = clock.now() - this.#polledAt;
    if (late_ms < OVERDUE_MS) return undefined;
    this.#catchingUp ??= this.#catchUp().finally(() => {
      this.#catchingUp = undefined;
      this.#polledAt = clock.now();
    });
    return this.#catchingUp;
  }

  /** Reloads after a pause, so that a resumed process serves no token that was revoked meanwhile. */
  async #catchUp(): Promise<void> {
    let cancel = () => {};
    const late = new Promise<void>((resolve) => {
      cancel = this.#deps.clock.timeout(resolve, CATCH_UP_MS);
    });
    await Promise.race([this.reloadAll(), late]);
    cancel();
  }

  /** Polls for changes without a message: those of the command line or of another program, and lost messages. */
  async poll(): Promise<void> {
    const { clock, log } = this.#deps;
    // Calls wait for the same read: the fingerprint alone would miss a changed right.
    await this.overdue();
    this.#polledAt = clock.now();
    try {
      const { tokens, sessions } = await this.#compareFingerprints();
      if (this.#stale || !tokens) await this.reloadAll();
      else if (!sessions) await this.#reloadSessions();
    } catch (error) {
      // Once, not every second: the next success reads everything again.
      this.#stale = true;
      log.warn('tokens could not be compared with the database', { error });
    }
  }

  /** Tells whether the tables are as at the last poll, but for the changes made here. */
  async #compareFingerprints(): Promise<{ tokens: boolean; sessions: boolean }> {
    const { store, sessionStore, records } = this.#deps;
    const [before, sessionsBefore] = [this.#fingerprint, this.#sessionFingerprint];
    const marks = await store.fingerprint();
    this.#sessionFingerprint = await sessionStore.fingerprint();
    // Changes made here meanwhile are in the fingerprint, or cause one more read.
    this.#fingerprint = marks;
    const top = records.super?.row;
    const tokens =
      before?.total === marks.total &&
      before.newest === marks.newest &&
      marks.super_hash === (top?.token_hash ?? null) &&
      marks.super_password === (top?.password_hash ?? null);
    const { total, newest } = this.#sessionFingerprint;
    return {
      tokens,
      sessions: total === sessionsBefore?.total && newest === sessionsBefore.newest,
    };
  }

  /** Adjusts the fingerprint for a change made here. */
  #expect(id: number, by: number): void {
    if (!this.#fingerprint || by === 0) return;
    const { total, newest } = this.#fingerprint;
    this.#fingerprint = {
      ...this.#fingerprint,
      total: total + by,
      newest: Math.max(newest, by > 0 ? id : 0),
    };
  }

  /** Reads the sessions alone: they come and go more often than tokens change. */
  #reloadSessions(): Promise<void> {
    const { records, sessions, sessionStore, turns } = this.#deps;
    return turns.run(async () => {
      for (const ids of chunksOf(records.ids())) {
        const found = Map.groupBy(await sessionStore.ofTokens(...ids), (row) =>
          Number(row.token_id),
        );
        for (const id of ids) {
          const token = records.alive(id);
          if (token) sessions.replace(token, found.get(id) ?? []);
        }
        await setImmediate();
      }
    });
  }

  /** Reads one record again. One that cannot be read is dropped, so that a revocation always takes effect; the next login reads it. */
  #reloadOne({ id, samePassword, gone }: Change, own: boolean): Promise<void> {
    const { records, lookups, log, turns } = this.#deps;
    return turns.run(async () => {
      lookups.forgetMissing();
      // A guess that is compared while this reads still meets the old record.
      if (!own && gone === undefined && !records.alive(id)) return records.changed();
      try {
        const [missing] = await lookups.read([id], samePassword);
        if (missing !== undefined) await this.#remove(id, gone);
        else this.#deps.onRightsChange(records.alive(id)?.key);
        records.changed();
      } catch (error) {
        records.drop(id);
        log.error('a changed token could not be read again, it is refused until it can', {
          id,
          error,
        });
      }
    });
  }

  /** Removes a deleted token from memory first, then suspends its dependents. */
  async #remove(id: number, gone?: string): Promise<void> {
    const { records, locations } = this.#deps;
    const token = records.drop(id);
    if (token) locations.dropToken(token);
    const key = token?.key ?? gone;
    records.endOrphansOf(id);
    if (key !== undefined) await this.#deps.onDeleted(key);
  }
}

function* chunksOf(ids: readonly number[]): Generator<number[]> {
  for (let at = 0; at < ids.length; at += CHUNK) yield ids.slice(at, at + CHUNK);
}

/** Tells whether SQL of a caller at this server may have changed tokens: only a server before 0.9 lets it. */
export function mayHaveWritten(
  { own, id }: Pick<BusSender, 'own' | 'id'>,
  servers: readonly Pick<BusServer, 'id' | 'version'>[],
): boolean {
  const version = servers.find((server) => server.id === id)?.version ?? '';
  return !own && isOlder(version, SEALED_SINCE);
}

const isChange = (payload: unknown): payload is Change =>
  typeof (payload as Change | null)?.id === 'number';
