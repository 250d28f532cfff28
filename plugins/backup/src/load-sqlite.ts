import { type MigrationDatabase, type QueryBuilder, rowsOf, type SqlValue } from '@svc/plugin-sdk';
import type { Loader, TargetColumn } from './load.ts';
import { quoted } from './snapshot-sqlite.ts';

/** Rows of one statement: the writer ends a statement after ten minutes. */
const ROWS_A_STEP = 100_000;

/** Copies inside SQLite; the archive is attached as `archive` (it cannot be attached in a transaction). */
export function sqliteLoader({ query }: MigrationDatabase): Loader {
  const read: Read = (text, params = []) => rowsOf(query, { text, params });
  let triggers: { name: string; sql: string }[] = [];
  return {
    async tables() {
      const sql = `select m.name as "table", p.name, p.type from sqlite_schema m join pragma_table_info(m.name) p
        where m.type = 'table' and m.name not like 'sqlite\\_%' escape '\\'`;
      const rows = await read<TargetColumn & { table: string }>(sql);
      return Map.groupBy(rows, ({ table }) => table);
    },
    async rest() {
      await query.raw('pragma defer_foreign_keys = on');
      triggers = await read(`select name, sql from sqlite_schema where type = 'trigger'`);
      for (const { name } of triggers) await query.raw(`drop trigger ${quoted(name)}`);
    },
    async wake() {
      for (const { sql } of triggers) await query.raw(sql);
    },
    async copy(table, columns, tell) {
      const name = quoted(table);
      const list = columns.map((column) => quoted(column.name)).join(', ');
      const insert = `insert into main.${name} (${list}) select ${list} from archive.${name}`;
      await query.raw(`delete from main.${name}`);
      const sql = `select wr from pragma_table_list where schema = 'archive' and name = ?`;
      const [kind] = await read<{ wr: number }>(sql, [table]);
      if (kind?.wr) await query.raw(insert);
      else await copyInSteps(read, { name, insert, tell });
      const [counted] = await read<{ rows: number }>(`select count(*) as rows from main.${name}`);
      return counted?.rows ?? 0;
    },
    countFrom: (table, last) => countFrom(query, table, last),
  };
}

type Read = <Row extends object>(text: string, params?: readonly SqlValue[]) => Promise<Row[]>;

interface Copy {
  readonly name: string;
  readonly insert: string;
  readonly tell: (rows: number) => void;
}

interface Step {
  readonly last: number | bigint | null;
  readonly rows: number;
}

/** By the order of rowids. */
async function copyInSteps(read: Read, { name, insert, tell }: Copy): Promise<void> {
  const after = 'where rowid > ? order by rowid limit';
  let last: number | bigint = -(2n ** 63n);
  for (let done = 0; ; ) {
    const rows = `select rowid from archive.${name} ${after} ${ROWS_A_STEP}`;
    const [step]: Step[] = await read(
      `select max(rowid) as last, count(*) as rows from (${rows})`,
      [last],
    );
    if (!step || step.last === null) return;
    await read(`${insert} ${after} ${ROWS_A_STEP}`, [last]);
    last = step.last;
    done += step.rows;
    tell(done);
  }
}

async function countFrom(query: QueryBuilder, table: string, last: number | bigint): Promise<void> {
  if (!(await query.schema.hasTable('sqlite_sequence'))) return;
  await query.raw('delete from sqlite_sequence where name = ? and seq < ?', [table, last]);
  await query.raw(
    `insert into sqlite_sequence (name, seq)
      select ?, ? where not exists (select 1 from sqlite_sequence where name = ?)`,
    [table, last, table],
  );
}
