import type { AgentHistory } from '@svc/plugin-agent-events/api';
import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import type { Maintained, MaintenanceWindows, PublicWindow } from '@svc/plugin-alert/api';
import type { MonitorHistory, NamedMonitor } from '@svc/plugin-monitor/api';
import type { Owners } from '@svc/plugin-token/api';
import { type AgentEntry, isMonitor, type MonitorEntry, type Page } from '../page.ts';
import { maySee, maySeeMonitor } from '../permissions.ts';
import type { Range } from '../ranges.ts';
import type { Store } from '../store.ts';
import { agentRow, type Facts, factsOf, type PageWindow, probeRow, type Row } from './facts.ts';
import { type Latency, latencyOf } from './latency.ts';
import type { MonitorCurves } from './monitor-curves.ts';
import { monitorRow } from './monitor-row.ts';
import type { ProbeHistory } from './probe-history.ts';
import { DAY_MS, DAYS } from './uptime.ts';

export interface GatherParts {
  readonly history: AgentHistory;
  readonly owners: Owners;
  readonly registry: AgentRegistry;
  /** undefined: this server has no tasks, so nothing is known of probes. */
  readonly probes: ProbeHistory | undefined;
  /** undefined: this server has no monitors, so entries of them are not shown. */
  readonly monitors: MonitorHistory | undefined;
  readonly curves: MonitorCurves | undefined;
  readonly store: Store;
  /** undefined: this server has no maintenance windows. */
  readonly windows: MaintenanceWindows | undefined;
}

/** Entry with the agent, `Agent.id`, or with the monitor that it shows. */
export type Shown =
  | { readonly entry: AgentEntry; readonly id: number; readonly monitor?: undefined }
  | { readonly entry: MonitorEntry; readonly monitor: NamedMonitor };

/** Returns the entries that the page's owner may see now, and that are not deleted; in the order of the page. */
export async function visible(
  page: Page,
  { owners, registry, monitors }: Pick<GatherParts, 'owners' | 'registry' | 'monitors'>,
): Promise<readonly Shown[]> {
  const shown: Shown[] = [];
  for (const entry of page.settings.entries) {
    if (isMonitor(entry)) {
      const monitor = monitors?.known(entry.monitor);
      if (!monitor || !(await owners.may(page.owner, maySeeMonitor(monitor.name)))) continue;
      shown.push({ entry, monitor });
      continue;
    }
    const agent = registry.known(entry.agent);
    if (!agent || agent.soft_delete || !(await owners.may(page.owner, maySee(entry)))) continue;
    shown.push({ entry, id: agent.id });
  }
  return shown;
}

/** Reads what a page shows. @throws RpcError 103 */
export async function gather(
  page: Page,
  shown: readonly Shown[],
  parts: GatherParts,
  now: number,
): Promise<Facts> {
  const ids = new Set<number>();
  const watched = new Set<number>();
  for (const one of shown) {
    if (one.monitor) watched.add(one.monitor.id);
    else if (!one.entry.probe) ids.add(one.id);
  }
  const { zone } = page.settings;
  const fromDay = Math.floor(now / DAY_MS) - DAYS + 1;
  const [seen, past, incidents] = await Promise.all([
    parts.history.seen([...ids], fromDay),
    parts.monitors?.past([...watched], { zone, days: DAYS }),
    parts.store.incidents(page.slug, 'public'),
  ]);
  const today = watched.size > 0 ? dateIn(zone, now) : 0;
  const rows: Row[] = [];
  for (const one of shown) {
    if (one.monitor) {
      const { id } = one.monitor;
      const latency = await parts.curves?.past(id, '24h', now);
      rows.push(monitorRow(one.entry, one.monitor, { past: past?.get(id), latency, today }));
    } else if (one.entry.probe) {
      const day = await parts.probes?.past(one.entry.agent, one.entry.probe, now);
      rows.push(probeRow(one.entry, day && latencyOf(day)));
    } else rows.push(agentRow(one.entry, seen.get(one.id), now));
  }
  // Rows stand in the order of what is shown.
  const named = ({ isAbout, ...window }: PublicWindow): PageWindow => {
    const names = rows.filter((_, at) => isAbout(maintained(shown[at] as Shown)));
    return { ...window, names: [...new Set(names.map(({ name }) => name))] };
  };
  const active = (parts.windows?.active(page.slug, now) ?? []).map(named);
  const upcoming = (parts.windows?.upcoming(page.slug, now) ?? []).map(named);
  return factsOf(page, rows, { incidents, active, upcoming }, now);
}

const maintained = ({ entry, monitor }: Shown): Maintained =>
  monitor ? { kind: 'monitor', id: monitor.name } : { kind: 'agent', id: entry.agent };

/** Returns the date of a zone, as Unix ms of its 00:00 UTC. */
function dateIn(timeZone: string, now: number): number {
  if (timeZone === 'UTC') return now - (now % DAY_MS);
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
  return Date.parse(`${format.format(now)}T00:00Z`);
}

/** The curve of one probe or monitor over another time than a day. @throws RpcError 103 */
export async function curveOf(
  { settings }: Page,
  key: string,
  range: Range,
  { probes, curves }: GatherParts,
  now: number,
): Promise<Latency | undefined> {
  const entry = settings.entries.find((one) => one.key === key);
  if (!entry) return undefined;
  if (isMonitor(entry)) return curves?.past(entry.monitor, range, now);
  const past = entry.probe && (await probes?.past(entry.agent, entry.probe, now, range));
  return past && latencyOf(past);
}
