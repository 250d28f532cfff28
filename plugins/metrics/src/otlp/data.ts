import { type HrTime, ValueType } from '@opentelemetry/api';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
} from '@opentelemetry/sdk-metrics';
import type { Distribution, Family, Labels } from '../api.ts';

/** Units as OpenTelemetry writes them (UCUM). */
const UNITS = { seconds: 's', bytes: 'By', ratio: '1' } as const;

/** The time between which the counters counted. */
export interface Span {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

/** One family in the data model of OpenTelemetry; counters and histograms count from the start of the process on. */
export function metricOf(prefix: string, family: Family, span: Span): MetricData {
  const { help: description, name, type, unit } = family;
  const descriptor = {
    name: `${prefix}_${name}`,
    description,
    unit: unit ? UNITS[unit] : '',
    valueType: ValueType.DOUBLE,
  };
  const point = <T>(labels: Labels | undefined, value: T): DataPoint<T> => ({
    ...span,
    attributes: labels ?? {},
    value,
  });
  const numbers: DataPoint<number>[] = [];
  const histograms: DataPoint<Histogram>[] = [];
  for (const { labels, value } of family.read()) {
    if (typeof value === 'number') numbers.push(point(labels, value));
    else histograms.push(point(labels, histogramOf(value)));
  }
  const common = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  if (type === 'histogram')
    return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms };
  if (type === 'gauge')
    return { ...common, dataPointType: DataPointType.GAUGE, dataPoints: numbers };
  return { ...common, dataPointType: DataPointType.SUM, dataPoints: numbers, isMonotonic: true };
}

function histogramOf({ bounds, counts, sum }: Distribution): Histogram {
  const each = Array.from(counts);
  const count = each.reduce((all, one) => all + one, 0);
  return { buckets: { boundaries: [...bounds], counts: each }, sum, count };
}
