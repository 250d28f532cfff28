import { type Executed, RpcError, type SqlValue } from '@svc/plugin-sdk';

/** SQL of one call. */
export interface Script {
  readonly sql: string;
  readonly params: readonly SqlValue[];
  /** Who calls: a transaction that is left open belongs to this caller. */
  readonly owner: string;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** `alone`: nothing else runs, and every connection is closed. */
export type Kind = 'read' | 'write' | 'alone';

/** Work that waits for its turn on one database, no longer than its deadline. */
export class Job<T = unknown> {
  readonly kind: Kind;
  readonly script: Script | undefined;
  readonly done: Promise<T>;
  #settle: { resolve(value: T): void; reject(error: unknown): void } | undefined;
  #leave: (() => void) | undefined;

  constructor(kind: Kind, script?: Script) {
    this.kind = kind;
    this.script = script;
    this.done = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  /** Waits; `leave` is called when it gives up. */
  wait(limit_ms: number, leave: () => void): void {
    const signal = this.script?.signal;
    const give = (error: unknown) => {
      this.begin();
      leave();
      this.reject(error);
    };
    const late = () =>
      give(RpcError.other(`no connection to the database was free within ${limit_ms} ms`));
    const abort = () => give(signal?.reason);
    const timer = setTimeout(late, limit_ms);
    signal?.addEventListener('abort', abort, { once: true });
    this.#leave = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
  }

  /** The wait is over. */
  begin(): void {
    this.#leave?.();
    this.#leave = undefined;
  }

  resolve(value: T): void {
    this.#settle?.resolve(value);
  }
  reject(error: unknown): void {
    this.#settle?.reject(error);
  }
}

export type Result = Executed & { readonly inTransaction: boolean };

/** A text that surely only reads, and what it reads does not depend on what was done in the same connection. */
export const isRead = (sql: string): boolean => reading.has(firstWord(sql)) && !dependent.test(sql);

/** A text after which its connection may answer otherwise than a new one. */
export const leavesTraces = (sql: string): boolean => /\b(?:temp|temporary|pragma)\b/i.test(sql);

const reading = new Set(['select', 'values', 'with', 'explain']);
const blanks = /\s*/y;
const word = /[a-z]*/iy;

/** What stands behind blanks and comments. Not one pattern: nested repetition would take time beyond all bounds. */
function firstWord(sql: string): string {
  let at = 0;
  for (;;) {
    blanks.lastIndex = at;
    blanks.test(sql);
    at = blanks.lastIndex;
    const end = sql.startsWith('--', at) ? '\n' : sql.startsWith('/*', at) ? '*/' : undefined;
    if (end === undefined) break;
    const found = sql.indexOf(end, at + 2);
    if (found < 0) return '';
    at = found + end.length;
  }
  word.lastIndex = at;
  return word.exec(sql)?.[0].toLowerCase() ?? '';
}

const dependent =
  /\b(?:insert|update|delete|replace|create|drop|alter|reindex|analyze|vacuum|pragma|begin|commit|end|rollback|savepoint|release|temp|temporary|sqlite_temp_\w+|last_insert_rowid|changes|total_changes)\b/i;
