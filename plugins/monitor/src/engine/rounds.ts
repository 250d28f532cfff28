import { setTimeout as delay } from 'node:timers/promises';
import { Turn } from '@svc/plugin-retention/api';
import type { Kernel } from '@svc/plugin-sdk';
import type { Placing } from '../agents/index.ts';
import type { DetailStore } from '../store/details.ts';
import type { MonitorStore } from '../store/monitors.ts';
import type { Packer } from '../store/packer.ts';
import type { StateStore } from '../store/states.ts';
import type { VerdictStore } from '../store/verdicts.ts';
import type { State } from '../types.ts';
import type { Judging } from './judging.ts';
import type { KnownMonitors } from './known.ts';

export const PERIOD_MS = 2_000;
const TURN = { table: 'monitor_turn', holder: 'holder', row: 'id = 1', lasts_ms: 10_000 };
const TAKE_MS = 3_000;
const CLOCK_MS = 30_000;
const PACK_MS = 60_000;
const SWEEP_MS = 600_000;
const DAY_MS = 86_400_000;
/** Time by which clocks of servers may differ, and a commit may follow its time. */
const OVERLAP_MS = 10_000;
/** After a start, a failure, or a pause of this loop, places that were not heard meanwhile have so long to be heard, ms. */
const GRACE_MS = 120_000;
const PAUSE_MS = 10_000;
/** Longest pause between two statements of packing, ms. */
const MOST_BREAK_MS = 100;

export interface RoundParts {
  readonly kernel: Pick<Kernel, 'clock' | 'db' | 'log' | 'signal'>;
  readonly known: KnownMonitors;
  readonly placing: Pick<Placing, 'key'>;
  readonly judging: Judging;
  readonly monitors: Pick<MonitorStore, 'sweep'>;
  readonly states: Pick<StateStore, 'changedSince' | 'setBack'>;
  readonly verdicts: Pick<VerdictStore, 'due'>;
  readonly packer: Packer;
  readonly details: DetailStore;
  readonly keepDays: () => number;
}

/** Rounds of this server: while it is its turn it judges what places say, packs results, and sweeps. */
export class Rounds {
  readonly #parts: RoundParts;
  readonly #turn: Turn;
  readonly #last = new Map<string, number>();
  #hasTurn = false;
  /** Monitors that were read since the last round. */
  #isRead = true;
  /** Versions of monitors as they were judged last; undefined: all are to be judged. */
  #judged: Map<number, string> | undefined;
  /** Unix ms from which on changed states are looked for. */
  #since = 0;
  #besides: Promise<void> | undefined;
  #wall: number;
  #monotonic: number;
  #quietUntil: number;

  constructor(parts: RoundParts) {
    const { clock, db } = parts.kernel;
    this.#parts = parts;
    this.#turn = new Turn(db, TURN);
    this.#wall = clock.now();
    this.#monotonic = clock.monotonic();
    this.#quietUntil = this.#monotonic + GRACE_MS;
    parts.known.onRead(async () => {
      this.#isRead = true;
    });
  }

  /** Tells whether it is this server's turn. */
  get hasTurn(): boolean {
    return this.#hasTurn;
  }

  /** One round. A failure is logged, and all are judged again by the next one. */
  async run(): Promise<void> {
    const { log, signal } = this.#parts.kernel;
    this.#look();
    try {
      await this.#round();
    } catch (error) {
      this.#judged = undefined;
      this.#last.clear();
      this.#beQuiet();
      if (!signal.aborted) log.error('monitors could not be judged', { error });
    }
  }

  /** Gives the turn back, before the server ends. */
  async end(): Promise<void> {
    await this.#besides;
    if (this.#hasTurn && this.#parts.kernel.db.severalServers) await this.#turn.end();
  }

  #beQuiet(): void {
    this.#quietUntil = this.#parts.kernel.clock.monotonic() + GRACE_MS;
  }

