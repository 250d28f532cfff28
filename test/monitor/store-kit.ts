import { type Clock, type Database, definePlugin, uncounted } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import { migrations } from '../../plugins/monitor/src/migrations/index.ts';
import { untilMissed } from '../../plugins/monitor/src/store/hours.ts';
import { LatencyStore } from '../../plugins/monitor/src/store/latency.ts';
import { MonitorStore } from '../../plugins/monitor/src/store/monitors.ts';
import { OutcomeStore } from '../../plugins/monitor/src/store/outcomes.ts';
import { Packer, type PackerParts } from '../../plugins/monitor/src/store/packer.ts';
import { PingStore } from '../../plugins/monitor/src/store/pings.ts';
import { ResultStore } from '../../plugins/monitor/src/store/results.ts';
import type { NewMonitor } from '../../plugins/monitor/src/store/rows.ts';
import { StateStore } from '../../plugins/monitor/src/store/states.ts';
import { UptimeStore } from '../../plugins/monitor/src/store/uptime.ts';
import { type VerdictChange, VerdictStore } from '../../plugins/monitor/src/store/verdicts.ts';
import {
  type Result,
  UP,
  type Verdict,
  type VerdictState,
} from '../../plugins/monitor/src/types.ts';
import { memoryLog } from '../kernel/database-kit.ts';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** Midnight of a Tuesday. */
export const T0 = Date.UTC(2026, 2, 3);

const tables = definePlugin({ name: 'monitor-tables', migrations, setup() {} });

export const newMonitor = (over: Partial<NewMonitor> = {}): NewMonitor => ({
  name: 'web',
  kind: 'http',
  spec: { url: 'http://127.0.0.1/' },
  secret: {},
  group: null,
  tags: [],
  interval_s: 20,
  timeout_s: 10,
  retries: 2,
  retry_s: 20,
  recover_after: 1,
  places: { server: true },
  down_when: null,
  condition: null,
  upside_down: false,
  parent: null,
  severity: 'critical',
  public_name: null,
  enable: true,
  note: '',
  owner: null,
  imported_from: null,
  ...over,
});

export const result = (monitor_id: number, at: number, over: Partial<Result> = {}): Result => ({
  ...{ monitor_id, at, place_id: 0, ok: true, ms: 25, code: 200, detail: null },
  ...over,
});

/** A database with the tables of monitors and every store over it, with a time that tests set. */
export class Stores {
  readonly app: TestApp;
  readonly db: Database;
  readonly log = memoryLog();
  now = T0;
  readonly clock: Clock;
  readonly monitors: MonitorStore;
  readonly states: StateStore;
  readonly verdicts: VerdictStore;
  readonly results: ResultStore;
  readonly outcomes: OutcomeStore;
  readonly uptime: UptimeStore;
  readonly latency: LatencyStore;
  readonly pings: PingStore;
  #names = 0;

  static async open(dialect: 'sqlite' | 'postgres'): Promise<Stores> {
    return new Stores(await bootForTest([tables], {}, { dialect }));
  }

  private constructor(app: TestApp) {
    this.app = app;
    const { db } = (app.kernel as any).kernelOf('monitor-tables') as { db: Database };
    const none = () => () => {};
    const now = () => this.now;
    const clock: Clock = { now, monotonic: now, timeout: none, interval: none };
    this.db = db;
    this.clock = clock;
    this.monitors = new MonitorStore(db, uncounted(db), clock);
    this.states = new StateStore(db, clock);
    this.verdicts = new VerdictStore(db, clock);
    this.results = new ResultStore(db, clock);
    this.outcomes = new OutcomeStore(db);
    this.uptime = new UptimeStore({ db, clock, coverEnd });
    this.latency = new LatencyStore(db, this.results);
    this.pings = new PingStore(db);
  }

  packer(over: Partial<PackerParts> = {}): Packer {
    return new Packer({ db: this.db, clock: this.clock, log: this.log, coverEnd, ...over });
  }

  /** Packs until nothing is left. */
  async pack(): Promise<void> {
    const packer = this.packer();
    while (await packer.round(async () => {}));
  }

  async monitor(over: Partial<NewMonitor> = {}): Promise<number> {
    this.#names++;
    return (await this.monitors.create(newMonitor({ name: `m${this.#names}`, ...over }))).id;
  }

  /** Sets the verdict of a monitor from a time on. */
  async verdict(
    monitor_id: number,
    state: VerdictState,
    since: number,
    over: Partial<VerdictChange['to']> = {},
  ) {
    const [from] = await this.verdicts.ofMonitors([monitor_id]);
    const to = {
      monitor_id,
      state,
      since,
      up: 1,
      down: 0,
      unknown: 0,
      detail: '',
      next_at: null,
      ...over,
    };
    const [made] = await this.verdicts.change([{ from, to, places: [0], public: true }]);
    return made!.verdict as Verdict;
  }

  /** A monitor that is up from a time on, with a result each interval until another one. */
  async checked(from: number, to: number, over: Partial<NewMonitor> = {}): Promise<number> {
    const id = await this.monitor(over);
    await this.verdict(id, UP, from);
    await this.check(id, from, to, (over.interval_s ?? 20) * SECOND);
    return id;
  }

  async check(id: number, from: number, to: number, step: number, over: Partial<Result> = {}) {
    const all: Result[] = [];
    for (let at = from; at < to; at += step) all.push(result(id, at, over));
    await this.results.add(all);
  }

  async count(table: string, rest = ''): Promise<number> {
    const [row] = await this.app.sql(`select count(*) as n from ${table} ${rest}`);
    return Number(row.n);
  }

  /** All results of a monitor, page by page. */
  async all(monitor_id: number, limit = 100): Promise<Result[]> {
    const found: Result[] = [];
    const ask = { monitor_id, from: 0, to: this.now + DAY, limit };
    let page = await this.results.page(ask);
    for (;;) {
      found.push(...page.results);
      if (!page.next) return found;
      page = await this.results.page({ ...ask, before: page.next });
    }
  }
}

const coverEnd: PackerParts['coverEnd'] = ({ kind, interval_s }) =>
  kind === 'group'
    ? 'always'
    : kind === 'heartbeat'
      ? (at) => at + 2 * DAY
      : untilMissed(interval_s);
