/**
 * A result that waits for a commit only. The caller hears of it afterwards; in an array of calls the next call of a
 * `gathered` method begins at once, so that both share the commit.
 */
export class Committing<T> {
  readonly committed: Promise<T>;
  readonly #queue: { hurry(): void };

  /** @param queue has the commit begin without waiting for more rows */
  constructor(committed: Promise<T>, queue: { hurry(): void }) {
    this.committed = committed;
    this.#queue = queue;
  }

  hurry(): void {
    this.#queue.hurry();
  }

  /** The same commit, with what `next` makes of its end. */
  map<R>(next: (value: T) => R, failed: (error: unknown) => R): Committing<R> {
    return new Committing(this.committed.then(next, failed), this.#queue);
  }
}
