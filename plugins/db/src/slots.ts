/** Counts processes over all databases. Who finds none free is called when one is. */
export class Slots {
  readonly #limit: number;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Takes one if one is free; otherwise `retry` is called once when that changes. */
  take(retry: () => void): boolean {
    if (this.#taken < this.#limit) {
      this.#taken++;
      return true;
    }
    this.#waiting.add(retry);
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
