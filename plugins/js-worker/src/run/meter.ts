import { type Family, Histogram, type Sample } from '@svc/plugin-metrics/api';
import type { Outcome } from '@svc/plugin-script-quickjs/api';
import type { Clock } from '@svc/plugin-sdk';

const BOUNDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 600];

class HandlerRuns {
  readonly time = new Histogram(BOUNDS);
  readonly ended = { ok: 0, failed: 0, late: 0 };
}

/** Runs of scripts by handler and outcome, and the time they took, the wait for a thread included. */
export class RunMeter {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #handlers = new Map<string, HandlerRuns>();
  #running = 0;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** @param run calls its argument when the run waits for nothing but a thread; one that never comes to that is not counted */
  async measure(
    handler: string,
    run: (admitted: () => void) => Promise<Outcome>,
  ): Promise<Outcome> {
    let started: number | undefined;
    const admitted = () => {
      started = this.#clock.monotonic();
      this.#running++;
    };
    try {
      const outcome = await run(admitted);
      if (started === undefined) return outcome;
      const runs = this.#handlers.get(handler) ?? new HandlerRuns();
      this.#handlers.set(handler, runs);
      runs.time.observe((this.#clock.monotonic() - started) / 1_000);
      runs.ended[outcome.kind !== 'failure' ? 'ok' : outcome.late ? 'late' : 'failed']++;
      return outcome;
    } finally {
      if (started !== undefined) this.#running--;
    }
  }

  readonly families: readonly Family[] = [
    {
      name: 'script_runs',
      type: 'counter',
      help: 'Runs of scripts that have ended, by handler and outcome; late: at their time limit.',
      read: () => this.#ended(),
    },
    {
      name: 'script_run_seconds',
      type: 'histogram',
      unit: 'seconds',
      help: 'Time of a run, its wait for a thread included.',
      read: () =>
        [...this.#handlers].map(([handler, { time }]) => ({ labels: { handler }, value: time })),
    },
    {
      name: 'script_running',
      type: 'gauge',
      help: 'Runs that have a thread or wait for one.',
      read: () => [{ value: this.#running }],
    },
  ];

  *#ended(): Generator<Sample> {
    for (const [handler, { ended }] of this.#handlers) {
      for (const [outcome, value] of Object.entries(ended))
        yield { labels: { handler, outcome }, value };
    }
  }
}
