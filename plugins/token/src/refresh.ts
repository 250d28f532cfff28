import {
  type Clock,
  DatabaseChanged,
  type Logger,
  type Messaging,
  Type,
  topic,
} from '@svc/plugin-sdk';
import type { Records } from './records.ts';
import type { Sessions } from './sessions.ts';
import type { TokenStore } from './store.ts';

/** One record or its sessions changed. */
const TokenChanged = topic(
  'token.changed',
  Type.Object({ id: Type.Integer(), samePassword: Type.Optional(Type.String()) }),
);

/** `watch` looks each second: after this time the process slept, or the database hangs. */
const OVERDUE_MS = 3_000;
/** Calls wait no longer for tokens to be read again; then memory counts, as while the database is away. */
const CATCH_UP_MS = 1_000;
/** Looks for unknown keys within `LOOKS_MS`: callers may guess as many as they like. */
const LOOKS = 20;
const LOOKS_MS = 1_000;

interface Change {
  readonly id: number;
  /** `changeOfForm` of a new form of the same password; another change may have come on top of it meanwhile. */
  readonly samePassword?: string;
}

/** Keeps the records in memory equal to the table; one read at a time, in order. */
export class Refresh {
  readonly #store: TokenStore;
  readonly #records: Records;
  readonly #sessions: Sessions;
  readonly #messaging: Messaging;
  readonly #log: Logger;
  /** The rights of one key may have changed; undefined: of any. */
  readonly #rightsChanged: (key?: string) => void;
  #tail: Promise<void> = Promise.resolve();
  /** A whole read that waits for its turn: requests that come meanwhile share it. */
  #whole: Promise<void> | undefined;
  /** The last read failed, so memory may differ from the table. */
  #stale = false;
  /** One's own messages come back. That row has been read: were it read again in vain, a good token would be dropped. */
  readonly #told = new WeakSet<Change>();
  readonly #clock: Clock;
  #lookedAt: number;
  #catchingUp: Promise<void> | undefined;
  #looks = 0;
  #looksSince = 0;

  constructor(parts: {
    store: TokenStore;
    records: Records;
    sessions: Sessions;
    messaging: Messaging;
    clock: Clock;
    log: Logger;
    rightsChanged: (key?: string) => void;
  }) {
    this.#rightsChanged = parts.rightsChanged;
    this.#clock = parts.clock;
    this.#lookedAt = parts.clock.now();
    this.#store = parts.store;
    this.#records = parts.records;
    this.#sessions = parts.sessions;
    this.#messaging = parts.messaging;
    this.#log = parts.log;
  }

  /** Takes over a change made here, and tells the other servers. */
  async changed(change: Change): Promise<void> {
    await this.#one(change);
    this.#told.add(change);
    this.#messaging.publish(TokenChanged, change);
  }

  /** @returns stops listening */
  listen(): () => void {
    const changed = this.#messaging.subscribe(TokenChanged, (payload) => {
      if (isChange(payload) && !this.#told.has(payload)) void this.#one(payload);
    });
    const database = this.#messaging.subscribe(DatabaseChanged, () => void this.all());
    return () => {
      changed();
      database();
    };
  }

  /** Reads the whole table. Never rejects: a failure is logged, and repeated by `watch`. */
  all(): Promise<void> {
    this.#whole ??= this.#enqueue(async () => {
      this.#whole = undefined;
      try {
        await this.#read();
      } catch (error) {
        if (!this.#stale) this.#log.error('tokens could not be read again', { error });
        this.#stale = true;
      }
    });
    return this.#whole;
  }

  /**
   * Reads the token that has this key, or a session with it, which another server may have made a moment ago.
   * @returns undefined where too many were looked for: memory counts
   */
  lookFor(key: string): Promise<void> | undefined {
    const now = this.#clock.monotonic();
    if (now - this.#looksSince >= LOOKS_MS) [this.#looks, this.#looksSince] = [0, now];
    return ++this.#looks > LOOKS ? undefined : this.look(key);
  }

  /** The same for a key that is known to be there. Never rejects: a failure is logged, and memory counts. */
  async look(key: string): Promise<void> {
    try {
      const id = (await this.#store.find(key))?.id ?? (await this.#sessions.ownerOf(key));
      if (id !== undefined) await this.#one({ id: Number(id) });
    } catch (error) {
      this.#log.warn('a token could not be looked for', { error });
    }
  }

  /** In turn with the changes that are heard meanwhile: what was read before one must not undo it. */
  load(): Promise<void> {
    return this.#enqueue(() => this.#read());
  }

  async #read(): Promise<void> {
    const [store, sessions] = [this.#store, this.#sessions];
    const [rows, gone, found] = await Promise.all([store.all(), store.gone(), sessions.all()]);
    this.#records.replaceAll(rows);
    sessions.replaceAll(found);
    for (const row of gone) this.#records.addGone(row);
    this.#stale = false;
    this.#rightsChanged();
  }

  /** undefined as long as memory follows the table; else resolves when it does again, or after a second. */
  overdue(): Promise<void> | undefined {
    const late_ms = this.#clock.now() - this.#lookedAt;
    if (late_ms < OVERDUE_MS) return undefined;
    this.#catchingUp ??= this.#catchUp().finally(() => {
      this.#catchingUp = undefined;
      this.#lookedAt = this.#clock.now();
    });
    return this.#catchingUp;
  }

  /** A process that was stopped and goes on serves no token that was taken away meanwhile. */
  async #catchUp(): Promise<void> {
    let cancel = () => {};
    const late = new Promise<void>((resolve) => {
      cancel = this.#clock.timeout(resolve, CATCH_UP_MS);
    });
    await Promise.race([this.all(), late]);
    cancel();
  }

  /** Finds changes without a message: those of the command line or of another program, and lost messages. */
  async watch(): Promise<void> {
    // Calls wait for the same read: this look alone would miss a changed right.
    await this.overdue();
    this.#lookedAt = this.#clock.now();
    try {
      const same =
        !this.#stale &&
        this.#records.resembles(await this.#store.marks()) &&
        (await this.#sessions.resembles());
      if (!same) await this.all();
    } catch (error) {
      // Once, not every second: the next success reads the table again.
      this.#stale = true;
      this.#log.warn('tokens could not be compared with the database', { error });
    }
  }

  /** A record that cannot be read is dropped, so that a revocation always takes hold; `watch` brings it back. */
  #one({ id, samePassword }: Change): Promise<void> {
    return this.#enqueue(async () => {
      try {
        const row = await this.#store.read(id);
        const sessions = await this.#sessions.of(id);
        if (!row) return await this.#leave(id);
        this.#records.apply(row, samePassword);
        this.#sessions.replace(id, sessions);
        this.#rightsChanged(row.token_key);
      } catch (error) {
        this.#records.drop(id);
        this.#stale = true;
        this.#log.error('a changed token could not be read again, it is refused until it can', {
          id,
          error,
        });
      }
    });
  }

  /** The credential goes at once; what the token left behind is looked up after that. */
  async #leave(id: number): Promise<void> {
    const key = this.#records.drop(id);
    const gone = key === undefined ? undefined : await this.#store.goneWith(key);
    if (gone) this.#records.addGone(gone);
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    this.#tail = this.#tail.then(work, work);
    return this.#tail;
  }
}

const isChange = (payload: unknown): payload is Change =>
  typeof (payload as Change | null)?.id === 'number';
