import Sqlite from 'better-sqlite3';
import { ImportFault, type Values } from './types.ts';

const MOST_TEXT = 65_536;
const MOST_ROWS = 20_000;
/** Bytes of all texts of a file together. */
const MOST_BYTES = 33_554_432;

/**
 * Database of another program, a copy that nobody else has open. Only columns that tables store are read: views, virtual
 * tables and computed columns could run whatever their author wrote.
 */
export class SourceFile {
  readonly #db: Sqlite.Database;
  #bytes = 0;

  /** @param file its path, or what it holds @throws ImportFault */
  constructor(file: string | Buffer) {
    this.#db = readable(() => {
      const db = new Sqlite(typeof file === 'string' ? file : withoutLog(file), { timeout: 0 });
      for (const pragma of ['trusted_schema = off', 'cell_size_check = on', 'query_only = on'])
        db.pragma(pragma);
      return db;
    });
  }

  close(): void {
    this.#db.close();
  }

  /** Tells whether there is a table of this name. */
  has(table: string): boolean {
    return readable(() => {
      const found = this.#db
        .prepare(
          'select type, rootpage, substr(sql, 1, 13) as sql from sqlite_schema where name = ?',
        )
        .get(table) as { type: string; rootpage: number; sql: string } | undefined;
      if (found === undefined) return false;
      if (found.type === 'table' && found.rootpage > 0 && /^create table /i.test(found.sql))
        return true;
      throw new ImportFault(`'${table}' in the file is no table that stores rows: it is not read`);
    });
  }

  /** Rows of a table, those columns that it has; none where there is no such table. @throws ImportFault */
  rows(table: string, columns: readonly string[]): Values[] {
    if (!this.has(table)) return [];
    return readable(() => {
      const there = this.#columns(table).filter((name) => columns.includes(name));
      if (there.length === 0) return [];
      const texts = there.map(
        (name) =>
          `case when octet_length("${name}") > ${MOST_TEXT} then x'00' else "${name}" end as "${name}"`,
      );
      const sql = `select ${texts.join(', ')} from main."${table}" not indexed limit ${MOST_ROWS + 1}`;
      const rows: Values[] = [];
      for (const row of this.#db.prepare(sql).iterate())
        rows.push(this.#counted(table, row as Values));
      if (rows.length > MOST_ROWS)
        throw new ImportFault(`'${table}' in the file has more than ${MOST_ROWS} rows`);
      return rows;
    });
  }

  #columns(table: string): string[] {
    const found = this.#db
      .prepare('select name, hidden from pragma_table_xinfo(?) limit 1000')
      .all(table) as { name: string; hidden: number }[];
    return found.filter(({ hidden }) => hidden === 0).map(({ name }) => name);
  }

  #counted(table: string, row: Values): Values {
    for (const value of Object.values(row)) {
      if (Buffer.isBuffer(value))
        throw new ImportFault(
          `'${table}' in the file has bytes, or a text of more than 64 KB, where a text is expected`,
        );
      this.#bytes += typeof value === 'string' ? value.length + 16 : 16;
    }
    if (this.#bytes > MOST_BYTES) throw new ImportFault('the file has more than 32 MB of settings');
    return row;
  }
}

function readable<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof Sqlite.SqliteError)) throw cause;
    throw new ImportFault(`the file is damaged, or no SQLite database (${cause.code})`, { cause });
  }
}

/** Marks a database in memory as one without a write-ahead log, which only files have. */
function withoutLog(bytes: Buffer): Buffer {
  const [written, read] = [18, 19];
  if (bytes.length > read) bytes.fill(1, written, read + 1);
  return bytes;
}