  /** Notices pauses of the loop and jumps of the clock. */
  #look(): void {
    const { clock } = this.#parts.kernel;
    const [wall, monotonic] = [clock.now(), clock.monotonic()];
    const passed = monotonic - this.#monotonic;
    const jump = Math.abs(wall - this.#wall - passed);
    if (passed > PAUSE_MS + PERIOD_MS || jump > PAUSE_MS) this.#beQuiet();
    if (jump > PAUSE_MS) {
      // What is due was computed by another time.
      this.#judged = undefined;
      this.#last.delete('clock');
    }
    [this.#wall, this.#monotonic] = [wall, monotonic];
  }

  async #round(): Promise<void> {
    const { kernel, monitors } = this.#parts;
    await this.#every('turn', TAKE_MS, async () => {
      this.#hasTurn = !kernel.db.severalServers || (await this.#turn.take());
    });
    if (!this.#hasTurn) {
      this.#judged = undefined;
      return;
    }
    await this.#judge();
    await this.#every('pack', PACK_MS, async () => this.#beside((proceed) => this.#pack(proceed)));
    await this.#every('sweep', SWEEP_MS, async () => {
      while (await monitors.sweep()) kernel.signal.throwIfAborted();
    });
  }

  async #judge(): Promise<void> {
    const { judging, verdicts } = this.#parts;
    // The time of the last look: a pause of the process within a round makes nobody late.
    const now = this.#wall;
    const left = this.#quietUntil - this.#monotonic;
    const ids = new Set(this.#anew());
    await this.#every('clock', CLOCK_MS, async () => {
      for (const id of await this.#parts.states.setBack(now)) ids.add(id);
    });
    for (const id of await this.#changed()) ids.add(id);
    for (const { monitor_id } of await verdicts.due()) ids.add(monitor_id);
    await judging.judge(ids, { now, quietUntil: left > 0 ? now + left : undefined });
    this.#since = now - OVERLAP_MS;
  }

  /** Returns monitors that are new, or another than when they were judged last. */
  #anew(): number[] {
    const { known, placing } = this.#parts;
    if (this.#judged && !this.#isRead) return [];
    this.#isRead = false;
    const before = this.#judged;
    this.#judged = new Map();
    for (const { id, version } of known.all())
      this.#judged.set(id, `${version} ${known.isPaused(id)} ${placing.key(id)}`);
    return [...this.#judged].flatMap(([id, state]) => (before?.get(id) === state ? [] : id));
  }

  /** Returns monitors of which a place says something else than before. */
  async #changed(): Promise<Set<number>> {
    const ids = new Set<number>();
    // A server that just got the turn judges all.
    if (this.#since === 0) return ids;
    let last: State | undefined;
    do {
      const rows: readonly State[] = await this.#parts.states.changedSince(this.#since, last);
      for (const { monitor_id } of rows) ids.add(monitor_id);
      last = rows.at(-1);
    } while (last);
    return ids;
  }

  async #pack(proceed: () => Promise<void>): Promise<void> {
    const { details, kernel, keepDays, packer } = this.#parts;
    while (await packer.round(proceed)) await proceed();
    await details.clean(kernel.clock.now() - keepDays() * DAY_MS);
  }

  /** Runs long work beside the rounds, so that the turn is kept meanwhile; one at a time. */
  #beside(work: (proceed: () => Promise<void>) => Promise<void>): void {
    const { signal, log } = this.#parts.kernel;
    let since = performance.now();
    // A pause as long as the last statement took, so that checks find the writer free.
    const proceed = async () => {
      await delay(Math.min(performance.now() - since, MOST_BREAK_MS), undefined, { signal });
      if (!this.#hasTurn) throw new Error('the turn went to another server');
      since = performance.now();
    };
    this.#besides ??= work(proceed)
      .catch((error: unknown) => {
        if (!signal.aborted) log.error('results of monitors could not be packed', { error });
      })
      .finally(() => {
        this.#besides = undefined;
      });
  }

  async #every(what: string, period_ms: number, work: () => Promise<void>): Promise<void> {
    const now = this.#parts.kernel.clock.monotonic();
    const last = this.#last.get(what);
    if (last !== undefined && now - last < period_ms) return;
    this.#last.set(what, now);
    await work();
  }
}
