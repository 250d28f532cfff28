import type { LastReports } from '@svc/plugin-agent/api';
import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import type { Turn } from '@svc/plugin-retention/api';
import type { Kernel } from '@svc/plugin-sdk';
import { Lateness } from '@svc/plugin-sdk/util';
import { DAY_MS, dayOf, type Sighting, type Sightings } from './sightings.ts';
import { type AgentEvent, BATCH_ROWS, type Presence, type Store } from './store.ts';
import type { Watch } from './watch.ts';

/** Section `[agent-events]`. */
export interface Config {
  readonly silence_s: number;
  readonly keep_days: number;
  readonly max_events: number;
  readonly keep_uptime_days: number;
}

export const PERIOD_MS = 5_000;
/** Uptime is written this often. */
const UPTIME_MS = 300_000;
/** Agents need this long to come back after a start or a failure of the server. */
const GRACE_MS = 90_000;
const CLEAN_MS = 3_600_000;
const HOUR_MS = 3_600_000;
/** Events that wait for the database; more are left out. */
const MOST_WAITING = 10_000;

export interface RoundParts {
  readonly kernel: Kernel<Config>;
  readonly registry: AgentRegistry;
  readonly last: LastReports;
  readonly sightings: Sightings;
  readonly store: Store;
  readonly turn: Turn;
}

/** Finds out who came and went, and writes, while it is this server's turn; what this server saw alone it writes always. */
export class Rounds {
  readonly #parts: RoundParts;
  #waiting: AgentEvent[] = [];
  /** Presences by UUID, while it is this server's turn. */
  #presences: Map<string, Presence> | undefined;
  /** Time when uptime was written last, as far as this server knows. */
  #counted: number | undefined;
  #cleaned = 0;
  /** Time when this server acquired its turn last. */
  #acquiredAt = 0;
  readonly #lateness: Lateness;
  /** Time before which no agent counts as gone. */
  #quietUntil: number;
  /** Time for which this server was held up since the quiet period began: it could receive no reports then. */
  #stalled_ms = 0;

  constructor(parts: RoundParts) {
    this.#parts = parts;
    const now = parts.kernel.clock.now();
    this.#lateness = new Lateness(PERIOD_MS, now);
    this.#quietUntil = now + this.#silence_ms + GRACE_MS;
  }

