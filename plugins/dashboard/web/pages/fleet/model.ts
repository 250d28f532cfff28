import { signal } from '@preact/signals';
import { type Machine, shortId } from '../../frame/index.ts';
import { Listening, SILENT_MS } from '../../parts/listening.ts';

/** Values of a summary, as far as the fleet shows them. `timestamp` is the agent's clock, Unix ms. */
export interface Summary {
  readonly timestamp: number;
  readonly cpu_usage?: number | null;
  readonly used_memory?: number | null;
  readonly total_memory?: number | null;
  readonly total_space?: number | null;
  readonly available_space?: number | null;
  readonly receive_speed?: number | null;
  readonly transmit_speed?: number | null;
  readonly uptime?: number | null;
  readonly load_one?: number | null;
}

/** One machine as it is now. */
export interface Vital {
  readonly uuid: string;
  readonly machine: Machine | undefined;
  readonly name: string;
  readonly row: Summary | undefined;
  readonly isOnline: boolean;
  /** Time of its last report, Unix ms by this page's clock; undefined: it never came. */
  readonly seenAt: number | undefined;
  /** ms between its reports, as far as it was watched. */
  readonly interval_ms: number;
  /** Difference between its clock and this one, ms, ahead is positive; undefined where it is small, or not known. */
  readonly clockOff_ms: number | undefined;
  /** 0 to 1. */
  readonly memory: number | undefined;
  readonly disk: number | undefined;
}

/** A clock that differs by more makes charts and retention wrong, ms. */
const CLOCK_MS = 60_000;
/** Difference that is taken for a wrong clock of this page, ms, and the time in which a report shows that it is one. */
const WRONG_MS = 600_000;
const PROOF_MS = 5_000;

interface Live {
  row: Summary;
  /** Time at which the page got it; `isFresh`: it was a report of that moment, not the state at the beginning. */
  at: number;
  isFresh: boolean;
  interval_ms: number;
  /** Time between the last two reports, ms. */
  gap_ms: number | undefined;
}

/** All machines, and what changes: one count for every frame in which something did. */
export class Fleet {
  /** Grows at most once in an animation frame. */
  readonly version = signal(0);
  readonly #live = new Map<string, Live>();
  #frame = 0;
  #drawnAt = 0;
  #behind_ms = 0;
  /** Time at which the newest report came. */
  #freshAt = 0;
  /** Reports were arriving when the two clocks were compared. */
  #isProven = false;
  #startedAt = Date.now();
  readonly #listening = new Listening();
  /** Time stands still while nothing can arrive. */
  #frozenAt: number | undefined;

  /** A connection begins: what comes first is the state, not news. */
  begin(): void {
    this.#startedAt = Date.now();
  }

  freeze(isLost: boolean): void {
    if (isLost) this.#frozenAt ??= Date.now();
    else this.#frozenAt = undefined;
  }

