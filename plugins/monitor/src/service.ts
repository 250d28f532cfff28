import type { Placing } from './agents/index.ts';
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
  readonly placing: Pick<Placing, 'of'>;
}

/** Service for rules of source `monitor`, and for status pages. */
export function openMonitors(parts: ServiceParts): Monitors {
  const targets = new Targets(parts.monitors);
  return {
    now: () => readNow(parts, targets),
    isolated: () => parts.isolatedServers.all(),
  };
}

async function readNow(parts: ServiceParts, targets: Targets): Promise<MonitorNow[]> {
  const [listed, verdicts, ends, latest] = await Promise.all([
    parts.monitors.list(),
    parts.verdicts.all(),
    parts.certificates.ends(),
    parts.states.latest(),
  ]);
  const enabled = listed.filter(({ enable }) => enable);
  await targets.read(enabled);
  const byMonitor = new Map(verdicts.map((row) => [row.monitor_id, row]));
  return enabled.map((monitor): MonitorNow => {
    const { id, created_at } = monitor;
    const { state, since, up, down, unknown, detail } = byMonitor.get(id) ?? {
      ...{ state: UNKNOWN, since: created_at, up: 0, down: 0, unknown: 0, detail: '' },
    };
    const { not_after = null, lifetime_ms = null } = ends.get(id) ?? {};
    const { ms = null, checked_at = null, suspect = false } = latest.get(id) ?? {};
    return {
      ...identity(monitor),
      members: parts.known.group(id)?.members ?? [],
      agents: monitor.places.server ? [] : parts.placing.of(id).map(({ uuid }) => uuid),
      ...{ state: stateWord(state), since, up, down, unknown, detail },
      ...{ ms, checked_at, suspect, not_after, lifetime_ms },
      ...{ ...targets.of(id), interval_s: monitor.interval_s, settle_ms: settleTime(monitor) },
    };
  });
}

/** Time from the begin of a failure to the verdict at most: a whole interval until it is seen, and the retries. */
const settleTime = ({ interval_s, timeout_s, retries, retry_s }: ListedMonitor): number =>
  (interval_s + timeout_s + retries * (retry_s + timeout_s)) * 1_000;

const identity = ({ id, name, kind, group, tags, owner, parent, ...rest }: ListedMonitor) => ({
  ...{ id, name, kind, group, tags, owner, parent },
  severity: severityNumber(rest.severity),
});
