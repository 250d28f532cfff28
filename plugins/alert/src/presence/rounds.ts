import { Turn } from '@svc/plugin-retention/api';
import type { Kernel } from '@svc/plugin-sdk';
import type { KnownMachines } from '../machines.ts';
import type { KnownMonitors } from '../monitors.ts';
import type { LoadedRules } from '../rules/loaded.ts';
import type { AlertStore } from '../store/alerts.ts';
import type { Absence } from './absence.ts';
import type { When } from './judge.ts';
import type { MonitorRules } from './monitors.ts';

export const PERIOD_MS = 2_000;
const TURN = { table: 'alert_state', holder: 'holder', row: 'id = 1', lasts_ms: 10_000 };
const TAKE_MS = 3_000;
/** A server without the turn, and one that knows of nobody who is away, looks at who is this often. */
const LOOK_MS = 6_000;
/** Rules, tags and rights are read again this often, and alerts that no value will end are looked for. */
const REFRESH_MS = 10_000;
const COUNT_MS = 30_000;
const SLOW_MS = 300_000;
const CLEAN_MS = 3_600_000;
/** A pause of this loop, or a jump of the clock, after which nobody counts as silent for a while. */
const PAUSE_MS = 10_000;

/** Section `[alert]`. */
export interface Config {
  readonly enable: boolean;
  readonly grace_s: number;
  readonly keep_days: number;
  readonly max_events: number;
  readonly watchdog_url: string;
  readonly max_rules: number;
  readonly slow_rule_us: number;
}

/** Work of the server whose turn it is. */
export interface Work {
  /** Every other second. */
  readonly absence: Pick<Absence, 'round'>;
  /** Every ten seconds, and every other second while something goes on. */
  readonly monitors: Pick<MonitorRules, 'round' | 'isHolding'>;
  /** Every ten seconds. */
  readonly often: (when: When) => Promise<void>;
  /** Every five minutes, beside the others: it may take long, and ends early where `mayGoOn` says so. */
  readonly seldom: (when: When, mayGoOn: () => boolean) => Promise<void>;
}

export interface RoundParts {
  readonly kernel: Kernel<Config>;
  readonly alerts: AlertStore;
  readonly rules: LoadedRules;
  readonly machines: KnownMachines;
  readonly monitors: KnownMonitors;
  readonly work: Work;
}

/** Rounds of this server: what it knows is brought up to date, and while it is its turn it judges absence. */
export class Rounds {
  readonly #parts: RoundParts;
  readonly #turn: Turn;
  readonly #last = new Map<string, number>();
  #besides: Promise<void> | undefined;
  #open: ReadonlyMap<number, number> = new Map();
  #hasTurn = false;
  #isMonitorChanged = false;
  #wall: number;
  #monotonic: number;
  #quietUntil: number;

  constructor(parts: RoundParts) {
    const { clock, db } = parts.kernel;
    this.#parts = parts;
    this.#turn = new Turn(db, TURN);
    this.#wall = clock.now();
    this.#monotonic = clock.monotonic();
    this.#quietUntil = this.#monotonic + this.#grace_ms;
  }

  /** Tells whether it is this server's turn. */
  get hasTurn(): boolean {
    return this.#hasTurn;
  }

