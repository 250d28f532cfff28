import type { MonitorNow, Monitors } from './api.ts';
import type { KnownMonitors } from './engine/known.ts';
import type { CertificateStore } from './store/certificates.ts';
import type { IsolatedStore } from './store/isolated.ts';
import type { MonitorStore } from './store/monitors.ts';
import type { ListedMonitor } from './store/rows.ts';
import type { StateStore } from './store/states.ts';
import type { VerdictStore } from './store/verdicts.ts';
import { Targets } from './targets.ts';
import { UNKNOWN } from './types.ts';
import { severityNumber, stateWord } from './words.ts';

export interface ServiceParts {
  readonly monitors: MonitorStore;
  readonly verdicts: VerdictStore;
  readonly states: StateStore;
  readonly certificates: CertificateStore;
  readonly isolatedServers: IsolatedStore;
  readonly known: KnownMonitors;
}

/** Service for rules of source `monitor`, and for status pages. */
export function openMonitors(parts: ServiceParts): Monitors {
  const targets = new Targets(parts.monitors);
  return { now: () => now(parts, targets), isolated: () => parts.isolatedServers.all() };
}

async function now(parts: ServiceParts, targets: Targets): Promise<MonitorNow[]> {
  const [listed, verdicts, ends, last] = await Promise.all([
    parts.monitors.list(),
    parts.verdicts.all(),
    parts.certificates.ends(),
    parts.states.last(),
  ]);
  await targets.read(listed);
  const byMonitor = new Map(verdicts.map((row) => [row.monitor_id, row]));
  return listed
    .filter(({ enable }) => enable)
    .map((monitor): MonitorNow => {
      const { id, created_at } = monitor;
      const { state, since, up, down, unknown, detail } = byMonitor.get(id) ?? {
        ...{ state: UNKNOWN, since: created_at, up: 0, down: 0, unknown: 0, detail: '' },
      };
      const { not_after = null, lifetime_ms = null } = ends.get(id) ?? {};
      const { ms = null, good_at = null } = last.get(id) ?? {};
      return {
        ...identity(monitor),
        ...targets.of(id),
        ...{ state: stateWord(state), since, up, down, unknown, detail },
        ...{ ms, good_at, not_after, lifetime_ms },
      };
    });
}

const identity = ({ id, name, kind, group, tags, owner, parent, ...rest }: ListedMonitor) => ({
  ...{ id, name, kind, group, tags, owner, parent },
  ...{ interval_s: rest.interval_s, retries: rest.retries },
  severity: severityNumber(rest.severity),
  agents: rest.places.server ? [] : (rest.places.agents ?? []),
});
