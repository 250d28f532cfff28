import { service } from '@svc/plugin-sdk';
import type { Distribution } from './histogram.ts';

export { type Distribution, Histogram } from './histogram.ts';

/** Labels that distinguish the samples of one family. Values come from a bounded set. */
export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels?: Labels;
  /** A distribution in a histogram, a number elsewhere. */
  readonly value: number | Distribution;
}

/** One family of OpenMetrics, as `/svc/metrics` shows it and OTLP sends it. */
export interface Family {
  /** Name in snake_case, its unit at the end; without the brand's word before it and without `_total` behind it. */
  readonly name: string;
  /** A counter only grows, from the start of the process on. */
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly unit?: 'seconds' | 'bytes' | 'ratio';
  /** One sentence. */
  readonly help: string;
  /** Runs at each reading of the metrics: takes microseconds, and gives a bounded number of samples. */
  read(): Iterable<Sample>;
}

/** Registry of what plugins count. Call it in `setup` or later; use it as an optional service. */
export interface Metrics {
  /** @throws Error when the name is taken */
  add(...families: readonly Family[]): void;
}

export const Metrics = service<Metrics>('metrics');
