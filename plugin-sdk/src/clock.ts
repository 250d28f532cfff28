/** Time, and timers that end with the plugin. Tests put a fake one here. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number;
  /** Milliseconds for durations: they only grow, also when the machine's time is set back. */
  monotonic(): number;
  /** @returns cancels it */
  timeout(callback: () => void, delay_ms: number): () => void;
  interval(callback: () => void, period_ms: number): () => void;
}
