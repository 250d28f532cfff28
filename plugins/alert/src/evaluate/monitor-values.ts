import type { MonitorNow } from '@svc/plugin-monitor/api';
import type { Values } from './plan.ts';

const DAY_MS = 86_400_000;

/** Values of the variables of source `monitor`. */
export function monitorValues(monitor: MonitorNow, now: number): Values {
  const { state, kind, name, group, tags, since, up, down, unknown, ms } = monitor;
  const days = (length_ms: number | null) => (length_ms === null ? null : length_ms / DAY_MS);
  const left_ms = monitor.not_after === null ? null : monitor.not_after - now;
  return {
    ...{ state, kind, name, tags, ms },
    group: group ?? '',
    down_for: state === 'down' ? Math.max(0, now - since) / 1_000 : 0,
    places_up: up,
    places_down: down,
    places_unknown: unknown,
    tls: { days_left: days(left_ms), lifetime_days: days(monitor.lifetime_ms) },
  };
}