  add(rows: readonly (Summary & { readonly uuid?: string })[]): void {
    this.#listening.sign(document.hidden);
    const now = Date.now();
    for (const row of rows) {
      const uuid = row.uuid ?? '';
      const old = this.#live.get(uuid);
      const isFresh =
        old !== undefined && row.timestamp !== old.row.timestamp && now - this.#startedAt > 1_500;
      if (isFresh) this.#freshAt = now;
      const gap_ms = old?.isFresh && isFresh ? now - old.at : old?.gap_ms;
      // One long gap is an absence, not how often it reports.
      const gap =
        old?.isFresh && isFresh && gap_ms !== undefined
          ? Math.min(gap_ms, old.gap_ms ?? gap_ms, 600_000)
          : undefined;
      this.#live.set(uuid, {
        row,
        at: now,
        isFresh: isFresh || (old?.isFresh === true && row.timestamp === old.row.timestamp),
        interval_ms:
          gap === undefined
            ? (old?.interval_ms ?? 1_000)
            : (old?.interval_ms ?? gap) * 0.7 + gap * 0.3,
        gap_ms,
      });
    }
    this.touch();
  }

  /** Draws soon. */
  touch(): void {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#drawnAt = Date.now();
      this.version.value++;
    });
  }

  /** Draws when nothing was for almost a second: ages go on. */
  tick(): void {
    this.#listening.sign(document.hidden);
    if (Date.now() - this.#drawnAt > 900) this.touch();
  }

  close(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
  }

  /** Compares the server's clock with this one, by the newest report that the server has. */
  learnTime(list: readonly Machine[]): void {
    let newest = 0;
    for (const { last_seen } of list) newest = Math.max(newest, last_seen ?? 0);
    this.#behind_ms = newest > 0 ? Date.now() - newest : 0;
    this.#isProven = Date.now() - this.#freshAt < PROOF_MS;
  }

  /** ms by which this clock is ahead of the server's. Old reports mean a wrong clock only where new ones arrive: else nobody reports. */
  get #skew_ms(): number {
    if (this.#behind_ms < -2_000) return this.#behind_ms;
    const mayBeWrong = this.#behind_ms > SILENT_MS && this.#behind_ms < WRONG_MS;
    const isProven = this.#isProven || Date.now() - this.#startedAt < PROOF_MS;
    return mayBeWrong && isProven ? this.#behind_ms : 0;
  }

  /** Every machine of the list, and those that report and are not on it yet. */
  vitals(list: readonly Machine[]): Vital[] {
    const now = this.#frozenAt ?? this.#listening.now();
    const found = list.map((machine) => this.#vital(machine.uuid, machine, now));
    const listed = new Set(list.map(({ uuid }) => uuid));
    for (const uuid of this.#live.keys())
      if (!listed.has(uuid)) found.push(this.#vital(uuid, undefined, now));
    return found;
  }

  #vital(uuid: string, machine: Machine | undefined, now: number): Vital {
    const live = this.#live.get(uuid);
    const row = live?.row;
    const stored = machine?.last_seen == null ? undefined : machine.last_seen + this.#skew_ms;
    const shown = live && !live.isFresh ? Math.min(row?.timestamp ?? 0, live.at) : live?.at;
    const seenAt = live?.isFresh ? Math.max(live.at, stored ?? 0) : (stored ?? shown);
    const interval_ms = live?.interval_ms ?? 1_000;
    const off = live?.isFresh ? live.row.timestamp - live.at : 0;
    return {
      uuid,
      machine,
      name: machine?.name ?? shortId(uuid),
      row,
      seenAt,
      interval_ms,
      isOnline: seenAt !== undefined && now - seenAt <= Math.max(SILENT_MS, 3 * interval_ms),
      clockOff_ms: Math.abs(off) > CLOCK_MS ? off : undefined,
      memory: ratio(row?.used_memory, row?.total_memory),
      disk: ratio(usedSpace(row), row?.total_space),
    };
  }
}

export const usedSpace = (row: Summary | undefined): number | undefined =>
  row?.total_space == null || row.available_space == null
    ? undefined
    : row.total_space - row.available_space;

function ratio(
  part: number | null | undefined,
  whole: number | null | undefined,
): number | undefined {
  return part == null || whole == null || whole <= 0 ? undefined : part / whole;
}

/** Figures of all machines that are online. */
export interface Totals {
  readonly all: number;
  readonly online: number;
  readonly cpu: number | undefined;
  readonly worst: Vital | undefined;
  readonly usedMemory: number;
  readonly totalMemory: number;
  readonly received: number;
  readonly sent: number;
}

export function totalsOf(vitals: readonly Vital[]): Totals {
  let [online, cpu, counted, usedMemory, totalMemory, received, sent] = [0, 0, 0, 0, 0, 0, 0];
  let worst: Vital | undefined;
  for (const vital of vitals) {
    const { row, isOnline } = vital;
    if (!isOnline) continue;
    online++;
    if (!row) continue;
    if (row.cpu_usage != null) {
      cpu += row.cpu_usage;
      counted++;
      if (row.cpu_usage > (worst?.row?.cpu_usage ?? -1)) worst = vital;
    }
    usedMemory += row.used_memory ?? 0;
    totalMemory += row.total_memory ?? 0;
    received += row.receive_speed ?? 0;
    sent += row.transmit_speed ?? 0;
  }
  const mean = counted > 0 ? cpu / counted : undefined;
  return { all: vitals.length, online, cpu: mean, worst, usedMemory, totalMemory, received, sent };
}
