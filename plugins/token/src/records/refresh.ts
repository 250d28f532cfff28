import { setImmediate } from 'node:timers/promises';
import {
  type BusSender,
  type BusServer,
  type Clock,
  DatabaseChanged,
  type Logger,
  type Messaging,
  Type,
  topic,
} from '@svc/plugin-sdk';
import type { Places } from '../login/locations.ts';
import type { Sessions } from '../sessions/active.ts';
import type { SessionMarks, SessionStore } from '../sessions/store.ts';
import type { Records } from './cache.ts';
import type { Lookups } from './lookups.ts';
import { type Marks, SUPER_ID, type TokenStore } from './store.ts';
import type { Turns } from './turns.ts';
import { isOlder } from './versions.ts';

/** One record or its sessions changed. */
const TokenChanged = topic(
  'token.changed',
  Type.Object({
    id: Type.Integer(),
    samePassword: Type.Optional(Type.String()),
    gone: Type.Optional(Type.String()),
  }),
);

/** `watch` looks each second: after this time the process slept, or the database hangs. */
const OVERDUE_MS = 3_000;
/** Calls wait no longer for tokens to be read again; then memory counts, as while the database is away. */
const CATCH_UP_MS = 1_000;
/** From this version on `exec_sql` changes no table of tokens. */
const SEALED_SINCE = '0.9.0';
/** Records of one read. */
const CHUNK = 100;

interface Change {
  readonly id: number;
  /** `changeOfForm` of a new form of the same password; another change may have come on top of it meanwhile. */
  readonly samePassword?: string;
  /** Key of a token that was deleted. */
  readonly gone?: string;
}

interface RefreshParts {
  readonly store: TokenStore;
  readonly sessionStore: SessionStore;
  readonly records: Records;
  readonly sessions: Sessions;
  readonly places: Pick<Places, 'drop'>;
  readonly lookups: Lookups;
  readonly messaging: Messaging;
  readonly clock: Clock;
  readonly log: Logger;
  readonly turns: Turns;
  /** The token with this key is gone: what hangs on it may have to stop. */
  readonly gone: (key: string) => Promise<void>;
  /** Anything may be otherwise in the tables. */
  readonly changed: () => void;
  /** The rights of one key may have changed; undefined: of any. */
  readonly rightsChanged: (key?: string) => void;
}

/** Keeps the records that are in memory equal to the table; one read at a time, in order. */
export class Refresh {
  readonly #parts: RefreshParts;
  /** A read of all of them that waits for its turn: requests that come meanwhile share it. */
  #whole: Promise<void> | undefined;
  /** The last read failed, so memory may differ from the table. */
  #stale = false;
  /** One's own messages come back. That row has been read: were it read again in vain, a good token would be dropped. */
  readonly #told = new WeakSet<Change>();
  #marks: Marks | undefined;
  #sessionMarks: SessionMarks | undefined;
  #lookedAt: number;
  #catchingUp: Promise<void> | undefined;

  constructor(parts: RefreshParts) {
    this.#parts = parts;
    this.#lookedAt = parts.clock.now();
  }

  /** Takes over a change made here, and tells the other servers. `by`: so many more records than before. */
  async changed(change: Change, by = 0): Promise<void> {
    await this.#one(change, true);
    this.#expect(change.id, by);
    this.#told.add(change);
    this.#parts.messaging.publish(TokenChanged, change);
  }

