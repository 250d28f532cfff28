import { setImmediate } from 'node:timers/promises';
import type { Clock, Database } from '@svc/plugin-sdk';
import { type Kind, VERDICT_PLACE, type VerdictState } from '../types.ts';
import {
  type Bounds,
  type Change,
  type Cover,
  type CoverEnd,
  coverOf,
  type Seconds,
  secondsOf,
} from './hours.ts';
import { HOUR_MS } from './pack.ts';
import type { PackedMonitor } from './packer.ts';
import { among, readRows } from './sql.ts';

/** Hours up to now that may not be counted yet. */
const LIVE_HOURS = 3;
/** Time after which others have the main thread. */
const TURN_MS = 4;
/** Monitors that are looked up on the main thread. */
const FEW = 50;

export interface LiveParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly coverEnd: (monitor: PackedMonitor) => CoverEnd | Promise<CoverEnd>;
}

interface Watched extends PackedMonitor {
  /** Time of the last result, at any place. */
  readonly last_at: number | null;
}

/** What is known of the hours of one monitor that are not counted yet. */
interface Known {
  readonly monitor: Watched;
  readonly hours: readonly number[];
  readonly changes: readonly Change[];
  readonly cover: Cover;
}

/** Seconds by verdict of the hours that are not packed yet, from changes of verdicts and from results. */
export class Live {
  readonly #parts: LiveParts;

  constructor(parts: LiveParts) {
    this.#parts = parts;
  }

