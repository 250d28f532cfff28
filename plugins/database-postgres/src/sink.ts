import type { AppenderOptions, QueryBuilder } from '@svc/plugin-sdk';
import {
  codeOf,
  type Entry,
  isUniqueViolation,
  type Settle,
  type Sink,
} from '@svc/plugin-sdk/driver';
import { from as copyFrom } from 'pg-copy-streams';
import type { PgPool } from './connection.ts';
import { copyText } from './copy-text.ts';
import { connectionOf, type PgConnection, spoil } from './quirks.ts';
import { RowIds } from './row-id.ts';

const COPY_TIMEOUT_MS = 30_000;
/** Data exception, constraint violation, error raised by a trigger: the row is at fault. */
const rowFault = /^(?:22|23|P0)/;
/** No such table or column, no right to write, a full disk: every row will fail, for a long time. */
const tableFault = /^(?:42|53100)/;

/** Batches over COPY, which is one transaction of its own. A batch with a bad row is halved until that row stands alone. */
export class CopySink implements Sink {
  readonly parallel = 2;
  readonly #pool: PgPool;
  readonly #sql: string;
  readonly #ids: Pick<RowIds, 'next'> | undefined;

  constructor(pool: PgPool, options: AppenderOptions, ids: Pick<RowIds, 'next'> = new RowIds()) {
    const columns = options.id === undefined ? options.columns : [options.id, ...options.columns];
    this.#pool = pool;
    this.#sql = copySql({ table: options.table, columns });
    this.#ids = options.id === undefined ? undefined : ids;
  }

  store(entries: readonly Entry[], settle: Settle): Promise<void> {
    if (this.#ids) for (const entry of entries) entry.id ??= this.#ids.next();
    return this.#pool.use((connection) => this.#store(connection, entries, settle));
  }

  async #store(connection: PgConnection, entries: readonly Entry[], settle: Settle): Promise<void> {
    try {
      await this.#pool.alarm.watch(copy(connection, this.#sql, copyText(entries)));
    } catch (error) {
      const code = codeOf(error);
      if (tableFault.test(code)) return settleAll(entries, settle, error);
      if (!rowFault.test(code)) throw error;
      const [only] = entries;
      if (entries.length === 1 && only) return this.#single(connection, only, settle, error);
      const half = entries.length >> 1;
      await this.#store(connection, entries.slice(0, half), settle);
      return this.#store(connection, entries.slice(half), settle);
    }
    settleAll(entries, settle);
  }

  /**
   * A batch whose connection broke during the commit may be stored already: its row then finds its own id taken. Any
   * other row whose id is taken gets another one.
   */
  async #single(
    connection: PgConnection,
    entry: Entry,
    settle: Settle,
    error: unknown,
  ): Promise<void> {
    const taken = isUniqueViolation(error);
    if (taken && entry.doubtful) return settle(entry);
    if (!taken || !this.#ids) return settle(entry, error);
    entry.id = this.#ids.next();
    try {
      await copy(connection, this.#sql, copyText([entry]));
    } catch (second) {
      if (!rowFault.test(codeOf(second))) throw second;
      return settle(entry, second);
    }
    settle(entry);
  }
}

function settleAll(entries: readonly Entry[], settle: Settle, error?: unknown): void {
  for (const entry of entries) settle(entry, error);
}

interface Target {
  readonly table: string;
  readonly columns: readonly string[];
}

function copySql({ table, columns }: Target): string {
  const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
  return `copy ${quoted(table)} (${columns.map(quoted).join(', ')}) from stdin`;
}

/** Rows into a table, within a transaction. */
export async function copyRows(
  transaction: QueryBuilder,
  target: Target,
  rows: readonly Entry['row'][],
): Promise<void> {
  const connection = await connectionOf(transaction);
  await copy(connection, copySql(target), copyText(rows.map((row) => ({ id: undefined, row }))));
}

async function copy(connection: PgConnection, sql: string, text: string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      timer = setTimeout(
        () => spoil(connection, new Error(`COPY took longer than ${COPY_TIMEOUT_MS} ms`)),
        COPY_TIMEOUT_MS,
      );
      const stream = connection.query(copyFrom(sql));
      stream.on('error', reject);
      stream.on('finish', resolve);
      stream.end(text);
    });
  } finally {
    clearTimeout(timer);
  }
}
