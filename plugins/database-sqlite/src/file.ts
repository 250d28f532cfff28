import { type ScriptResult, toExecuted } from '@svc/plugin-sdk/driver';
import type { CallerValue, Executed } from '@svc/plugin-sdk/sql';
import { fromPlain } from './answer.ts';
import type { ExecuteOptions, SqliteFile } from './api.ts';
import type { FileAnswer, FileRequest } from './file-thread.ts';
import { ScriptProcess, sendable } from './script-process.ts';

const START_TIMEOUT_MS = 30_000;
const CLOSE_TIMEOUT_MS = 10_000;

/** See `SqliteFile`. */
export class FileProcess implements SqliteFile {
  readonly #process: ScriptProcess;
  #open = false;

  constructor(file: string, { memory_bytes }: { readonly memory_bytes?: number } = {}) {
    const memory = memory_bytes === undefined ? {} : { memory_bytes };
    const settings = { file, role: 'file', synchronous: 'NORMAL', create: true } as const;
    this.#process = new ScriptProcess({ ...settings, ...memory });
  }

  get usable(): boolean {
    return this.#process.usable;
  }

  get slowed(): boolean {
    return this.#process.slowed;
  }

  /** Calls `listener` when the process has ended, for whatever reason. */
  onEnd(listener: () => void): void {
    void this.#process.ended.then(listener);
  }

  async execute(
    sql: string,
    params: readonly CallerValue[],
    { maxRows, timeout_ms, max_bytes, signal, yields }: ExecuteOptions,
  ): Promise<Executed & { inTransaction: boolean }> {
    signal?.throwIfAborted();
    await this.#start(signal);
    const request = { kind: 'run', sql, params: params.map(sendable), maxRows, max_bytes } as const;
    const late = () => new Error(`the statement was ended after ${timeout_ms} ms`);
    const options = { timeout_ms, late, ...(signal && { signal }), ...(yields && { yields }) };
    const result = await this.#ask(request, options);
    const { inTransaction, ...script } = result as ScriptResult & { inTransaction: boolean };
    return { ...toExecuted(script), inTransaction };
  }

  /** Starting the process and opening the file does not count as the statement's time. */
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