  /** @returns stops listening */
  listen(): () => void {
    const { messaging } = this.#parts;
    const changed = messaging.subscribe(TokenChanged, (payload) => {
      if (isChange(payload) && !this.#told.has(payload)) void this.#one(payload, false);
    });
    const database = messaging.subscribe(DatabaseChanged, (payload, from) => {
      if (payload?.gap || mayHaveWritten(from, messaging.bus.servers())) void this.all();
    });
    return () => {
      changed();
      database();
    };
  }

  /** The start: the Super Token alone. */
  load(): Promise<void> {
    return this.#parts.turns.run(async () => {
      await this.#lookAtMarks();
      await this.#parts.lookups.read([SUPER_ID]);
    });
  }

  /** Reads everything again that is in memory. Never rejects: a failure is logged, and repeated by `watch`. */
  all(): Promise<void> {
    const { records, lookups, log, turns } = this.#parts;
    this.#whole ??= turns.run(async () => {
      this.#whole = undefined;
      this.#parts.changed();
      lookups.forget();
      try {
        const ids = new Set([SUPER_ID, ...records.ids()]);
        for (const some of chunksOf([...ids])) {
          for (const gone of await lookups.read(some)) await this.#leave(gone);
          await setImmediate();
        }
        records.changed();
        this.#parts.rightsChanged();
        this.#stale = false;
      } catch (error) {
        if (!this.#stale) log.error('tokens could not be read again', { error });
        this.#stale = true;
      }
    });
    return this.#whole;
  }

  /** Reads the token with this key again, which memory may have as it was before. Never rejects: then memory counts. */
  async look(key: string): Promise<void> {
    const { records, lookups, log, turns } = this.#parts;
    try {
      const known = records.byKey(key);
      if (!known) await lookups.find('key', key);
      else
        await turns.run(async () => {
          await lookups.read([known.id]);
          records.changed();
        });
    } catch (error) {
      log.warn('a token could not be looked for', { error });
    }
  }

  /** undefined as long as memory follows the table; else resolves when it does again, or after a second. */
  overdue(): Promise<void> | undefined {
    const { clock } = this.#parts;
    const late_ms = clock.now() - this.#lookedAt;
    if (late_ms < OVERDUE_MS) return undefined;
    this.#catchingUp ??= this.#catchUp().finally(() => {
      this.#catchingUp = undefined;
      this.#lookedAt = clock.now();
    });
    return this.#catchingUp;
  }

  /** A process that was stopped and goes on serves no token that was taken away meanwhile. */
  async #catchUp(): Promise<void> {
    let cancel = () => {};
    const late = new Promise<void>((resolve) => {
      cancel = this.#parts.clock.timeout(resolve, CATCH_UP_MS);
    });
    await Promise.race([this.all(), late]);
    cancel();
  }

  /** Finds changes without a message: those of the command line or of another program, and lost messages. */
  async watch(): Promise<void> {
    const { clock, log } = this.#parts;
    // Calls wait for the same read: this look alone would miss a changed right.
    await this.overdue();
    this.#lookedAt = clock.now();
    try {
      const { tokens, sessions } = await this.#lookAtMarks();
      if (this.#stale || !tokens) await this.all();
      else if (!sessions) await this.#readSessions();
    } catch (error) {
      // Once, not every second: the next success reads everything again.
      this.#stale = true;
      log.warn('tokens could not be compared with the database', { error });
    }
  }

  /** Whether the tables may still be those that were looked at last, but for the changes made here. */
  async #lookAtMarks(): Promise<{ tokens: boolean; sessions: boolean }> {
    const { store, sessionStore, records } = this.#parts;
    const [before, sessionsBefore] = [this.#marks, this.#sessionMarks];
    const marks = await store.marks();
    this.#sessionMarks = await sessionStore.marks();
    // What was changed here meanwhile is counted in the marks, or makes one more read.
    this.#marks = marks;
    const top = records.super?.row;
    const tokens =
      before?.total === marks.total &&
      before.newest === marks.newest &&
      marks.super_hash === (top?.token_hash ?? null) &&
      marks.super_password === (top?.password_hash ?? null);
    const { total, newest } = this.#sessionMarks;
    return {
      tokens,
      sessions: total === sessionsBefore?.total && newest === sessionsBefore.newest,
    };
  }

  /** A change made here: the next marks are expected to show it. */
  #expect(id: number, by: number): void {
    if (!this.#marks || by === 0) return;
    const { total, newest } = this.#marks;
    this.#marks = { ...this.#marks, total: total + by, newest: Math.max(newest, by > 0 ? id : 0) };
  }

  /** Sessions come and go more often than tokens change: they alone are read. */
  #readSessions(): Promise<void> {
    const { records, sessions, sessionStore, turns } = this.#parts;
    return turns.run(async () => {
      for (const ids of chunksOf(records.ids())) {
        const found = Map.groupBy(await sessionStore.of(...ids), (row) => Number(row.token_id));
        for (const id of ids) {
          const token = records.alive(id);
          if (token) sessions.replace(token, found.get(id) ?? []);
        }
        await setImmediate();
      }
    });
  }

  /** A record that cannot be read is dropped, so that a revocation always takes hold; the next log-in reads it. */
  #one({ id, samePassword, gone }: Change, own: boolean): Promise<void> {
    const { records, lookups, log, turns } = this.#parts;
    return turns.run(async () => {
      lookups.forget();
      // What a guess is compared with while this reads is still the old record.
      if (!own && gone === undefined && !records.alive(id)) return records.changed();
      try {
        const [missing] = await lookups.read([id], samePassword);
        if (missing !== undefined) await this.#leave(id, gone);
        else this.#parts.rightsChanged(records.alive(id)?.key);
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

  /** The credential goes at once; what hangs on it is asked after that. */
  async #leave(id: number, gone?: string): Promise<void> {
    const { records, places } = this.#parts;
    const token = records.drop(id);
    if (token) places.drop(token);
    const key = token?.key ?? gone;
    records.orphan(id);
    if (key !== undefined) await this.#parts.gone(key);
  }
}

function* chunksOf(ids: readonly number[]): Generator<number[]> {
  for (let at = 0; at < ids.length; at += CHUNK) yield ids.slice(at, at + CHUNK);
}

/** Whether SQL of a caller at this server may have changed tokens: only a server before 0.9 lets it. */
export function mayHaveWritten(
  { own, id }: Pick<BusSender, 'own' | 'id'>,
  servers: readonly Pick<BusServer, 'id' | 'version'>[],
): boolean {
  const version = servers.find((server) => server.id === id)?.version ?? '';
  return !own && isOlder(version, SEALED_SINCE);
}

const isChange = (payload: unknown): payload is Change =>
  typeof (payload as Change | null)?.id === 'number';
