import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { Link, to } from '../../../frame/index.ts';
import { type Severity, SeverityIcon } from '../../../parts/alert/index.ts';
import { Chart, type Curves, type Marks } from '../../../parts/chart/index.ts';
import { t } from '../../../strings/index.ts';
import type { ChartMarks } from '../alerts/model.ts';
import { type Grid, keyOf, type Sample, type Stretch, stretched, timesOf } from './series.ts';
import { endsOf } from './span.ts';
import type { Spec } from './specs.ts';
import type { View } from './view.ts';

interface Props extends View {
  readonly spec: Spec;
  readonly grid: Grid;
  readonly samples: readonly Sample[];
  /** The disk, interface or card. */
  readonly of?: string;
  /** Every core is a line of its own. */
  readonly each?: readonly string[];
  readonly children?: ComponentChildren;
}

/** One chart of an agent, with the reports that came since. */
export function SpecChart(props: Props) {
  const { spec, grid, samples, of, each, span, now, why, onZoom, onBack, name } = props;
  const live = span.preset === undefined ? NONE : samples;
  const curves = useMemo(() => curvesOf(spec, grid, live, { of, each }), [grid, live, of, each]);
  const isEmpty = curves.lines.every(({ avg }) => avg.every((value) => value === null));
  const [begin, end] = endsOf(span, now);
  const mine = of === undefined ? props.marks?.get(spec.id) : undefined;
  const marks = useMemo(() => mine && marksIn(mine, curves), [mine, curves]);
  if (isEmpty && spec.isRare) return null;
  return (
    <div class="card agent-chart">
      <Chart
        title={spec.title()}
        unit={spec.unit()}
        curves={curves}
        step_ms={grid.step_ms}
        from={begin}
        to={end}
        why={why}
        onZoom={onZoom}
        onBack={onBack}
        sync="agent"
        file={of === undefined ? name : `${name} ${of}`}
        marks={marks}
      >
        {mine?.id !== undefined && <AlertLink id={mine.id} severity={mine.severity} />}
        {props.children}
      </Chart>
    </div>
  );
}

interface AlertLinkProps {
  readonly id: number;
  readonly severity: Severity;
}

const AlertLink = ({ id, severity }: AlertLinkProps) => (
  <Link to={to('alerts', String(id))} title={t.alert.threshold}>
    <SeverityIcon of={severity} />
  </Link>
);

/** Threshold and episodes in the unit of the chart: a percentage is one of its dashed line, the whole. */
function marksIn({ drawn, severity, spans }: ChartMarks, { lines }: Curves): Marks {
  const { measure, threshold } = drawn;
  const whole = lines.find(({ dashed }) => dashed)?.avg.findLast((value) => value !== null);
  const isShare = measure.fields.length > 1;
  return {
    threshold: isShare ? (whole == null ? undefined : (threshold / 100) * whole) : threshold,
    spans: spans.map((span) => ({ ...span, kind: severity })),
  };
}

const NONE: readonly Sample[] = [];
const COLORS = 8;

interface Which {
  readonly of: string | undefined;
  readonly each: readonly string[] | undefined;
}

function curvesOf(spec: Spec, grid: Grid, samples: readonly Sample[], { of, each }: Which): Curves {
  const times = timesOf(grid, samples);
  const read = (field: string, name: string | undefined) =>
    stretched(grid, keyOf(field, name), samples, times.length);
  if (each) {
    const [{ field } = { field: '' }] = spec.lines;
    const lines = each.map((name, at) => ({
      label: name,
      color: `--series-${(at % COLORS) + 1}`,
      avg: read(field, name).avg,
    }));
    return { times, lines };
  }
  const lines = spec.lines.map(({ field, label, color, dashed, minus }) => {
    const whole = read(field, of);
    const { min, avg, max } = minus ? less(whole, read(minus, of)) : whole;
    return { label: label(), color, avg, ...(dashed ? { dashed } : { min, max }) };
  });
  return { times, lines };
}

/** One series less another: least where that one is greatest. */
function less(whole: Stretch, part: Stretch): Stretch {
  const minus = (a: Stretch['avg'], b: Stretch['avg']) =>
    a.map((value, at) => {
      const other = b[at];
      return value === null || other == null ? null : Math.max(0, value - other);
    });
  return {
    min: minus(whole.min, part.max),
    avg: minus(whole.avg, part.avg),
    max: minus(whole.max, part.min),
  };
}
