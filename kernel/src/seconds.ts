const SECOND_MS = 1_000;

interface Task {
  readonly period_ms: number;
  readonly run: () => void;
  due: number;
}

/** Tasks that are due every so many whole seconds, on one timer: a wake-up does all of it, and without a task there is none. */
export class Seconds {
  readonly #tasks = new Set<Task>();
  #timer: NodeJS.Timeout | undefined;
  /** Time at which the timer fires, ms of `performance.now()`. */
  #at = Number.POSITIVE_INFINITY;

  /** Tells whether a period is one of whole seconds. */
  static fit(period_ms: number): boolean {
    return period_ms >= SECOND_MS && period_ms % SECOND_MS === 0;
  }

  /** @returns ends it */
  add(run: () => void, period_ms: number): () => void {
    const task = { run, period_ms, due: onWhole(performance.now() + period_ms) };
    this.#tasks.add(task);
    this.#arm();
    return () => {
      this.#tasks.delete(task);
      if (this.#tasks.size === 0) this.#arm();
    };
  }

  #arm(): void {
    let next = Number.POSITIVE_INFINITY;
    for (const { due } of this.#tasks) next = Math.min(next, due);
    if (next === this.#at) return;
    clearTimeout(this.#timer);
    this.#at = next;
    if (next === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => this.#run(), next - performance.now());
  }

  #run(): void {
    this.#at = Number.POSITIVE_INFINITY;
    const now = performance.now();
    try {
      for (const task of this.#tasks) {
        // A timer may come a fraction of a millisecond early.
        if (task.due > now + 1) continue;
        // A second that was missed is not caught up with.
        task.due = Math.max(task.due + task.period_ms, onWhole(now + 1));
        task.run();
      }
    } finally {
      this.#arm();
    }
  }
}

const onWhole = (ms: number): number => Math.ceil(ms / SECOND_MS) * SECOND_MS;
