import type { MonitorPast, NamedMonitor, UpSpan } from '@svc/plugin-monitor/api';
import { escapeHtml } from '@svc/plugin-sdk/http';
import type { MonitorEntry } from '../page.ts';
import { MOST_PUBLIC_NAME } from '../rules.ts';
import type { Row } from './facts.ts';
import type { Latency } from './latency.ts';
import { type Cell, type CellKind, DAY_MS, LEAST_SHARE, type Uptime } from './uptime.ts';

/** Seconds of a day, 5 %, from which on an outage is a long one. */
const LONG_S = 4_320;

/** Returns what readers see a monitor as: never its own name. */
export function publicName({ key, name }: MonitorEntry, { public_name }: NamedMonitor): string {
  if (name !== '' || public_name === null) return name || key;
  let shown = '';
  for (const character of public_name) {
    if (Buffer.byteLength(escapeHtml(shown + character)) > MOST_PUBLIC_NAME) break;
    shown += character;
  }
  return shown;
}

interface Known {
  /** undefined: nothing is known of it yet. */
  readonly past: MonitorPast | undefined;
  readonly latency: Latency | undefined;
  /** Date of today in the page's zone, as Unix ms of its 00:00 UTC. */
  readonly today: number;
}

export function monitorRow(
  entry: MonitorEntry,
  named: NamedMonitor,
  { past, latency, today }: Known,
): Row {
  const name = publicName(entry, named);
  const uptime = past && uptimeOf(past, today);
  const row = { key: entry.key, group: entry.group, name, uptime, latency };
  const { state = 'unknown', since: time = 0 } = past ?? {};
  switch (state) {
    case 'down': {
      const trouble = { form: 'monitorDown', time, name } as const;
      return { ...row, state, says: { form: 'isDown', time }, trouble };
    }
    case 'degraded': {
      const trouble = { form: 'monitorDegraded', time, name } as const;
      return { ...row, state, says: { form: 'isDegraded', time }, trouble };
    }
    case 'paused':
      return { ...row, state: 'maintenance', says: { form: 'paused' }, trouble: undefined };
    case 'up':
      return { ...row, state, says: { form: 'runs' }, trouble: undefined };
    default:
      return { ...row, state: 'unknown', says: { form: 'unseen' }, trouble: undefined };
  }
}

function uptimeOf({ all, days }: MonitorPast, today: number): Uptime {
  const share = all.uptime === null ? undefined : all.uptime / 100;
  const dateOf = (at: number) => today - (days.length - 1 - at) * DAY_MS;
  const cells = days.map((day, at) => cellOf(day, dateOf(at)));
  return { cells, share, awayToday: undefined, isThin: share === undefined };
}

const cellOf = ({ uptime, down_s }: UpSpan, date: number): Cell => ({
  kind: kindOf(uptime, down_s),
  at: date,
  share: (uptime ?? 100) / 100,
  away: down_s * 1_000,
});

function kindOf(uptime: number | null, down_s: number): CellKind {
  if (uptime === null) return 'none';
  if (down_s <= 0) return 'fine';
  return down_s >= LONG_S || uptime < LEAST_SHARE * 100 ? 'bad' : 'part';
}
