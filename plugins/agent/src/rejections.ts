import type { Call, Kernel, Outcome } from '@svc/plugin-sdk';

const PERIOD_MS = 60_000;
const INVALID_PARAMS = -32602;
/** Method and credential together; more of them are counted as one. */
const MAX_COUNTERS = 1000;

interface Counter {
  readonly method: string;
  readonly caller: string;
  rejected: number;
  /** Of those, how many the log has told. */
  told: number;
}

/**
 * Counts reports that were refused, and logs new ones once a minute, so that an operator sees a sender whose
 * figures are not finite or otherwise wrong (monitoring-data.md §4).
 */
export function watchRejections({ hooks, every, log }: Kernel): void {
  const counters = new Map<string, Counter>();

  hooks.settled.tap((call: Call, { error }: Outcome) => {
    if (error && call.method.startsWith('agent_report_')) {
      count(call.method, call.caller.id, error.code);
    }
  });

  const count = (method: string, caller: string, code: number): void => {
    const reason = code === INVALID_PARAMS ? 'malformed' : `error ${code}`;
    const name = counters.size < MAX_COUNTERS ? `${method} ${caller} ${reason}` : reason;
    const counter = counters.get(name);
    if (counter) counter.rejected++;
    else counters.set(name, { method, caller, rejected: 1, told: 0 });
  };

  every('log rejected reports', PERIOD_MS, () => {
    for (const [name, counter] of counters) {
      const { rejected, told } = counter;
      if (rejected === told) continue;
      counter.told = rejected;
      log.warn('reports were rejected', { counter: name, since_last: rejected - told, rejected });
    }
  });
}
