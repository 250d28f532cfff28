import type { Methods } from '@svc/client';
import { useMemo } from 'preact/hooks';
import { Loaded, navigate, to, usePoll, useServer } from '../../../frame/index.ts';
import { episodesOf } from '../../../parts/alert/index.ts';
import { type Drawn, drawnOf, type Field } from '../../../parts/alert/measures.ts';
import { Chart, type Curves, type Marks } from '../../../parts/chart/index.ts';
import { Card, Skeleton } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { titleOf } from '../rules/variables.ts';
import type { AlertPage } from './model.ts';

type Series = Methods['agent_query_series']['result'];

const HOUR_MS = 3_600_000;
const POINTS = 300;

interface Props {
  readonly page: AlertPage;
}

/** Curve of what the rule looks at, with its threshold, the hold and the episode; nothing where it has none. */
export function AlertChart({ page: { alert, rule, events } }: Props) {
  const { has, covers } = useServer();
  const drawn = rule ? drawnOf(rule.condition) : undefined;
  const { subject } = alert;
  const isSeen =
    has('series') &&
    drawn !== undefined &&
    subject.kind === 'agent' &&
    (drawn.measure.isPart
      ? covers('dynamic_monitoring', 'read', subject.id, drawn.variable.split('.')[0])
      : covers('dynamic_monitoring_summary', 'read', subject.id));
  return isSeen ? <Drawing {...{ alert, events, drawn }} /> : null;
}

/** Time around an episode, Unix ms. */
function timeOf(alert: AlertPage['alert']) {
  const end = alert.closed_at ?? Date.now();
  const around = Math.max(HOUR_MS, (end - alert.since) * 0.3);
  return {
    from: Math.round(alert.since - around),
    to: Math.round(Math.min(Date.now(), end + around)),
  };
}

interface DrawingProps extends Pick<AlertPage, 'alert' | 'events'> {
  readonly drawn: Drawn;
}

function Drawing({ alert, events, drawn }: DrawingProps) {
  const { call } = useServer();
  const { measure, variable, threshold } = drawn;
  const { subject, part } = alert;
  const { from, to: end } = useMemo(() => timeOf(alert), [alert.id, alert.closed_at]);
  const series = usePoll(`alert chart ${alert.id} ${alert.closed_at}`, (signal) => {
    const asked = {
      agents: [subject.id],
      fields: [...measure.fields],
      points: POINTS,
      from,
      to: end,
    };
    return call('agent_query_series', asked, { signal });
  });
  const title = titleOf(variable);
  const marks = useMemo(
    () => marksOf({ alert, events }, threshold, end),
    [alert, events, threshold, end],
  );
  return (
    <Card class="alerts-chart">
      <Loaded of={series} what={t.alerts.unreadable} skeleton={<Skeleton rows={6} />}>
        {(found) => (
          <Chart
            title={part === '' ? title : `${title} · ${part}`}
            curves={curvesOf(found, drawn, part, title)}
            unit={measure.unit}
            from={from}
            to={end}
            step_ms={found.step_ms}
            marks={marks}
            onZoom={(begin, until) =>
              navigate(
                to('agent', subject.id, 'charts', { from: String(begin), to: String(until) }),
              )
            }
            onBack={() => undefined}
            sync="alert"
            file={subject.name}
          />
        )}
      </Loaded>
    </Card>
  );
}

/** The hold before it opened, the time in which it was open, its earlier episodes, and the line that it crossed. */
function marksOf(
  { alert, events }: Pick<AlertPage, 'alert' | 'events'>,
  threshold: number,
  end: number,
): Marks {
  const opened = alert.opened_at ?? alert.since;
  const earlier = episodesOf(events.filter(({ episode }) => episode !== alert.episode));
  return {
    threshold,
    spans: [
      ...earlier.map((span) => ({ ...span, kind: alert.severity })),
      { from: alert.since, to: opened, kind: 'hold' },
      { from: opened, to: alert.closed_at ?? end, kind: alert.severity },
    ],
  };
}

function curvesOf(found: Series, { measure }: Drawn, part: string, label: string): Curves {
  const of = (field: Field) =>
    found.series.find((one) => one.field === field && (part === '' || one.name === part));
  const length = Math.max(0, ...found.series.map(({ avg }) => avg.length));
  const times = Array.from({ length }, (_, at) => found.from + at * found.step_ms);
  const read = (band: 'avg' | 'min' | 'max') =>
    times.map((_, at) => measure.of((field) => of(field)?.[band]?.[at] ?? null));
  const isOne = measure.fields.length === 1;
  const color = '--series-1';
  return {
    times,
    lines: [
      { label, color, avg: read('avg'), ...(isOne && { min: read('min'), max: read('max') }) },
    ],
  };
}
