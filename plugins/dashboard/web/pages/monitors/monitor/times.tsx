import { useMemo } from 'preact/hooks';
import { address, Loaded, setQuery } from '../../../frame/index.ts';
import { Chart, type Curves, units } from '../../../parts/chart/index.ts';
import { Card, Select, Skeleton } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { RANGES, type Range, useTimes } from './model.ts';

/** Times of the checks: the median with its spread, and the slowest twentieth. */
export function Times({ name, made_at }: { readonly name: string; readonly made_at: number }) {
  const wanted = address.value.query.get('range') as Range | null;
  const range: Range = wanted !== null && Object.hasOwn(RANGES, wanted) ? wanted : '6h';
  const { series, times, forget } = useTimes({ name, range, made_at });
  const curves = useMemo(() => curvesOf(series.data?.points ?? []), [series.data]);
  return (
    <Card
      title={t.monitors.times}
      actions={
        <Select<Range>
          bare
          label={t.chart.range.label}
          value={range}
          options={(Object.keys(RANGES) as Range[]).map((value) => ({
            value,
            label: t.chart.range.last(t.chart.range.presets[value]),
          }))}
          onChange={(value) => {
            forget();
            setQuery({ range: value });
          }}
        />
      }
    >
      <Loaded
        of={series}
        what={t.monitors.unreadable}
        skeleton={<Skeleton rows={1} height={200} />}
      >
        {({ step }) => (
          <Chart
            title={t.monitors.answerTime}
            unit={units.milliseconds}
            curves={curves}
            {...times}
            step_ms={step}
            sync={`monitor ${name}`}
            file={name}
          />
        )}
      </Loaded>
    </Card>
  );
}

interface Point {
  readonly at: number;
  readonly ms_min: number | null;
  readonly ms_p50: number | null;
  readonly ms_p95: number | null;
}

const curvesOf = (points: readonly Point[]): Curves => ({
  times: points.map(({ at }) => at),
  lines: [
    {
      label: t.monitors.median,
      color: '--series-1',
      avg: points.map(({ ms_p50 }) => ms_p50),
      min: points.map(({ ms_min }) => ms_min),
      max: points.map(({ ms_p95 }) => ms_p95),
    },
    { label: 'p95', color: '--series-2', avg: points.map(({ ms_p95 }) => ms_p95) },
  ],
});
