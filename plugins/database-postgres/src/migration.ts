import {
  type ColumnTypes,
  type MigrationDatabase,
  type QueryBuilder,
  rowsOf,
} from '@svc/plugin-sdk/sql';
import { partitionTable } from './partition-table.ts';

/** Any constant serves that no other program takes; it ends with the transaction that takes it. */
const MIGRATION_LOCK = 7_305_019_771;

/** Waits until no server migrates; none begins a step before the transaction ends. */
export async function holdMigrations(trx: QueryBuilder): Promise<void> {
  // A step over a large table takes its time, and so does the wait for one.
  await trx.raw('set local statement_timeout = 0');
  await trx.raw('select pg_advisory_xact_lock(?)', [MIGRATION_LOCK]);
}

const types: ColumnTypes = {
  countedKey: 'bigserial primary key',
  bytes: 'bytea',
  bytewise: 'text collate "C"',
  uuid: 'uuid',
  json: 'json',
  document: 'jsonb',
  checkedDocument: () => 'jsonb not null',
};

/** Database that a migration step acts through on Postgres. */
export const migrationDatabase = (query: QueryBuilder): MigrationDatabase => ({
  query,
  types,
  dialect: 'postgres',
  partitionByTime: (table, options) => partitionTable(query, table, options),
  descending: (column) => `${column} desc nulls last`,
  ascending: (column) => `${column} nulls first`,
  // The columns lead the key, so that the table can be partitioned by time and distributed later.
  addAppendKeys(table, { id, columns }) {
    table.bigInteger(id).notNullable();
    table.primary([...columns, id]);
  },
  compress: (table, columns) => compress(query, table, columns),
  async countFrom(table, column, first) {
    await query.raw('select setval(pg_get_serial_sequence(?, ?), ?, false)', [
      table,
      column,
      first,
    ]);
  },
});

/** lz4 is an option of the Postgres build. */
async function compress(
  query: QueryBuilder,
  table: string,
  columns: readonly string[],
): Promise<void> {
  const text =
    "select 1 from pg_settings where name = 'default_toast_compression' and 'lz4' = any(enumvals)";
  if ((await rowsOf(query, { text, params: [] })).length === 0) return;
  const changes = columns.map(() => 'alter column ?? set compression lz4').join(', ');
  await query.raw(`alter table ?? ${changes}`, [table, ...columns]);
}
