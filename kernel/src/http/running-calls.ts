import type { ServerResponse } from 'node:http';
import { within } from '@svc/plugin-sdk/driver';

/** Calls over HTTP that are not answered to their end. */
export class RunningCalls {
  #count = 0;
  readonly #waiting = new Set<() => void>();

  begin(): void {
    this.#count++;
  }

  /** What it wrote may still be on its way. One that is queued behind another never tells of its end. */
  answered(response: ServerResponse): void {
    if (response.destroyed || !response.socket) this.#end();
    else response.once('close', () => this.#end());
  }

  /** Runs `then` as soon as there is none. @returns forgets it */
  whenNone(then: () => void): () => void {
    if (this.#count === 0) then();
    else this.#waiting.add(then);
    return () => this.#waiting.delete(then);
  }

  /** Resolves when none is left, at the latest after `limit_ms`. */
  async ended(limit_ms: number): Promise<void> {
    let forget = () => {};
    const ended = new Promise<void>((resolve) => {
      forget = this.whenNone(resolve);
    });
    await within(limit_ms, ended);
    forget();
  }

  #end(): void {
    if (--this.#count > 0) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const then of waiting) then();
  }
}
