import { type Database, type Executed, RpcError } from '@svc/plugin-sdk';
import { bindable } from './cells.ts';

/** Tables of one schema at most; far above any real one. */
const MAX_TABLES = 100_000;
/** The embedded database reads every page of the file for this. */
const STORAGE_TIMEOUT_MS = 60_000;

/** The tables' own b-trees, without indexes; an empty table has one page. */
const sqliteSizes = `
  select t.name as name, coalesce(s.pgsize, 0) as bytes
  from sqlite_schema t left join dbstat('main', 1) s on s.name = t.name
  where t.type = 'table' and t.name <> 'schema_migrations'
  order by t.name`;

/** With indexes and out-of-line storage; a partitioned table counts with its partitions, which are no tables of their own. */
const postgresSizes = `
  select c.relname::text as name, coalesce(case c.relkind
      when 'p' then (select sum(pg_total_relation_size(relid)) from pg_partition_tree(c.oid))
      else pg_total_relation_size(c.oid) end, 0)::bigint as bytes
  from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
    and not c.relispartition and c.relname <> 'schema_migrations'
  order by c.relname collate "C"`;

/**
 * Bytes per table of the main database, sorted by name, read away from the event loop (svc-server.md, database_storage).
 * @throws RpcError 103
 */
export async function tableSizes(
  db: Database,
  signal: AbortSignal,
): Promise<{ tables: Record<string, number>; total: number }> {
  const sql = db.dialect === 'sqlite' ? sqliteSizes : postgresSizes;
  const options = { maxRows: MAX_TABLES, timeout_ms: STORAGE_TIMEOUT_MS, signal };
  const { rows } = await db.execute(sql, [], options).catch((error: unknown) => {
    throw RpcError.database(driverText(error), { cause: error });
  });
  const sizes = rows.map((row) => [String(row['name']), Number(row['bytes'])] as const);
  return {
    tables: Object.fromEntries(sizes),
    total: sizes.reduce((sum, [, bytes]) => sum + bytes, 0),
  };
}

/**
 * SQL of a caller on the main database.
 * @throws RpcError 999 with the driver's text
 */
export async function runSql(
  db: Database,
  sql: string,
  params: readonly unknown[],
  options: { maxRows: number; timeout_ms: number; signal: AbortSignal },
): Promise<Executed> {
  try {
    return await db.execute(
      sql,
      params.map((value) => bindable(value, db.dialect)),
      options,
    );
  } catch (error) {
    // No cause: a caller's mistake in SQL is his to see, not the operator's.
    throw RpcError.other(driverText(error));
  }
}

/** What the driver said, without the class prefix that the database layer may have put before it. */
function driverText(error: unknown): string {
  const said = error instanceof RpcError ? (error.cause ?? error) : error;
  return (said instanceof Error ? said.message : String(said)).replace(/^Database error: /, '');
}
