import type { Value } from '@svc/conditions';
import type { Network } from './network.ts';
import type { Clock, Inspection } from './types.ts';

/** One check that runs: its means, and what it has measured so far. */
export interface Measurement {
  readonly network: Network;
  readonly clock: Clock;
  /** Aborts at the end of the check, whatever it was: everything that the check opened ends then. */
  readonly signal: AbortSignal;
  /** Authorities (PEM) beside those of Node. */
  readonly roots: readonly string[] | undefined;
  readonly user_agent: string;
  readonly values: Record<string, Value>;
  /** Next thing that has to come, for the sentence about a deadline. */
  waitsFor: string;
  /** The target took a connection, or answered otherwise. */
  hasContact?: boolean;
  /** Time that counts in place of that of the whole check. */
  ms?: number | null;
  code?: number;
  isUnknown?: boolean;
  summary?: string;
  certificate?: Inspection;
  sample?: string;
}

/** Milliseconds since `begun`, rounded to microseconds. */
export const since = (begun: number, { clock }: Pick<Measurement, 'clock'>): number =>
  Math.round((clock.monotonic() - begun) * 1000) / 1000;
