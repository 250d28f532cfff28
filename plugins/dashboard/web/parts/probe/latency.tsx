import { useMemo } from 'preact/hooks';
import { t } from '../../strings/index.ts';
import { Chart, type Curves, type Gap, units } from '../chart/index.ts';
import { lossFigure } from './figures.ts';
import type { Latencies } from './series.ts';

/** The time axis that the curves share with others. */
export interface Times {
  readonly from: number;
  readonly to: number;
  readonly onZoom: (from: number, to: number) => void;
  readonly onBack: () => void;
  readonly why?: (gap: Gap) => string | undefined;
}

interface Props extends Times {
  readonly of: Latencies;
  readonly nameOf: (uuid: string) => string;
  readonly sync: string;
  /** Tells whether no other machine measured it: what is not in the curves was not lost. */
  readonly isAll: boolean;
  /** Target in the name of the file. */
  readonly file: string;
}

const COLORS = 8;
const lossUnit = { ...units.percent, figure: (value: number) => lossFigure(value / 100) };

/** Latency over time and, below it, loss: percentiles of one agent, or the medians of several side by side. */
export function Latency(props: Props) {
  const { of, nameOf, file, isAll, ...times } = props;
  const [latency, loss] = useMemo(
    () => [of.series.length === 1 ? percentiles(of) : medians(of, nameOf), losses(of, nameOf)],
    [of],
  );
  const common = { ...times, step_ms: of.step_ms, file };
  const wasMeasured = of.series.some(({ count }) => count.some((value) => value > 0));
  const wasAnswered = of.series.some(({ p50 }) => p50.some((value) => value !== null));
  const isLost = loss.lines.some(({ avg }) => avg.some((value) => value !== null && value > 0));
  return (
    <>
      {wasAnswered && (
        <Chart {...common} title={t.probes.latency} unit={units.milliseconds} curves={latency} />
      )}
      {isLost ? (
        <Chart {...common} title={t.probes.loss} unit={lossUnit} curves={loss} height={96} />
      ) : (
        // Of several machines some are drawn, and others may have lost.
        (isAll || !wasMeasured) && (
          <p class="muted small">{wasMeasured ? t.probes.noLoss : t.probes.nothing}</p>
        )
      )}
    </>
  );
}

const timesOf = ({ from, step_ms, series }: Latencies): number[] =>
  Array.from({ length: series[0]?.count.length ?? 0 }, (_, at) => from + at * step_ms);

function percentiles(of: Latencies): Curves {
  const [one] = of.series;
  if (!one) return { times: [], lines: [] };
  return {
    times: timesOf(of),
    lines: [
      {
        label: t.probes.median,
        color: '--series-1',
        avg: one.p50,
        min: one.min,
        max: one.p95,
      },
      { label: 'p95', color: '--series-2', avg: one.p95 },
      { label: 'p99', color: '--series-7', avg: one.p99, dashed: true },
    ],
  };
}

const medians = (of: Latencies, nameOf: (uuid: string) => string): Curves => ({
  times: timesOf(of),
  lines: of.series.map(({ uuid, p50 }, at) => ({
    label: nameOf(uuid),
    color: `--series-${(at % COLORS) + 1}`,
    avg: p50,
  })),
});

const losses = (of: Latencies, nameOf: (uuid: string) => string): Curves => ({
  times: timesOf(of),
  lines: of.series.map(({ uuid, loss }, at) => ({
    label: of.series.length === 1 ? t.probes.loss : nameOf(uuid),
    color: of.series.length === 1 ? '--bad' : `--series-${(at % COLORS) + 1}`,
    avg: loss.map((value) => (value === null ? null : value * 100)),
  })),
});