  /** Open alerts by severity, at most half a minute old. */
  get open() {
    const open = { info: 0, warning: 0, critical: 0 };
    for (const [id, count] of this.#open)
      open[this.#parts.rules.byId(id)?.severity ?? 'warning'] += count;
    return open;
  }

  /** Tells whether nothing opens by absence now. */
  get isQuiet(): boolean {
    return this.#parts.kernel.clock.monotonic() < this.#quietUntil;
  }

  /** Has the next round look at the monitors. */
  monitorChanged(): void {
    this.#isMonitorChanged = true;
  }

  /** One round. A failure is logged, and nobody counts as silent for a while. */
  async run(): Promise<void> {
    const { kernel } = this.#parts;
    this.#look();
    try {
      await this.#round();
    } catch (error) {
      this.#hasTurn = false;
      this.#last.clear();
      this.#beQuiet();
      if (!kernel.signal.aborted) kernel.log.error('alerts could not be judged', { error });
    }
  }

  /** Gives the turn back, before the server ends. */
  async end(): Promise<void> {
    await this.#besides;
    if (this.#hasTurn && this.#parts.kernel.db.severalServers) await this.#turn.end();
  }

  get #grace_ms(): number {
    return this.#parts.kernel.config.grace_s * 1_000;
  }

  #beQuiet(): void {
    this.#quietUntil = this.#parts.kernel.clock.monotonic() + this.#grace_ms;
  }

  /** Notices pauses of the loop and jumps of the clock. */
  #look(): void {
    const { clock } = this.#parts.kernel;
    const [wall, monotonic] = [clock.now(), clock.monotonic()];
    const passed = monotonic - this.#monotonic;
    const jump = Math.abs(wall - this.#wall - passed);
    if (passed > PAUSE_MS + PERIOD_MS || jump > PAUSE_MS) this.#beQuiet();
    [this.#wall, this.#monotonic] = [wall, monotonic];
  }

  async #round(): Promise<void> {
    const { alerts, kernel, machines, monitors, rules, work } = this.#parts;
    const { absence, often, seldom } = work;
    await this.#every('rules', REFRESH_MS, async () => {
      await machines.readFacts();
      await rules.refresh();
    });
    await this.#every('open', COUNT_MS, async () => {
      this.#open = await alerts.openByRule();
    });
    await this.#every('turn', TAKE_MS, async () => {
      this.#hasTurn = !kernel.db.severalServers || (await this.#turn.take());
    });
    const isWatched = this.#hasTurn && machines.away().size > 0;
    await this.#every('away', isWatched ? 0 : LOOK_MS, () => machines.readAway());
    // Where machines stand matters for monitors that are addresses of machines.
    if (monitors.areAddresses)
      await this.#every('addresses', COUNT_MS, () => machines.readAddresses());
    if (!this.#hasTurn) await this.#every('monitors', COUNT_MS, () => this.#readMonitors());
    if (!this.#hasTurn || !kernel.config.enable) return;
    await this.#every('absence', 0, (when) => absence.round(when, this.isQuiet));
    await this.#judgeMonitors();
    await this.#every('often', REFRESH_MS, often);
    await this.#every('seldom', SLOW_MS, async (when) => this.#beside((go) => seldom(when, go)));
    const { keep_days, max_events } = kernel.config;
    await this.#every('clean', CLEAN_MS, async () => {
      while (await alerts.clean(keep_days, max_events)) kernel.signal.throwIfAborted();
    });
  }

  async #judgeMonitors(): Promise<void> {
    const { monitors } = this.#parts.work;
    const isNow = this.#isMonitorChanged || monitors.isHolding;
    this.#isMonitorChanged = false;
    await this.#every('monitors', isNow ? 0 : REFRESH_MS, (when) => monitors.round(when));
  }

  /** Has a server without the turn know what hides alerts of monitors. */
  async #readMonitors(): Promise<void> {
    const { monitors, rules } = this.#parts;
    const isOpen = [...this.#open].some(([id]) => rules.byId(id)?.source === 'monitor');
    if (isOpen) await monitors.read();
  }

  /** Runs long work beside the rounds, so that the turn is kept and absence judged meanwhile; one at a time. */
  #beside(work: (mayGoOn: () => boolean) => Promise<void>): void {
    const { signal, log } = this.#parts.kernel;
    this.#besides ??= work(() => this.#hasTurn && !signal.aborted)
      .catch((error: unknown) => {
        if (!signal.aborted) log.error('rules with stored values could not be judged', { error });
      })
      .finally(() => {
        this.#besides = undefined;
      });
  }

  async #every(what: string, period_ms: number, work: (when: When) => Promise<void>) {
    const { clock } = this.#parts.kernel;
    const now = clock.monotonic();
    const last = this.#last.get(what);
    const elapsed_ms = now - (last ?? now);
    if (last !== undefined && elapsed_ms < period_ms) return;
    this.#last.set(what, now);
    const gap_ms = 3 * Math.max(period_ms, PAUSE_MS);
    await work({ at: clock.now(), elapsed_ms, gap_ms });
  }
}
