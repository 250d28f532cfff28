import { Cron } from 'croner';
import type { HeartbeatSpec, Monitor, State } from '../types.ts';

/** Share of a period, and most ms, by which a ping that comes early counts for the coming time. */
const EARLY_SHARE = 0.1;
const MOST_EARLY_MS = 300_000;

/** Run that began and has not ended. */
export interface Run {
  readonly rid: string;
  /** Unix ms. */
  readonly started_at: number;
}

/** What a heartbeat waits for. */
export interface Due {
  /** Unix ms at which the next ping, or the end of a run, is expected. */
  readonly expected_at: number;
  /** Unix ms from which on it is late. */
  readonly late_at: number;
  /** Run that is to end; undefined: a ping is to come. */
  readonly run: Run | undefined;
}

/** Returns what a heartbeat waits for after its last ping (or its making), with these runs going on. */
export function dueOf(spec: HeartbeatSpec, arrived_at: number, runs: readonly Run[]): Due {
  const grace_ms = spec.grace_s * 1_000;
  const expected_at = nextExpected(spec, arrived_at);
  const newest = runs.reduce<Run | undefined>(
    (last, run) => (last && last.started_at > run.started_at ? last : run),
    undefined,
  );
  // A run that began in time may end later than the ping was due; the next one is due all the same once it has ended.
  const begun = newest && newest.started_at > arrived_at ? newest : undefined;
  const run_grace_ms = (spec.run_grace_s ?? spec.grace_s) * 1_000;
  const ping: Due = begun
    ? {
        expected_at: Math.max(expected_at, begun.started_at),
        late_at: Math.max(expected_at + grace_ms, begun.started_at + run_grace_ms),
        run: begun,
      }
    : { expected_at, late_at: expected_at + grace_ms, run: undefined };
  if (spec.run_grace_s === undefined) return ping;
  return runs
    .map((run) => ({
      expected_at: run.started_at,
      late_at: run.started_at + run_grace_ms,
      run,
    }))
    .reduce((first: Due, due) => (due.late_at < first.late_at ? due : first), ping);
}

/** Latest time that is awaited: a cron expression may never come again. */
export const MOST_TIME = 4_102_444_800_000;

/** Returns when the next call of a heartbeat is expected, Unix ms; null: it is none, it is off, or its time never comes. */
export function nextCallOf(
  { kind, enable, spec, created_at }: Monitor,
  state: Pick<State, 'last_at'> | undefined,
): number | null {
  if (kind !== 'heartbeat' || !enable) return null;
  const at = nextExpected(spec as unknown as HeartbeatSpec, state?.last_at ?? created_at);
  return at < MOST_TIME ? at : null;
}

/** Returns the Unix ms at which the next ping is expected after one that arrived at this time. */
function nextExpected({ cron, zone, period_s = 0 }: HeartbeatSpec, arrived_at: number): number {
  if (cron === undefined) return arrived_at + period_s * 1_000;
  const times = new Cron(cron, { timezone: zone ?? 'UTC' });
  const [next, later] = times.nextRuns(2, new Date(arrived_at)).map((time) => time.getTime());
  // A date that never comes again, such as one of a single year.
  if (next === undefined || later === undefined) return next ?? Number.MAX_SAFE_INTEGER;
  const early_ms = Math.min((later - next) * EARLY_SHARE, MOST_EARLY_MS);
  return next - arrived_at <= early_ms ? later : next;
}
