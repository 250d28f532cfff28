import { rmSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { writtenBy } from './usage.ts';

const mostRows = 60_000;

/** What bare inserts come to. */
export interface RawInsert {
  /** Rows per second. */
  readonly rate: number;
  /** Processor time of one row, user and system. */
  readonly cpu_us: number;
  /** Bytes of a row that files of a disk took; 0 where the system does not tell. */
  readonly written: number;
}

/**
 * What bare better-sqlite3 costs on this machine: the rows of `table` in the database at `path`, put
 * into a fresh database of the same schema with WAL and `synchronous=NORMAL`.
 */
export function rawInsert(path: string, table: string, rowsOfTransaction = 500): RawInsert {
  const source = new Sqlite(path, { readonly: true });
  const target = new Sqlite(`${path}.raw`);
  try {
    copySchema(source, target, table);
    const rows = source.prepare(`select * from ${table} limit ${mostRows}`).raw().all();
    return insertAll(target, table, rows as unknown[][], rowsOfTransaction);
  } finally {
    source.close();
    target.close();
    for (const end of ['', '-wal', '-shm']) rmSync(`${path}.raw${end}`, { force: true });
  }
}

function copySchema(source: Sqlite.Database, target: Sqlite.Database, table: string): void {
  target.pragma('journal_mode = wal');
  target.pragma('synchronous = normal');
  const statements = source
    .prepare(`select sql from sqlite_master where tbl_name = ? and sql is not null`)
    .pluck()
    .all(table) as string[];
  for (const sql of statements) target.exec(sql);
}

function insertAll(
  target: Sqlite.Database,
  table: string,
  rows: unknown[][],
  rowsOfTransaction: number,
): RawInsert {
  const places = rows[0]?.map(() => '?').join(',') ?? '';
  const insert = target.prepare(`insert into ${table} values (${places})`);
  const batch = target.transaction((from: number) => {
    for (const row of rows.slice(from, from + rowsOfTransaction)) insert.run(row);
  });
  const begun = performance.now();
  const cpu = process.cpuUsage();
  const before = writtenBy(process.pid);
  for (let from = 0; from < rows.length; from += rowsOfTransaction) batch.immediate(from);
  const { user, system } = process.cpuUsage(cpu);
  const rate = (rows.length * 1000) / (performance.now() - begun);
  const written = (writtenBy(process.pid) - before) / rows.length;
  return { rate, cpu_us: (user + system) / rows.length, written };
}
