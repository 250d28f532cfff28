export { AddProbe, mayAddProbe } from './add.tsx';
export { type Answer, answerOf, isBad, type Reading } from './answer.ts';
export { isSlow, lossFigure, type Percentiles, percentilesOf } from './figures.ts';
export { Latency, type Times } from './latency.tsx';
export { NoProbes } from './no-probes.tsx';
export { Figures } from './percentiles.tsx';
export { keyOfProbe, type Probe, useProbes } from './probes.ts';
export { type Totals, useSeries, useTotals, useUsual } from './series.ts';
