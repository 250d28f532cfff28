import Sqlite from 'better-sqlite3';

/** Some megabytes: between them the server's statements have the disk. */
const PAGES_A_STEP = 2_000;

/**
 * Copies a SQLite file that may be in use, as it is at one moment. The copy is one file, without a log next to it.
 * `report` gets the share that is done, 0 to 1.
 */
export async function copySqlite(
  from: string,
  to: string,
  report: (share: number) => void,
): Promise<void> {
  const source = new Sqlite(from, { fileMustExist: true, timeout: 30_000 });
  try {
    // The copy is of the moment of this read: without it, every write of another program would begin the copy anew.
    source.exec('begin');
    source.prepare('select count(*) from sqlite_schema').get();
    await source.backup(to, {
      progress({ totalPages, remainingPages }) {
        if (totalPages > 0) report(1 - remainingPages / totalPages);
        return PAGES_A_STEP;
      },
    });
    source.exec('commit');
  } finally {
    source.close();
  }
}

/** Tables of rows, without those of SQLite itself. */
export function tablesOf(db: Sqlite.Database): string[] {
  const sql = `select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name`;
  return db.prepare(sql).pluck().all() as string[];
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Rows of each table of the file. */
export function countRows(file: string): Record<string, number> {
  const db = new Sqlite(file, { readonly: true });
  try {
    const count = (table: string) =>
      db
        .prepare(`select count(*) from ${quoted(table)}`)
        .pluck()
        .get() as number;
    return Object.fromEntries(
      tablesOf(db)
        .filter((table) => table !== SEQUENCES)
        .map((table) => [table, count(table)]),
    );
  } finally {
    db.close();
  }
}

/** Values of one column; none where there is no such table. */
export function valuesOf(file: string, table: string, column: string): string[] {
  const db = new Sqlite(file, { readonly: true });
  try {
    if (!tablesOf(db).includes(table)) return [];
    const sql = `select ${quoted(column)} from ${quoted(table)} order by 1`;
    return db.prepare(sql).pluck().all() as string[];
  } finally {
    db.close();
  }
}

/** Table of a file made from Postgres: the last id that each table gave out. SQLite keeps its own in `sqlite_sequence`. */
export const SEQUENCES = 'backup_sequence';
