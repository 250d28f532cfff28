import type { CounterRow } from '@svc/plugin-agent/api';

/** Reports that follow each other more slowly leave a gap, ms: what the counters did in it is not known. */
const GAP_MS = 30_000;
/** `boot_time` moves by less without a restart, s. */
const BOOT_S = 60;
const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
/** Interfaces of a machine that are away at a time; more are forgotten. */
const MOST_AWAY = 8;

/** The last report that was counted, and what interfaces that went since the machine's start had counted. */
export interface Counted extends CounterRow {
  readonly away: readonly [received: readonly number[], transmitted: readonly number[]];
}

/** Bytes, and the state after the step. */
export interface Growth {
  readonly received: number;
  readonly transmitted: number;
  readonly counted: Counted;
}

/**
 * Computes what a machine has moved between two of its reports. Their counters are sums over interfaces: they begin anew when the machine
 * starts, fall when an interface goes, and jump when one comes back with what it had counted before.
 */
export function growthOf(before: Counted, row: CounterRow): Growth {
  if (hasRestarted(before, row)) {
    const { received, transmitted } = row;
    return { received, transmitted, counted: { ...row, away: [[], []] } };
  }
  const ms = row.time - before.time;
  const one = grown({ ms, ...pair(before, row, 'received'), away: before.away[0] });
  const two = grown({ ms, ...pair(before, row, 'transmitted'), away: before.away[1] });
  return {
    received: one.bytes,
    transmitted: two.bytes,
    counted: { ...row, away: [one.away, two.away] },
  };
}

/**
 * Tells whether the machine has restarted. When a clock is set, `boot_time` moves, too, but the machine is up for no shorter. It has started since the report before:
 * otherwise two machines report as one agent.
 */
function hasRestarted(before: CounterRow, row: CounterRow): boolean {
  const bootMoved =
    before.boot_time !== null && row.boot_time !== null
      ? Math.abs(row.boot_time - before.boot_time) > BOOT_S
      : undefined;
  if (before.uptime === null || row.uptime === null) {
    return bootMoved === true && (row.boot_time ?? 0) > before.time / 1_000 - BOOT_S;
  }
  const elapsed_s = Math.max(0, row.arrived - before.arrived) / 1_000;
  const between_s = Math.max(elapsed_s, (row.time - before.time) / 1_000);
  if (row.uptime > between_s + BOOT_S) return false;
  const isShorter = row.uptime < before.uptime + elapsed_s - BOOT_S;
  return bootMoved === undefined ? row.uptime < before.uptime : bootMoved && isShorter;
}

/** Tells whether a machine was up for as much longer as its reports arrived apart: then its clock was set, and the second one is not late. */
export function goesOn(before: CounterRow, row: CounterRow): boolean {
  if (before.uptime === null || row.uptime === null) return false;
  const elapsed_s = Math.max(0, row.arrived - before.arrived) / 1_000;
  const longer_s = row.uptime - before.uptime;
  return longer_s > 0 && longer_s <= elapsed_s + BOOT_S;
}

interface Step {
  readonly ms: number;
  readonly from: number;
  readonly to: number;
  /** Bytes per second, as both reports measured it; undefined where one did not. */
  readonly speeds: readonly [number, number] | undefined;
  readonly away: readonly number[];
}

function pair(before: CounterRow, row: CounterRow, which: 'received' | 'transmitted') {
  const speed = which === 'received' ? 'receive_speed' : 'transmit_speed';
  const [first, second] = [before[speed], row[speed]];
  const isMeasured = first !== null && second !== null && first >= 0 && second >= 0;
  const speeds = isMeasured ? ([first, second] as const) : undefined;
  return { from: before[which], to: row[which], speeds };
}

function grown({ ms, from, to, speeds, away }: Step): { bytes: number; away: readonly number[] } {
  const isClose = ms <= GAP_MS;
  const measured = isClose && speeds ? (speeds[1] * Math.max(0, ms)) / 1_000 : 0;
  const more = to - from;
  if (more < 0) {
    return { bytes: Math.round(measured), away: [...away, -more].slice(-MOST_AWAY) };
  }
  const usual = isClose && speeds ? usualGrowth(speeds, ms) : 0;
  if (more <= usual) return { bytes: more, away };
  const back = away.filter((bytes) => bytes <= more).sort((a, b) => b - a)[0];
  if (back !== undefined) {
    const at = away.indexOf(back);
    // Several may come back at once.
    return grown({ ms, from: from + back, to, speeds, away: away.filter((_, n) => n !== at) });
  }
  // An interface came that had counted elsewhere, as after a change of the agent's list.
  if (isClose && speeds && more > 16 * usual + GIB) return { bytes: Math.round(measured), away };
  return { bytes: more, away };
}

/** Growth up to here says nothing of interfaces. The store leaves out reports between such steps by the same rule. */
const usualGrowth = ([before, now]: readonly [number, number], ms: number): number =>
  (4 * (before + now) * Math.max(0, ms)) / 1_000 + MIB;
