import {
  byTable,
  codeOf,
  type Entry,
  isUniqueViolation,
  type Settle,
  type Sink,
} from '@svc/plugin-sdk/driver';
import type { AppenderOptions, QueryBuilder } from '@svc/plugin-sdk/sql';
import { from as copyFrom } from 'pg-copy-streams';
import type { PgPool } from './connection.ts';
import { BinaryRows } from './copy-binary.ts';
import { copyText } from './copy-text.ts';
import { connectionOf, type PgConnection, spoil } from './quirks.ts';
import { RowIds } from './row-id.ts';

const COPY_TIMEOUT_MS = 30_000;
/** Data exception, constraint violation, error raised by a trigger: the row is at fault. */
const rowFault = /^(?:22|23|P0)/;
/** Codes of faults for which every row will fail, for a long time: no such table or column, no right to write, a full disk. */
const tableFault = /^(?:42|53100)/;
/** Codes of faults of the form: no binary format here, or a column has another type than it had. */
const formFault = /^(?:08P01|0A|22P0[34])/;

/** Batches over COPY. A batch with a bad row is halved until that row stands alone. */
export class CopySink implements Sink {
  readonly parallel = 2;
  readonly #pool: PgPool;
  readonly #ids: Pick<RowIds, 'next'>;
  readonly #targets = new WeakMap<AppenderOptions, Target>();

  constructor(pool: PgPool, ids: Pick<RowIds, 'next'> = new RowIds()) {
    this.#pool = pool;
    this.#ids = ids;
  }

  store(entries: readonly Entry[], settle: Settle): Promise<void> {
    const tables = byTable(entries).map(([options, rows]) => {
      if (options.id !== undefined) for (const entry of rows) entry.id ??= this.#ids.next();
      return { target: this.#targetOf(options), rows };
    });
    return this.#pool.use(async (connection) => {
      if (await this.#storeTogether(connection, tables)) return settleAll(entries, settle);
      for (const { target, rows } of tables)
        await this.#store({ connection, target, settle }, rows);
    });
  }

  #targetOf(options: AppenderOptions): Target {
    const existing = this.#targets.get(options);
    if (existing) return existing;
    const { table, id } = options;
    const columns = id === undefined ? options.columns : [id, ...options.columns];
    const target: Target = { table, columns, hasId: id !== undefined, binary: undefined };
    this.#targets.set(options, target);
    return target;
  }

  /**
   * Stores rows in one transaction, which a single COPY is of its own.
   * @returns false: nothing is stored, because these rows have to go as texts, with which the database says which is bad
   */
  async #storeTogether(connection: PgConnection, tables: readonly TableRows[]): Promise<boolean> {
    const copies: { readonly target: Target; readonly bytes: Buffer }[] = [];
    for (const { target, rows } of tables) {
      if (target.binary === undefined) target.binary = await readForm(connection, target);
      const bytes = target.binary?.write(rows);
      if (!bytes) return false;
      copies.push({ target, bytes });
    }
    const isAlone = copies.length === 1;
    try {
      if (!isAlone) await this.#watched(connection.query('begin'));
      for (const { target, bytes } of copies) await this.#copyBinary(connection, target, bytes);
      if (!isAlone) await this.#watched(connection.query('commit'));
      return true;
    } catch (error) {
      if (!isFault(error)) throw error;
      if (!isAlone) await this.#watched(connection.query('rollback'));
      return false;
    }
  }

  async #copyBinary(connection: PgConnection, target: Target, bytes: Buffer): Promise<void> {
    try {
      await this.#watched(copy(connection, `${copySql(target)} (format binary)`, bytes));
    } catch (error) {
      if (formFault.test(codeOf(error))) target.binary = null;
      throw error;
    }
  }

  #watched<T>(work: Promise<T>): Promise<T> {
    return this.#pool.alarm.watch(work);
  }

  async #store(way: Way, entries: readonly Entry[]): Promise<void> {
    const { connection, target, settle } = way;
    try {
      await this.#watched(copy(connection, copySql(target), copyText(entries)));
    } catch (error) {
      const code = codeOf(error);
      if (tableFault.test(code)) return settleAll(entries, settle, error);
      if (!rowFault.test(code)) throw error;
      const [only] = entries;
      if (entries.length === 1 && only) return this.#single(way, only, error);
      const half = entries.length >> 1;
      await this.#store(way, entries.slice(0, half));
      return this.#store(way, entries.slice(half));
    }
    settleAll(entries, settle);
  }

  /**
   * A batch whose connection broke during the commit may be stored already: its row then finds its own id taken. Any
   * other row whose id is taken gets another one.
   */
  async #single({ connection, target, settle }: Way, entry: Entry, error: unknown): Promise<void> {
    const taken = isUniqueViolation(error);
    if (taken && entry.doubtful) return settle(entry);
    if (!taken || !target.hasId) return settle(entry, error);
    entry.id = this.#ids.next();
    try {
      await copy(connection, copySql(target), copyText([entry]));
    } catch (second) {
      if (!rowFault.test(codeOf(second))) throw second;
      return settle(entry, second);
    }
    settle(entry);
  }
}

/** Tells whether rows, a table or their form are at fault: by texts, and one table after the other, more is known. */
function isFault(error: unknown): boolean {
  const code = codeOf(error);
  return formFault.test(code) || rowFault.test(code) || tableFault.test(code);
}

function settleAll(entries: readonly Entry[], settle: Settle, error?: unknown): void {
  for (const entry of entries) settle(entry, error);
}

interface Columns {
  readonly table: string;
  readonly columns: readonly string[];
}

/** Destination of the rows of an appender. */
interface Target extends Columns {
  readonly hasId: boolean;
  /** Encoding of rows as bytes. Unknown before the first batch; null: they go as texts. */
  binary: BinaryRows | null | undefined;
}

interface TableRows {
  readonly target: Target;
  readonly rows: readonly Entry[];
}

interface Way {
  readonly connection: PgConnection;
  readonly target: Target;
  readonly settle: Settle;
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

function copySql({ table, columns }: Columns): string {
  return `copy ${quoted(table)} (${columns.map(quoted).join(', ')}) from stdin`;
}

/** Returns the encoding of the table's rows as bytes; null: only as texts. */
async function readForm(
  connection: PgConnection,
  { table, columns }: Columns,
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
  target: Columns,
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
