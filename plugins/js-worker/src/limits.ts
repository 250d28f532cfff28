import type { Integer } from '@svc/plugin-sdk/sql';
import type { Limits } from './store/workers.ts';

const RUN_MS = 30_000;
const STACK = 1_048_576;
/** The bridge itself needs this much. */
const LEAST_STACK = 65_536;
const HEAP = 8_388_608;
const LEAST_HEAP = 1_048_576;

/** Ceilings of this server. */
export interface Ceilings {
  /** ms */
  readonly max_run_time: number;
  /** Bytes. */
  readonly max_heap_size: number;
}

/** Limits in force (js-worker.md §1.3); stored values beyond what is safe are cut. */
export interface Effective {
  readonly run_ms: number;
  readonly stack: number;
  readonly heap: number;
  /** Idle life of the pooled context, ms; undefined: without end. */
  readonly clean_ms: number | undefined;
}

export function effective(stored: Limits, ceilings: Ceilings): Effective {
  const { max_run_time, max_stack_size, max_heap_size, runtime_clean_time } = stored;
  return {
    run_ms: within(max_run_time, RUN_MS, 1, ceilings.max_run_time),
    stack: within(max_stack_size, STACK, LEAST_STACK, STACK),
    heap: within(max_heap_size, HEAP, LEAST_HEAP, ceilings.max_heap_size),
    clean_ms: isPositive(runtime_clean_time) ? Number(runtime_clean_time) : undefined,
  };
}

const isPositive = (value: Integer | null): value is Integer => value !== null && value > 0;

const within = (value: Integer | null, unset: number, least: number, most: number): number =>
  Math.min(most, Math.max(least, isPositive(value) ? Number(value) : unset));
