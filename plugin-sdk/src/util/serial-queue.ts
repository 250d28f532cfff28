/** Queue of work that runs one after another, in the order of the calls. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs the work after all that was added before. A failure goes to its own caller only: the next work starts all the same. */
  run<T>(work: () => T | Promise<T>): Promise<T> {
    const done = this.#last.then(() => work());
    this.#last = done.catch(() => undefined);
    return done;
  }
}

/** Queues by key: work that shares a key runs one after another, in the order of the calls; other work runs side by side. */
export class KeyedQueue {
  /** The last work of each key that has any. */
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs the work after all that was added before under any of these keys. A failure goes to its own caller only. */
  run<T>(keys: string | readonly string[], work: () => T | Promise<T>): Promise<T> {
    const all = typeof keys === 'string' ? [keys] : keys;
    const done = Promise.allSettled(all.map((key) => this.#last.get(key))).then(() => work());
    for (const key of all) this.#last.set(key, done);
    const release = () => {
      for (const key of all) if (this.#last.get(key) === done) this.#last.delete(key);
    };
    done.then(release, release);
    return done;
  }
}
