import type { Executed, SqliteFile, SqlValue } from '@svc/plugin-sdk';
import { type ScriptResult, toExecuted } from '../executed.ts';
import { fromPlain } from './answer.ts';
import type { FileAnswer, FileRequest } from './file-thread.ts';
import { ScriptProcess } from './script-process.ts';
import { type ScriptStatement, splitScript } from './split.ts';

const START_TIMEOUT_MS = 30_000;
const CLOSE_TIMEOUT_MS = 10_000;

/** See `SqliteFile` of the SDK. */
export class FileProcess implements SqliteFile {
  readonly #process: ScriptProcess;
  #open = false;

  constructor(file: string) {
    this.#process = new ScriptProcess({ file, role: 'file', synchronous: 'NORMAL', create: true });
  }

  get usable(): boolean {
    return this.#process.usable;
  }

  /** Calls `listener` when the process has ended, for whatever reason. */
  onEnd(listener: () => void): void {
    void this.#process.ended.then(listener);
  }

  async execute(
    sql: string,
    params: readonly SqlValue[],
    { maxRows, timeout_ms, signal }: { maxRows: number; timeout_ms: number; signal?: AbortSignal },
  ): Promise<Executed & { inTransaction: boolean }> {
    signal?.throwIfAborted();
    const statements = shareValues(splitScript(sql));
    for (const statement of statements) refuseForeignFiles(statement.sql);
    await this.#start(signal);
    const request = { kind: 'run', statements, params, maxRows, typed: true } as const;
    const late = () => new Error(`the statement was ended after ${timeout_ms} ms`);
    const result = await this.#ask(request, { timeout_ms, late, ...(signal && { signal }) });
    const { inTransaction, ...script } = result as ScriptResult & { inTransaction: boolean };
    return { ...toExecuted(script), inTransaction };
  }

  /** Starting the process and opening the file is not the statement's time. */
  async #start(signal: AbortSignal | undefined): Promise<void> {
    if (this.#open) return;
    const late = () => new Error(`the file was not opened within ${START_TIMEOUT_MS} ms`);
    const options = { timeout_ms: START_TIMEOUT_MS, late, ...(signal && { signal }) };
    await this.#ask({ kind: 'open' }, options);
    this.#open = true;
  }

  async close(): Promise<void> {
    const late = () => new Error(`the file was not closed within ${CLOSE_TIMEOUT_MS} ms`);
    try {
      if (this.usable) await this.#ask({ kind: 'close' }, { timeout_ms: CLOSE_TIMEOUT_MS, late });
    } finally {
      await this.#process.end();
    }
  }

  async #ask(
    request: FileRequest,
    options: Parameters<ScriptProcess['ask']>[1],
  ): Promise<FileAnswer> {
    try {
      const answer = await this.#process.ask(request, options);
      if ('error' in answer) throw fromPlain(answer.error);
      return answer.result as FileAnswer;
    } finally {
      // Ended by force: the process may still be busy with the statement.
      if (!this.usable) await this.#process.end();
    }
  }
}

/** Nothing but the file itself may be reached: the driver has no authorizer, and these words only begin a statement. */
function refuseForeignFiles(sql: string): void {
  const word = leading.exec(sql)?.[1]?.toLowerCase();
  const foreign = word === 'attach' || word === 'detach';
  if (foreign || (word === 'vacuum' && /into/i.test(sql))) throw new Error('not authorized');
}

const leading = /^(?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?(?:\*\/|$)|;)*([a-z]+)/i;

/**
 * Places of the values for a text whose statements share one list: what has no name takes the next value of the
 * whole text, a number is a place from 1.
 */
function shareValues(statements: readonly ScriptStatement[]): ScriptStatement[] {
  let next = 0;
  return statements.map(({ sql, places }) => {
    const named: Record<string, number> = {};
    const numbers = new Set<string>();
    let highest = 0;
    for (const place of places) {
      const name = place.slice(1);
      if (place === '?') {
        highest++;
        continue;
      }
      if (!/^[?$]0*[1-9]\d*$/.test(place)) throw new Error(`unsupported placeholder ${place}`);
      named[name] = Number(name) - 1;
      if (place.startsWith('?')) highest = Math.max(highest, Number(name));
      else if (!numbers.has(place)) highest++;
      numbers.add(place.startsWith('?') ? `?${Number(name)}` : place);
    }
    // The engine numbers its variables; those that got no name, a gap before `?5` too, take values in order.
    const count = Math.max(0, highest - numbers.size);
    const anonymous = Array.from({ length: count }, (_, index) => next + index);
    next += count;
    return { sql, places, named, anonymous, count: 0 };
  });
}