  /** Returns, by monitor, a function that counts the seconds of a span in hours that are not counted yet. */
  async of(ids: readonly number[]): Promise<ReadonlyMap<number, (span: Bounds) => Seconds[]>> {
    const now = this.#parts.clock.now();
    const first = Math.floor(now / HOUR_MS) - LIVE_HOURS;
    const [monitors, counted] = await Promise.all([this.monitors(ids), this.#counted(ids, first)]);
    const missing = new Map<number, number[]>();
    const hours = Array.from({ length: LIVE_HOURS + 1 }, (_, at) => first + at);
    let begin = now;
    for (const { id, created_at } of monitors) {
      const own = hours.filter(
        (hour) => (hour + 1) * HOUR_MS > created_at && !counted.has(`${id} ${hour}`),
      );
      missing.set(id, own);
      begin = Math.min(begin, (own[0] ?? Number.POSITIVE_INFINITY) * HOUR_MS);
    }
    const [changes, times] = await Promise.all([
      this.#changes(ids, begin),
      this.#times(ids, begin),
    ]);
    const found = new Map<number, (span: Bounds) => Seconds[]>();
    let begun = performance.now();
    for (const monitor of monitors) {
      if (performance.now() - begun > TURN_MS) {
        await setImmediate();
        begun = performance.now();
      }
      const own = missing.get(monitor.id) ?? [];
      const end = await this.#parts.coverEnd(monitor);
      const at = timesOf(times.get(monitor.id) ?? '', begin);
      const known = {
        monitor,
        hours: own,
        changes: changes.get(monitor.id) ?? [],
        cover: coverSince((own[0] ?? 0) * HOUR_MS, at, { end, last_at: monitor.last_at }),
      };
      found.set(monitor.id, (span) => secondsIn(known, { ...span, to: Math.min(span.to, now) }));
    }
    return found;
  }

  /** Monitors as far as their uptime needs them. */
  async monitors(ids: readonly number[]): Promise<Watched[]> {
    const sql = `select id, kind, interval_s, created_at,
        (select max(last_at) from monitor_state s where s.monitor_id = monitor.id) as last_at
      from monitor where ${among(this.#parts.db, 'id')}`;
    const columns = 'id, kind, interval_s, created_at, last_at';
    const rows = await readRows<Watched>(this.#parts.db, {
      columns,
      sql,
      params: [JSON.stringify(ids)],
      long: ids.length > FEW,
    });
    return rows.map((row) => ({ ...row, kind: row.kind as Kind }));
  }

  async #counted(ids: readonly number[], first: number): Promise<ReadonlySet<string>> {
    const sql = `select h.monitor_id, h.hour from ${this.#ids} join monitor_hour h
      on h.monitor_id = cast(i.value as bigint) and h.hour >= ? and h.place_id = ${VERDICT_PLACE}`;
    const params = [JSON.stringify(ids), first];
    const columns = 'monitor_id, hour';
    const rows = await readRows<{ monitor_id: number; hour: number }>(this.#parts.db, {
      columns,
      sql,
      params,
      long: ids.length > FEW,
    });
    return new Set(rows.map(({ monitor_id, hour }) => `${monitor_id} ${hour}`));
  }

  async #changes(ids: readonly number[], begin: number): Promise<Map<number, Change[]>> {
    const sql = `select c.monitor_id, c.at, c.state from ${this.#ids} join monitor_change c
      on c.monitor_id = cast(i.value as bigint) and c.at >= coalesce((select max(b.at) from monitor_change b
        where b.monitor_id = c.monitor_id and b.at <= ?), 0) order by c.monitor_id, c.at`;
    const params = [JSON.stringify(ids), begin];
    const columns = 'monitor_id, at, state';
    const rows = await readRows<{ monitor_id: number; at: number; state: VerdictState }>(
      this.#parts.db,
      { columns, sql, params, long: ids.length > FEW },
    );
    return Map.groupBy(rows, ({ monitor_id }) => monitor_id);
  }

  /** Times of results, in whole seconds after `begin`, by monitor: one text each, so that many are read at once. */
  async #times(ids: readonly number[], begin: number): Promise<ReadonlyMap<number, string>> {
    const seconds = `(r.at - ${begin}) / 1000`;
    const joined =
      this.#parts.db.dialect === 'sqlite'
        ? `group_concat(${seconds})`
        : `string_agg(cast(${seconds} as text), ',')`;
    const id = 'cast(i.value as bigint)';
    const sql = `select ${id} as id, (select ${joined} from monitor_result r
      where r.monitor_id = ${id} and r.at >= ? and r.state is not null) as times from ${this.#ids}`;
    const rows = await readRows<{ id: number; times: string | null }>(this.#parts.db, {
      ...{ columns: 'id, times', sql, params: [begin, JSON.stringify(ids)], long: true },
    });
    return new Map(rows.map(({ id: one, times }) => [one, times ?? '']));
  }

  get #ids(): string {
    return `${this.#parts.db.forms.elementTexts} as i`;
  }
}

/** Returns times of results, in order, of a text with seconds after `begin`. */
const timesOf = (text: string, begin: number): number[] =>
  text === ''
    ? []
    : text
        .split(',')
        .map((second) => begin + Number(second) * 1_000)
        .sort((a, b) => a - b);

/** Returns what results cover, given the times of those that are not packed; those before `begin` are packed. */
function coverSince(
  begin: number,
  times: readonly number[],
  { end, last_at }: { readonly end: CoverEnd; readonly last_at: number | null },
): Cover {
  if (end === 'always') return coverOf([], end);
  const first = times[0];
  const before: number[] = [];
  if (last_at !== null && (first === undefined || last_at < first)) before.push(last_at);
  // Where a result came soon after the beginning, one came before it, too.
  if (first !== undefined && first > begin && first <= end(begin)) before.push(begin);
  return coverOf(
    [...before.sort((a, b) => a - b), ...times].map((at) => ({ at, ok: true })),
    end,
  );
}

function secondsIn({ monitor, hours, changes, cover }: Known, span: Bounds): Seconds[] {
  return hours.flatMap((hour) => {
    const from = Math.max(span.from, hour * HOUR_MS, monitor.created_at);
    const to = Math.min(span.to, (hour + 1) * HOUR_MS);
    return from < to ? [secondsOf(changes, cover, { from, to })] : [];
  });
}
