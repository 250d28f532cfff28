import type { Agent } from '@svc/plugin-agent-uuid/api';
import type { MonitorNow, Monitors } from './api.ts';
import type { CertificateStore } from './store/certificates.ts';
import type { IsolatedStore } from './store/isolated.ts';
import type { MonitorStore } from './store/monitors.ts';
import type { ListedMonitor } from './store/rows.ts';
import type { StateStore } from './store/states.ts';
import type { VerdictStore } from './store/verdicts.ts';
import { UNKNOWN } from './types.ts';
import { severityNumber, stateWord } from './words.ts';

export interface ServiceParts {
  readonly monitors: MonitorStore;
  readonly verdicts: VerdictStore;
  readonly states: StateStore;
  readonly certificates: CertificateStore;
  readonly isolatedServers: IsolatedStore;
  readonly registry: { list(): readonly Pick<Agent, 'id' | 'uuid'>[] } | undefined;
}

/** Service for rules of source `monitor`, and for status pages. */
export const openMonitors = (parts: ServiceParts): Monitors => ({
  async now() {
    const [listed, verdicts, ends, fastest, places] = await Promise.all([
      parts.monitors.list(),
      parts.verdicts.all(),
      parts.certificates.ends(),
      parts.states.fastest(),
      parts.states.agents(),
    ]);
    const uuids = new Map(
      places.size > 0 ? parts.registry?.list().map(({ id, uuid }) => [id, uuid]) : [],
    );
    const byMonitor = new Map(verdicts.map((row) => [row.monitor_id, row]));
    return listed
      .filter(({ enable }) => enable)
      .map((monitor): MonitorNow => {
        const { id, created_at } = monitor;
        const { state, since, up, down, unknown, detail } = byMonitor.get(id) ?? {
          ...{ state: UNKNOWN, since: created_at, up: 0, down: 0, unknown: 0, detail: '' },
        };
        const { not_after = null, lifetime_ms = null } = ends.get(id) ?? {};
        return {
          ...identity(monitor),
          agents: agentsOf(monitor, places.get(id) ?? []).flatMap(
            (place) => uuids.get(place) ?? [],
          ),
          ...{ state: stateWord(state), since, up, down, unknown, detail },
          ...{ ms: fastest.get(id) ?? null, not_after, lifetime_ms },
        };
      });
  },
  isolated: () => parts.isolatedServers.all(),
});

const identity = ({ id, name, kind, group, tags, owner, parent, ...rest }: ListedMonitor) => ({
  ...{ id, name, kind, group, tags, owner, parent },
  severity: severityNumber(rest.severity),
});

/** Returns those that check it now: as many as are chosen, of those that ever did the ones that were heard last. */
const agentsOf = ({ places }: ListedMonitor, heard: readonly number[]): readonly number[] =>
  places.server ? [] : heard.slice(0, places.pick ?? 1);
