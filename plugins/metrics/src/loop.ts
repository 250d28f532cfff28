import type { Clock } from '@svc/plugin-sdk';
import type { Family } from './api.ts';
import { Histogram } from './histogram.ts';

const PERIOD_MS = 100;
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/**
 * Delay of the event loop: how late a timer fires, ten times a second. It is measured from the
 * first reading on, so that a server whose metrics are not read does not wake up for nothing.
 */
export class LoopDelay {
  readonly #clock: Clock;
  readonly #delays = new Histogram(BOUNDS);
  #running = false;
  #last = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  readonly families: readonly Family[] = [
    {
      name: 'loop_delay_seconds',
      type: 'histogram',
      unit: 'seconds',
      help: 'How long a message waited for the event loop, looked at ten times a second.',
      read: () => {
        this.#start();
        return [{ value: this.#delays }];
      },
    },
    {
      name: 'loop_active_seconds',
      type: 'counter',
      unit: 'seconds',
      help: 'Time for which the event loop was busy.',
      read: () => [{ value: performance.eventLoopUtilization().active / 1_000 }],
    },
  ];

  #start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#last = this.#clock.monotonic();
    this.#clock.interval(() => {
      const now = this.#clock.monotonic();
      this.#delays.observe(Math.max(0, now - this.#last - PERIOD_MS) / 1_000);
      this.#last = now;
    }, PERIOD_MS);
  }
}
