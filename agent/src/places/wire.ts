import type { Inspection } from '@svc/checks';

/** A check as the server sends it. */
export interface SentCheck {
  readonly monitor: number;
  readonly version: number;
  readonly interval_s: number;
  readonly timeout_s: number;
  readonly retries: number;
  readonly retry_s: number;
  readonly recover_after: number;
  readonly upside_down: boolean;
  readonly condition: string;
  readonly host: string;
  readonly spec: { readonly kind?: unknown };
}

/** What changed of the checks of this agent. */
export interface Sent {
  /** Unix ms of the server. */
  readonly time: number;
  /** True: checks of earlier items are over. */
  readonly whole: boolean;
  readonly checks: readonly SentCheck[];
  readonly gone: readonly number[];
  readonly now: readonly number[];
}

/** One result as it is reported. */
export interface Measured {
  readonly monitor: number;
  readonly at: number;
  readonly ok: boolean | null;
  readonly ms: number | null;
  readonly code: number | null;
  readonly detail: string | null;
  readonly doubtful?: true;
  readonly certificate?: Inspection;
}

const areNumbers = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => Number.isSafeInteger(one));

/** Returns an item of the subscription; undefined: it is none. */
export function sentIn(item: Record<string, unknown>): Sent | undefined {
  const { time, whole, checks, gone, now } = item;
  const isSent =
    Number.isSafeInteger(time) &&
    typeof whole === 'boolean' &&
    Array.isArray(checks) &&
    checks.every(isCheck) &&
    areNumbers(gone) &&
    areNumbers(now);
  return isSent ? (item as unknown as Sent) : undefined;
}

function isCheck(check: unknown): boolean {
  if (typeof check !== 'object' || check === null) return false;
  const { monitor, version, interval_s, timeout_s, spec, ...rest } = check as Partial<SentCheck>;
  const { retries, retry_s, recover_after, condition, host } = rest;
  const numbers = [monitor, version, interval_s, timeout_s, retries, retry_s, recover_after];
  return (
    areNumbers(numbers) &&
    typeof condition === 'string' &&
    typeof host === 'string' &&
    typeof spec === 'object' &&
    spec !== null
  );
}
