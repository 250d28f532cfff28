import type { Call, Outcome } from '@svc/plugin-sdk';
import type { Family, Sample } from './api.ts';
import { Histogram } from './histogram.ts';

/** Seconds: from an answer out of memory to a task that a caller waits for. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Error codes of one method that are told apart; scripts and plugins choose theirs freely. */
const MOST_CODES = 32;

class MethodCalls {
  readonly time = new Histogram(BOUNDS);
  readonly codes = new Map<number, number>();
  succeeded = 0;
  otherwise = 0;

  failed(code: number): void {
    const count = this.codes.get(code);
    if (count === undefined && this.codes.size >= MOST_CODES) this.otherwise++;
    else this.codes.set(code, (count ?? 0) + 1);
  }
}

/** Calls of registered methods, by outcome and time. Every call of the server passes here: it costs some hundred nanoseconds. */
export class CallMeter {
  readonly #methods = new Map<string, MethodCalls>();

  readonly settled = ({ method }: Call, { error, started }: Outcome): void => {
    let calls = this.#methods.get(method);
    if (!calls) {
      calls = new MethodCalls();
      this.#methods.set(method, calls);
    }
    calls.time.observe((performance.now() - started) / 1_000);
    if (error === undefined) calls.succeeded++;
    else calls.failed(error.code);
  };

  readonly families: readonly Family[] = [
    {
      name: 'calls',
      type: 'counter',
      help: 'Calls of methods by outcome: ok, or the code of the error.',
      read: () => this.#outcomes(),
    },
    {
      name: 'call_duration_seconds',
      type: 'histogram',
      unit: 'seconds',
      help: 'Time from a call to its answer.',
      read: () => this.#times(),
    },
  ];

  *#outcomes(): Generator<Sample> {
    for (const [method, { succeeded, codes, otherwise }] of this.#methods) {
      yield { labels: { method, outcome: 'ok' }, value: succeeded };
      for (const [code, value] of codes) yield { labels: { method, outcome: String(code) }, value };
      if (otherwise > 0) yield { labels: { method, outcome: 'other' }, value: otherwise };
    }
  }

  *#times(): Generator<Sample> {
    for (const [method, { time }] of this.#methods) yield { labels: { method }, value: time };
  }
}
