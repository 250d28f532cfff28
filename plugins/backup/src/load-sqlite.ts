import {
  type MigrationDatabase,
  type QueryBuilder,
  rowsOf,
  type SqlValue,
} from '@svc/plugin-sdk/sql';
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
    async copy(table, columns, report) {
      const name = quoted(table);
      const list = columns.map((column) => quoted(column.name)).join(', ');
      const insert = `insert or ignore into main.${name} (${list}) select ${list} from archive.${name}`;
      await query.raw(`delete from main.${name}`);
      const sql = `select wr from pragma_table_list where schema = 'archive' and name = ?`;
      const [kind] = await read<{ wr: number }>(sql, [table]);
      if (kind?.wr) await query.raw(insert);
      else await copyInSteps(read, { name, insert, report });
      const count = async (schema: string) =>
        (await read<{ rows: number }>(`select count(*) as rows from ${schema}.${name}`))[0]?.rows;
      if ((await count('main')) !== (await count('archive')))
        await copyTaken(
          read,
          table,
          columns.map((column) => column.name),
        );
      return (await count('main')) ?? 0;
    },
    countFrom: (table, last) => countFrom(query, table, last),
  };
}

type Read = <Row extends object>(text: string, params?: readonly SqlValue[]) => Promise<Row[]>;

interface Copy {
  readonly name: string;
  readonly insert: string;
  readonly report: (rows: number) => void;
}

interface Step {
  readonly last: number | bigint | null;
  readonly rows: number;
}

/** Copies rows in the order of rowids. */
async function copyInSteps(read: Read, { name, insert, report }: Copy): Promise<void> {
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
    report(done);
  }
}

/**
 * Gives the second of two rows with one id another one. On Postgres several servers may have stored such rows, because the
 * id is only the last part of their key.
 */
async function copyTaken(read: Read, table: string, columns: readonly string[]): Promise<void> {
  const keys = await read<{ name: string }>(
    "select name from pragma_table_info(?, 'main') where pk > 0",
    [table],
  );
  const [key] = keys;
  if (!key || keys.length > 1) return;
  const [name, id] = [quoted(table), quoted(key.name)];
  const others = columns.filter((column) => column !== key.name).map(quoted);
  const differs = others.map((column) => `kept.${column} is not a.${column}`).join(' or ');
  await read(
    `insert or ignore into main.${name} (${others.join(', ')}) select ${others.join(', ')} from archive.${name} a
      where exists (select 1 from main.${name} kept where kept.${id} = a.${id} and (${differs}))`,
  );
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
