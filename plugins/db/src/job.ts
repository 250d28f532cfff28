import { RpcError } from '@svc/plugin-sdk';
import type { CallerValue, Executed } from '@svc/plugin-sdk/sql';
import { isRead } from './sql-text.ts';

/** SQL of one call. */
export interface Script {
  readonly sql: string;
  readonly params: readonly CallerValue[];
  /** The caller: a transaction that is left open belongs to this caller. */
  readonly owner: string;
  /** Aborts when no caller waits for the answer any more. */
  readonly signal: AbortSignal;
}

export type Result = Executed & { readonly inTransaction: boolean };

/** A text that waits for a connection, or, without a text, work that must be alone with the closed database. */
export class Job {
  readonly kind: 'read' | 'write' | 'exclusive';
  readonly script: Script | undefined;
  /** The token that it counts for. */
  readonly share: string;
  /** The text's result; undefined: the work may begin. */
  readonly done: Promise<Result | undefined>;
  readonly #resolve: (result: Promise<Result> | undefined) => void;
  readonly #reject: (error: unknown) => void;
  #cancelWait: (() => void) | undefined;

  constructor(script?: Script) {
    this.kind = !script ? 'exclusive' : isRead(script.sql) ? 'read' : 'write';
    this.script = script;
    this.share = script?.owner ?? '';
    const { promise, resolve, reject } = Promise.withResolvers<Result | undefined>();
    this.done = promise;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Waits, at most this long and no longer than the caller; `gaveUp` is called when that ends the wait. */
  wait(limit_ms: number, gaveUp: () => void): void {
    const signal = this.script?.signal;
    const giveUp = (error: unknown) => {
      this.refuse(error);
      gaveUp();
    };
    const late = () =>
      giveUp(RpcError.other(`no connection to the database was free within ${limit_ms} ms`));
    const abort = () => giveUp(signal?.reason);
    const timer = setTimeout(late, limit_ms);
    signal?.addEventListener('abort', abort, { once: true });
    this.#cancelWait = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
  }

  /** The wait is over: the text runs, or the work begins. */
  begin(result?: Promise<Result>): void {
    this.#cancelWait?.();
    this.#resolve(result);
  }

  refuse(error: unknown): void {
    this.#cancelWait?.();
    this.#reject(error);
  }
}
