import { useMemo } from 'preact/hooks';
import {
  type Server,
  seesAlerts,
  useOpenAlerts,
  usePoll,
  useServer,
} from '../../../frame/index.ts';
import {
  type Alert,
  type AlertEvent,
  episodesOf,
  inOrder,
  type Rule,
  type Severity,
} from '../../../parts/alert/index.ts';
import { type Drawn, drawnOf } from '../../../parts/alert/measures.ts';

/** What alerts say in one chart of summaries. */
export interface ChartMarks {
  readonly drawn: Drawn;
  readonly severity: Severity;
  /** Open alert that it leads to; undefined: it is over. */
  readonly id: number | undefined;
  readonly spans: readonly { readonly from: number; readonly to: number }[];
}

export type MarksByChart = ReadonlyMap<string, ChartMarks>;

const EVERY_MS = 60_000;
const WEEK_MS = 7 * 86_400_000;
const NOTHING: MarksByChart = new Map();

const sees = (server: Server, uuid: string): boolean =>
  seesAlerts(server) && server.covers('alert', 'read', uuid);

/** Open alerts of a machine, the worst first. */
export function useAlerts(uuid: string): readonly Alert[] {
  const { list = [] } = useOpenAlerts();
  return useMemo(
    () => inOrder(list.filter(({ subject }) => subject.kind === 'agent' && subject.id === uuid)),
    [list, uuid],
  );
}

/** Thresholds and episodes of the last week for the charts of a machine. */
export function useMarks(uuid: string): MarksByChart {
  const server = useServer();
  const isSeen = sees(server, uuid);
  const open = useAlerts(uuid);
  const past = usePoll(
    `marks ${uuid} ${isSeen} ${open.length}`,
    async () => {
      if (!isSeen) return undefined;
      const [rules, events] = await Promise.all([
        server.call('alert_rule_list'),
        server.call('alert_history', {
          agents: [uuid],
          kinds: ['opened', 'closed', 'expired'],
          from: Date.now() - WEEK_MS,
        }),
      ]);
      return { rules, events };
    },
    { every_ms: EVERY_MS },
  );
  return useMemo(
    () => (past.data ? marksOf(past.data.rules, past.data.events, open) : NOTHING),
    [past.data, open],
  );
}

function marksOf(
  rules: readonly Rule[],
  events: readonly AlertEvent[],
  open: readonly Alert[],
): MarksByChart {
  const found = new Map<string, ChartMarks>();
  for (const rule of rules) {
    const drawn = drawnOf(rule.condition);
    const chart = drawn?.measure.chart;
    const alert = open.find(({ rule: name }) => name === rule.name);
    const spans = spansOf(
      events.filter(({ rule: name }) => name === rule.name),
      alert,
    );
    if (!drawn || chart === undefined || spans.length === 0) continue;
    const before = found.get(chart);
    // An open one says more than one that is over.
    if (before?.id !== undefined) continue;
    if (before && alert === undefined) continue;
    found.set(chart, { drawn, severity: rule.severity, id: alert?.id, spans });
  }
  return found;
}

/** Episodes from their events; one that is open ends at the end of the chart. */
function spansOf(events: readonly AlertEvent[], open: Alert | undefined) {
  const now = open ? [{ from: open.since, to: Number.MAX_SAFE_INTEGER }] : [];
  return [...episodesOf(events), ...now];
}
