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
import { BinaryRows } from './copy-binary.ts';
import { copyText } from './copy-text.ts';
import { connectionOf, type PgConnection, spoil } from './quirks.ts';
import { RowIds } from './row-id.ts';

const COPY_TIMEOUT_MS = 30_000;
/** Data exception, constraint violation, error raised by a trigger: the row is at fault. */
const rowFault = /^(?:22|23|P0)/;
/** No such table or column, no right to write, a full disk: every row will fail, for a long time. */
const tableFault = /^(?:42|53100)/;
/** No binary format here, or a column has another type than it had. */
const formFault = /^(?:08P01|0A|22P0[34])/;

/** Batches over COPY, which is one transaction of its own. A batch with a bad row is halved until that row stands alone. */
export class CopySink implements Sink {
  readonly parallel = 2;
  readonly #pool: PgPool;
  readonly #target: Target;
  readonly #sql: string;
  /** Unknown before the first batch; null: rows go as texts. */
  #binary: BinaryRows | null | undefined;
  readonly #ids: Pick<RowIds, 'next'> | undefined;

  constructor(pool: PgPool, options: AppenderOptions, ids: Pick<RowIds, 'next'> = new RowIds()) {
    const columns = options.id === undefined ? options.columns : [options.id, ...options.columns];
    this.#pool = pool;
    this.#target = { table: options.table, columns };
    this.#sql = copySql(this.#target);
    this.#ids = options.id === undefined ? undefined : ids;
  }

  store(entries: readonly Entry[], settle: Settle): Promise<void> {
    if (this.#ids) for (const entry of entries) entry.id ??= this.#ids.next();
    return this.#pool.use(async (connection) => {
      if (await this.#storeBinary(connection, entries)) settleAll(entries, settle);
      else await this.#store(connection, entries, settle);
    });
  }

  /** @returns false: nothing is stored, because these rows have to go as texts, with which the database says which is bad */
  async #storeBinary(connection: PgConnection, entries: readonly Entry[]): Promise<boolean> {
    if (this.#binary === undefined) this.#binary = await readForm(connection, this.#target);
    const bytes = this.#binary?.write(entries);
    if (!bytes) return false;
    try {
      await this.#pool.alarm.watch(copy(connection, `${this.#sql} (format binary)`, bytes));
      return true;
    } catch (error) {
      const code = codeOf(error);
      if (formFault.test(code)) this.#binary = null;
      else if (!rowFault.test(code) && !tableFault.test(code)) throw error;
      return false;
    }
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

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

function copySql({ table, columns }: Target): string {
  return `copy ${quoted(table)} (${columns.map(quoted).join(', ')}) from stdin`;
}

/** How the table's rows are written as bytes; null: only as texts. */
async function readForm(
  connection: PgConnection,
  { table, columns }: Target,
): Promise<BinaryRows | null | undefined> {
  const { rows } = await connection.query<{ attname: string; atttypid: number }>(
    'select attname, atttypid from pg_attribute where attrelid = to_regclass($1) and attnum > 0',
    [quoted(table)],
  );
  if (rows.length === 0) return undefined;
  const types = new Map(rows.map(({ attname, atttypid }) => [attname, atttypid]));
  return BinaryRows.of(columns.map((column) => types.get(column))) ?? null;
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

async function copy(connection: PgConnection, sql: string, rows: string | Buffer): Promise<void> {
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
      stream.end(rows);
    });
  } finally {
    clearTimeout(timer);
  }
}