  get #silence_ms(): number {
    return this.#parts.kernel.config.silence_s * 1_000;
  }

  record(event: AgentEvent): void {
    if (this.#waiting.length < MOST_WAITING) this.#waiting.push(event);
  }

  /** One round. A failure is logged, and the next round continues. */
  async run(watch: Watch): Promise<void> {
    const { kernel } = this.#parts;
    const now = kernel.clock.now();
    const late_ms = this.#lateness.next(now);
    if (late_ms > 0) this.#heldUp(now, late_ms);
    try {
      await watch.compare();
      if (await this.#acquireTurn()) {
        await this.#came(now);
        await this.#went(now);
        if (Math.abs(now - (this.#counted ?? 0)) >= UPTIME_MS) await this.#writeUptime(now);
        await this.#clean(now);
      }
      await this.#writeEvents();
    } catch (error) {
      this.#beQuiet(kernel.clock.now());
      this.#presences = undefined;
      if (!kernel.signal.aborted) {
        kernel.log.error('the history of agents could not be written', { error });
      }
    }
  }

  /** The last round, before the server ends. */
  async end(): Promise<void> {
    const { kernel, turn } = this.#parts;
    try {
      await this.#writeEvents();
      if (!(await this.#acquireTurn())) return;
      await this.#writeUptime(kernel.clock.now());
      if (kernel.db.severalServers) await turn.end();
    } catch (error) {
      kernel.log.error('the history of agents could not be written', { error });
    }
  }

  #beQuiet(now: number): void {
    this.#quietUntil = now + this.#silence_ms + GRACE_MS;
    this.#stalled_ms = 0;
  }

  /** A pause while it is quiet makes that as much longer: a server that is held up often also reports who has gone. */
  #heldUp(now: number, late_ms: number): void {
    const wasQuiet = now - late_ms - PERIOD_MS < this.#quietUntil;
    if (!wasQuiet) this.#beQuiet(now);
    else {
      this.#quietUntil += late_ms;
      this.#stalled_ms += late_ms;
    }
  }

  async #acquireTurn(): Promise<boolean> {
    const { kernel, registry, sightings, store, turn } = this.#parts;
    // A round comes every few seconds: where no other server acquires the turn, it is not written.
    this.#acquiredAt = kernel.clock.now();
    const hasTurn = !kernel.db.severalServers || (await turn.take());
    const counted = await store.counted();
    if (this.#counted !== undefined && counted !== this.#counted) sightings.forgetUptime();
    this.#counted = counted;
    if (!hasTurn) this.#presences = undefined;
    else if (!this.#presences) {
      const uuids = new Map(registry.list().map(({ id, uuid }) => [id, uuid]));
      const found = new Map<string, Presence>();
      for (const presence of await store.presences()) {
        const uuid = uuids.get(presence.uuid_id);
        if (uuid !== undefined) found.set(uuid, presence);
      }
      this.#presences = found;
    }
    return hasTurn;
  }

  /**
   * Renews the turn before a statement of long work. @throws where the turn went to another server, as after this one was
   * held up
   */
  async #renewTurn(): Promise<void> {
    const { kernel, turn } = this.#parts;
    const now = kernel.clock.now();
    kernel.signal.throwIfAborted();
    if (!kernel.db.severalServers || Math.abs(now - this.#acquiredAt) < PERIOD_MS) return;
    if (!(await turn.take())) throw new Error('the turn went to another server');
    this.#acquiredAt = now;
  }

  async #came(now: number): Promise<void> {
    const changed = new Map<string, Presence>();
    const events: AgentEvent[] = [];
    for (const { id, uuid, since, last } of this.#parts.sightings.all()) {
      const before = this.#presences?.get(uuid);
      if (before?.here || now - last >= this.#silence_ms) continue;
      // A deleted report is announced as a new one is.
      const heard = await this.#parts.last.heardAt(uuid);
      if (heard === undefined || heard <= (before?.last_seen || now - HOUR_MS)) continue;
      // Of a single report the sighting comes a moment after it.
      const time = Math.min(since, heard);
      changed.set(uuid, { uuid_id: id, here: 1, last_seen: time });
      events.push({ id, kind: 'came', time, detail: {} });
    }
    await this.#change(changed, events);
  }

  async #went(now: number): Promise<void> {
    if (now < this.#quietUntil) return;
    if (now - this.#quietUntil > this.#silence_ms + GRACE_MS) this.#stalled_ms = 0;
    const { last, sightings } = this.#parts;
    const changed = new Map<string, Presence>();
    const events: AgentEvent[] = [];
    for (const [uuid, { here, uuid_id }] of this.#presences ?? []) {
      const sighting = sightings.of(uuid);
      if (!here || this.#isHere(sighting, now)) continue;
      // Messages of another server may be lost: what is stored decides.
      const stored = await last.heardAt(uuid);
      if (stored !== undefined && now - stored < this.#silence_ms + this.#stalled_ms) continue;
      const heard = stored ?? sighting?.last ?? now;
      changed.set(uuid, { uuid_id, here: 0, last_seen: heard });
      events.push({ id: uuid_id, kind: 'went', time: heard, detail: {} });
    }
    await this.#change(changed, events);
  }

  #isHere(sighting: Sighting | undefined, now: number): boolean {
    return sighting !== undefined && now - sighting.last < this.#silence_ms + this.#stalled_ms;
  }

  /** The presences first: an event may be missing after a crash, but is never recorded twice. */
  async #change(changed: Map<string, Presence>, events: readonly AgentEvent[]): Promise<void> {
    const rows = [...changed];
    for (let at = 0; at < rows.length; at += BATCH_ROWS) {
      const some = rows.slice(at, at + BATCH_ROWS);
      await this.#renewTurn();
      await this.#parts.store.setPresences(some.map(([, presence]) => presence));
      for (const [uuid, presence] of some) this.#presences?.set(uuid, presence);
      for (const event of events.slice(at, at + BATCH_ROWS)) this.record(event);
      await this.#writeEvents();
    }
  }

  async #writeEvents(): Promise<void> {
    while (this.#waiting.length > 0) {
      const some = this.#waiting.slice(0, BATCH_ROWS);
      await this.#parts.store.addEvents(some);
      this.#waiting = this.#waiting.slice(some.length);
    }
  }

  /** The time comes before the rows: a server that is held up here may lose its turn, and the next one would write the same uptime. */
  async #writeUptime(now: number): Promise<void> {
    const { sightings, store } = this.#parts;
    if (!(await store.setCounted(now, this.#counted ?? 0))) return;
    this.#counted = now;
    const all = sightings.unwritten();
    for (let at = 0; at < all.length; at += BATCH_ROWS) {
      const some = all.slice(at, at + BATCH_ROWS);
      await store.addUptime(some.map(({ row }) => row));
      for (const { written } of some) written();
    }
  }

  async #clean(now: number): Promise<void> {
    const { kernel, store } = this.#parts;
    const { keep_days, keep_uptime_days, max_events } = kernel.config;
    if (now - this.#cleaned < CLEAN_MS) return;
    while (await store.dropEvents(now - keep_days * DAY_MS, max_events)) await this.#renewTurn();
    while (await store.dropUptime(dayOf(now) - keep_uptime_days)) await this.#renewTurn();
    await this.#erase();
    this.#cleaned = now;
  }

  /** An agent that was deleted and has no reports left is gone as a whole. */
  async #erase(): Promise<void> {
    const { last, registry, store } = this.#parts;
    const deleted = registry.list().filter(({ soft_delete }) => soft_delete);
    const heard = await last.heard(deleted);
    const gone = deleted.filter((_agent, at) => heard[at] === undefined);
    for (let at = 0; at < gone.length; at += BATCH_ROWS) {
      const some = gone.slice(at, at + BATCH_ROWS);
      while (await store.erase(some.map(({ id }) => id))) await this.#renewTurn();
      for (const { uuid } of some) this.#presences?.delete(uuid);
    }
  }
}
