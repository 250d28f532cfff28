import type { Seen } from '@svc/plugin-agent-events/api';

export const DAY_MS = 86_400_000;
/** Days that a page shows. */
export const DAYS = 90;
const MINUTE_MS = 60_000;
/** Today's figure may lack so much, and an agent that starts again some seconds. */
const UNWRITTEN_MS = 6 * MINUTE_MS;
/** Less than this is no outage, and more than the second a long one. */
const PART_MS = 5 * MINUTE_MS;
const LONG_MS = 72 * MINUTE_MS;
/** Less than this part of what is known was fine: the bar is red, however short that is. */
export const LEAST_SHARE = 0.5;
/** An agent that is here was away for so long, and this part of the day, when the page says so. */
const AWAY_MS = 10 * MINUTE_MS;
const AWAY_PART = 0.05;

/** State of a day or half an hour. `first`: the agent came on that day, so what it missed is unknown. */
export type CellKind = 'none' | 'first' | 'fine' | 'part' | 'bad';
export interface Cell {
  readonly kind: CellKind;
  /** Begin, Unix ms. */
  readonly at: number;
  /** Part that was fine, 0 to 1. */
  readonly share: number;
  /** Time that an agent was away, ms. */
  readonly away: number;
}

export interface Uptime {
  /** The last one is today. */
  readonly cells: readonly Cell[];
  /** undefined: no whole day is measured. */
  readonly share: number | undefined;
  /** Time that an agent that is here was away today, where that is worth a word, ms. */
  readonly awayToday: number | undefined;
  /** Tells that less than half of the time is known, so that no share is told. */
  readonly isThin?: boolean;
}

/** The last 90 UTC days of one agent. */
export function uptimeOf({ here, firstDay, days }: Seen, now: number): Uptime {
  const today = Math.floor(now / DAY_MS);
  const cells: Cell[] = [];
  let [measured, lost] = [0, 0];
  for (let day = today - DAYS + 1; day <= today; day++) {
    const at = day * DAY_MS;
    if (firstDay === undefined || day <= firstDay) {
      const kind = day === firstDay ? 'first' : 'none';
      cells.push({ kind, at, share: 1, away: 0 });
      continue;
    }
    const length = day === today ? now - at : DAY_MS;
    const unwritten = day === today ? UNWRITTEN_MS : 0;
    const away = Math.min(length, Math.max(0, length - (days.get(day) ?? 0) - unwritten));
    measured += length;
    lost += away;
    const share = length > 0 ? 1 - away / length : 1;
    const isBad = away >= LONG_MS || share < LEAST_SHARE;
    const kind = away < PART_MS ? 'fine' : isBad ? 'bad' : 'part';
    cells.push({ kind, at, share, away });
  }
  const last = cells.at(-1) as Cell;
  const wasAway = here && last.away >= AWAY_MS && 1 - last.share >= AWAY_PART;
  return {
    cells,
    share: measured > 0 ? 1 - lost / measured : undefined,
    awayToday: wasAway ? last.away : undefined,
  };
}
