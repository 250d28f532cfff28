import type { Clock } from './clock.ts';

/** Milliseconds since `begun` (a `steady` time), in microseconds' steps. */
export const elapsed = (clock: Clock, begun: number): number =>
  Math.round((clock.steady() - begun) * 1000) / 1000;
