/** Counts processes over all databases. Who finds none free is called when one is. */
export class Slots {
  readonly #limit: number;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Takes one if one is free; otherwise `retry` is called once when that changes, however often it asks until then,
   * and `evict` when it has not waited before.
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

  /** True while somebody found none. */
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
