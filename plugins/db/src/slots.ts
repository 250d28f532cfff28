import { type ShareRules, Shares } from '@svc/fair-turns';

interface Waiting {
  readonly share: string;
  readonly retry: () => void;
}

/**
 * Places for running statements, by the token that runs them, and the processes of all databases. A handle that found
 * no place, or no process, is called when there may be one.
 */
export class Slots {
  readonly #most: number;
  readonly #spare: number;
  readonly #shares: Shares;
  readonly #waiting = new Map<string, Waiting>();
  readonly #forProcess = new Set<() => void>();
  #processes = 0;

  constructor(most: number, { spare, standing }: { spare: number } & Pick<ShareRules, 'standing'>) {
    this.#most = most;
    this.#spare = spare;
    this.#shares = new Shares({ most: () => most, spare: () => spare, standing });
  }

  /** `id`: of the handle. When there is no place for the share, `retry` is called once when one is given back. */
  hasPlace(
    share: string,
    { id, retry }: { readonly id: number; readonly retry: () => void },
  ): boolean {
    if (this.#shares.hasPlace(share)) return true;
    this.#waiting.set(`${id} ${share}`, { share, retry });
    return false;
  }

  acquire(share: string): void {
    this.#shares.acquire(share);
  }

  release(share: string): void {
    this.#shares.release(share);
    const waiting = this.#shares.order([...this.#waiting.values()]);
    this.#waiting.clear();
    for (const { retry } of waiting) retry();
  }

  order<T extends { readonly share: string }>(waiting: readonly T[]): T[] {
    return this.#shares.order(waiting);
  }

  /**
   * Counts one more process. When they are as many as may be, `evict` is asked to end an idle one, and `retry` is called
   * once when one has ended.
   */
  open(retry: () => void, evict: () => void): boolean {
    const isFull = this.#processes >= this.#most + this.#spare;
    // Above `most` there is a new one for each idle one that ends.
    if (this.#processes >= this.#most && !this.#forProcess.has(retry)) evict();
    if (isFull) this.#forProcess.add(retry);
    else this.#processes++;
    return !isFull;
  }

  /** Tells whether a handle waits for a process. */
  get wanted(): boolean {
    return this.#forProcess.size > 0;
  }

  closed(): void {
    this.#processes--;
    const waiting = [...this.#forProcess];
    this.#forProcess.clear();
    for (const retry of waiting) retry();
  }
}
