/** Counts the processes of all databases. A handle that found none free is called when one is given back. */
export class Slots {
  readonly #limit: number;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Takes a process if one is free. Otherwise `retry` is called once when one is given back, however often the handle asks until
   * then, and `evict` is called when the handle was not waiting yet.
   */
  take(retry: () => void, evict: () => void): boolean {
    if (this.#taken < this.#limit) {
      this.#taken++;
      return true;
    }
    if (this.#waiting.has(retry)) return false;
    this.#waiting.add(retry);
    evict();
    return false;
  }

  /** True while a handle waits. */
  get wanted(): boolean {
    return this.#waiting.size > 0;
  }

  give(): void {
    this.#taken--;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const retry of waiting) retry();
  }
}
