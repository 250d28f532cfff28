import type { AgentHistory } from '@svc/plugin-agent-events/api';
import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import type { MaintenanceWindows } from '@svc/plugin-alert/api';
import type { Owners } from '@svc/plugin-token/api';
import type { Entry, Page } from '../page.ts';
import { maySee } from '../permissions.ts';
import type { Range } from '../ranges.ts';
import type { Store } from '../store.ts';
import { agentRow, type Facts, factsOf, probeRow, type Row } from './facts.ts';
import { type Latency, latencyOf } from './latency.ts';
import type { ProbeHistory } from './probe-history.ts';
import { DAY_MS, DAYS } from './uptime.ts';

export interface GatherParts {
  readonly history: AgentHistory;
  readonly owners: Owners;
  readonly registry: AgentRegistry;
  /** undefined: this server has no tasks, so nothing is known of probes. */
  readonly probes: ProbeHistory | undefined;
  readonly store: Store;
  /** undefined: this server has no maintenance windows. */
  readonly windows: MaintenanceWindows | undefined;
}

/** The agents of those entries that the page's owner may see now, and that are not deleted; in the order of the page. */
export async function visible(
  page: Page,
  { owners, registry }: GatherParts,
): Promise<readonly Shown[]> {
  const shown: Shown[] = [];
  for (const entry of page.settings.entries) {
    const agent = registry.known(entry.agent);
    if (!agent || agent.soft_delete || !(await owners.may(page.owner, maySee(entry)))) continue;
    shown.push({ entry, id: agent.id });
  }
  return shown;
}

export interface Shown {
  readonly entry: Entry;
  /** `Agent.id` */
  readonly id: number;
}

/** Reads what a page shows. @throws RpcError 103 */
export async function gather(
  page: Page,
  shown: readonly Shown[],
  parts: GatherParts,
  now: number,
): Promise<Facts> {
  const ids = new Set(shown.filter(({ entry }) => !entry.probe).map(({ id }) => id));
  const fromDay = Math.floor(now / DAY_MS) - DAYS + 1;
  const [seen, incidents] = await Promise.all([
    parts.history.seen([...ids], fromDay),
    parts.store.incidents(page.slug),
  ]);
  const rows: Row[] = [];
  for (const { entry, id } of shown) {
    if (!entry.probe) rows.push(agentRow(entry, seen.get(id), now));
    else {
      const day = await parts.probes?.past(entry.agent, entry.probe, now);
      rows.push(probeRow(entry, day && latencyOf(day)));
    }
  }
  const active = parts.windows?.active(page.slug, now) ?? [];
  const upcoming = parts.windows?.upcoming(page.slug, now) ?? [];
  return factsOf(page, rows, { incidents, active, upcoming }, now);
}

/** The curve of one probe over another time than a day. @throws RpcError 103 */
export async function curveOf(
  { settings }: Page,
  key: string,
  range: Range,
  { probes }: GatherParts,
  now: number,
): Promise<Latency | undefined> {
  const entry = settings.entries.find((one) => one.key === key);
  const past = entry?.probe && (await probes?.past(entry.agent, entry.probe, now, range));
  return past && latencyOf(past);
}
