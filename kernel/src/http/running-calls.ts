import type { ServerResponse } from 'node:http';
import { within } from '@svc/plugin-sdk/driver';

/** Calls over HTTP that are not answered to their end. */
export class RunningCalls {
  #count = 0;
  readonly #waiting: (() => void)[] = [];

  begin(): void {
    this.#count++;
  }

  /** The call ends when its response has left. A response that is queued behind another one has no socket and reports no end. */
  answered(response: ServerResponse): void {
    if (response.destroyed || !response.socket) this.#end();
    else response.once('close', () => this.#end());
  }

  /** Runs `then` as soon as there is none. */
  whenNone(then: () => void): void {
    if (this.#count === 0) then();
    else this.#waiting.push(then);
  }

  /** Resolves when none is left, at the latest after `limit_ms`. */
  async ended(limit_ms: number): Promise<void> {
    await within(limit_ms, new Promise<void>((resolve) => this.whenNone(resolve)));
  }

  #end(): void {
    if (--this.#count > 0) return;
    for (const then of this.#waiting.splice(0)) then();
  }
}
