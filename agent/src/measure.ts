import type { Clock } from './clock.ts';

/** Milliseconds since the `steady` time `begun`, rounded to microseconds. */
export const elapsed = (clock: Clock, begun: number): number =>
  Math.round((clock.steady() - begun) * 1000) / 1000;
