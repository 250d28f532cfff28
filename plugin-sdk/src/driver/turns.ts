/** Lets a few run at a time; the others wait in order of arrival. */
export class Turns {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #inside = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Nothing runs. */
  get idle(): boolean {
    return this.#inside === 0;
  }

  /** Runs `work` when its turn has come. @throws `late()` when that takes longer than `timeout_ms` */
  async run<T>(timeout_ms: number, late: () => Error, work: () => Promise<T>): Promise<T> {
    await this.#enter(timeout_ms, late);
    try {
      return await work();
    } finally {
      this.#inside--;
      this.#waiting.shift()?.();
    }
  }

  #enter(timeout_ms: number, late: () => Error): Promise<void> {
    if (this.#inside < this.#limit) {
      this.#inside++;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer);
        this.#inside++;
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        reject(late());
      }, timeout_ms);
      this.#waiting.push(enter);
    });
  }
}
