import { type Clock, RpcError } from '@svc/plugin-sdk';

const MINUTE_MS = 60_000;
/** Tests of one token at a time, and within a minute. */
const MOST_AT_ONCE = 3;
const MOST_A_MINUTE = 30;
/** Tests of all tokens at a time. */
const MOST_OF_ALL = 60;

/** Bounds of the tests of tokens: each holds a connection until its receiver answers. The Super Token has none. */
export class TestLimits {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #running = new Map<string, number>();
  #all = 0;
  /** Tests of the last minute, the oldest first. */
  #begun: { readonly owner: string; readonly at: number }[] = [];

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Runs a test. @throws RpcError 108 when its caller runs or ran too many */
  async run<T>(owner: string | null, test: () => Promise<T>): Promise<T> {
    if (owner === null) return test();
    this.#demand(owner);
    this.#count(owner, 1);
    try {
      return await test();
    } finally {
      this.#count(owner, -1);
    }
  }

  #demand(owner: string): void {
    const now = this.#clock.monotonic();
    if ((this.#running.get(owner) ?? 0) >= MOST_AT_ONCE)
      throw RpcError.invalid(
        `${MOST_AT_ONCE} tests of this token are running: wait until one has ended`,
      );
    if (this.#all >= MOST_OF_ALL)
      throw RpcError.invalid(
        `${MOST_OF_ALL} tests of tokens are running: try again in some seconds`,
      );
    this.#begun = this.#begun.filter(({ at }) => now - at < MINUTE_MS);
    if (this.#begun.filter((one) => one.owner === owner).length >= MOST_A_MINUTE)
      throw RpcError.invalid(
        `this token made ${MOST_A_MINUTE} tests within a minute: wait before the next`,
      );
    this.#begun.push({ owner, at: now });
  }

  #count(owner: string, change: number): void {
    this.#all += change;
    const count = (this.#running.get(owner) ?? 0) + change;
    if (count > 0) this.#running.set(owner, count);
    else this.#running.delete(owner);
  }
}
