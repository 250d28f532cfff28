import { type ShareRules, Turns } from '@svc/fair-turns';
import { type Logger, RpcError } from '@svc/plugin-sdk';
import { RawJson } from '@svc/plugin-sdk/json';
import type { SqlValue } from '@svc/plugin-sdk/sql';
import type { ConnectionSettings } from './connection.ts';
import type { ReadAnswer, ReadRequest } from './reader-thread.ts';
import { Thread, ThreadLost } from './thread.ts';

/** One read, and the wait for its turn. */
const READ_TIMEOUT_MS = 60_000;
const TURN_TIMEOUT_MS = 30_000;
/** The second request is there when the first is done, so the thread does not wait for the event loop. */
const IN_FLIGHT = 2;
const IDLE_MS = 60_000;

/** Long reads in a thread of their own, started by the first and ended when nothing was read for a minute. */
export class Reader {
  readonly #thread: Thread;
  readonly #turns: Turns;
  #idle: NodeJS.Timeout | undefined;

  constructor(settings: ConnectionSettings, log: Logger, standing: ShareRules['standing']) {
    this.#turns = new Turns({ most: () => IN_FLIGHT, standing });
    this.#thread = new Thread({
      entry: './reader-thread.ts',
      data: { ...settings, role: 'reader' } satisfies ConnectionSettings,
      limits: { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 16 },
      log,
    });
  }

  /** @throws RpcError -32008 past `maxBytes`; the signal's reason when it aborts */
  async jsonArray(
    sql: string,
    params: readonly SqlValue[],
    options: { maxBytes: number; signal?: AbortSignal; share?: string },
  ): Promise<RawJson> {
    clearTimeout(this.#idle);
    const late = () =>
      RpcError.database(`too many long reads: no turn within ${TURN_TIMEOUT_MS} ms`);
    try {
      const wait = { timeout_ms: TURN_TIMEOUT_MS, late, signal: options.signal };
      return await this.#turns.run(options.share ?? '', wait, () =>
        this.#read(sql, params, options),
      );
    } finally {
      if (this.#turns.idle) this.#rest();
    }
  }

  close(): Promise<void> {
    clearTimeout(this.#idle);
    return this.#thread.kill(new ThreadLost('the database is closed'));
  }

  async #read(
    sql: string,
    params: readonly SqlValue[],
    options: { maxBytes: number; signal?: AbortSignal },
  ): Promise<RawJson> {
    const { maxBytes, signal } = options;
    signal?.throwIfAborted();
    const stopped = signal && new Int32Array(new SharedArrayBuffer(4));
    const stop = () => stopped && Atomics.store(stopped, 0, 1);
    signal?.addEventListener('abort', stop, { once: true });
    try {
      const request: Omit<ReadRequest, 'id'> = { sql, params, maxBytes, stopped };
      const late = () => new Error(`the read was ended after ${READ_TIMEOUT_MS} ms`);
      const bytes = await this.#thread.request<ReadAnswer>(request, {
        timeout_ms: READ_TIMEOUT_MS,
        late,
      });
      signal?.throwIfAborted();
      if (!bytes) throw RpcError.responseTooBig(maxBytes);
      return new RawJson(bytes);
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  #rest(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(
      () => void this.#thread.kill(new ThreadLost('the reader rests')),
      IDLE_MS,
    );
    this.#idle.unref();
  }
}
