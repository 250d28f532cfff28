import type { Dialect, Knex, Migration } from '@svc/plugin-sdk';
import { DYNAMIC, type Kind, STATIC, SUMMARY } from '../kinds.ts';

/** The three report tables (monitoring-data.md §7, with `uuid_id` of 32 bits). */
export const create: Migration = {
  name: '0001-create',
  async up(trx, { dialect }) {
    await createStatic(trx, dialect);
    await createDynamic(trx, dialect);
    await createSummary(trx, dialect);
    if (dialect === 'postgres') await compressJson(trx);
  },
};

async function createStatic(trx: Knex.Transaction, dialect: Dialect): Promise<void> {
  await trx.schema.createTable(STATIC.table, (table) => {
    table.bigIncrements('id');
    addHead(table);
    addJson(table, STATIC, dialect);
    table.specificType('data_hash', dialect === 'sqlite' ? 'blob' : 'bytea').notNullable();
    table.index(['uuid_id', 'timestamp'], 'idx-static-uuid-timestamp');
    table.unique(['uuid_id', 'data_hash'], { indexName: 'idx-static-uuid-data-hash' });
    table.index(['storage_time'], 'idx-static_monitoring-storage_time');
    table.index(['timestamp'], 'idx-static_monitoring-timestamp');
  });
}

async function createDynamic(trx: Knex.Transaction, dialect: Dialect): Promise<void> {
  await trx.schema.createTable(DYNAMIC.table, (table) => {
    addKeys(table, dialect, 'idx-dynamic-uuid-timestamp');
    addJson(table, DYNAMIC, dialect);
    table.index(['storage_time'], 'idx-dynamic_monitoring-storage_time');
    table.index(['timestamp'], 'idx-dynamic_monitoring-timestamp');
  });
}

async function createSummary(trx: Knex.Transaction, dialect: Dialect): Promise<void> {
  await trx.schema.createTable(SUMMARY.table, (table) => {
    addKeys(table, dialect, 'idx_dynamic_monitoring_summary_uuid_timestamp');
    for (const { column } of SUMMARY.fields) {
      if (int16.has(column)) table.specificType(column, 'smallint');
      else if (int32.has(column)) table.integer(column);
      else table.bigInteger(column);
    }
    table.index(['storage_time'], 'idx-dynamic_monitoring_summary-storage_time');
    table.index(['timestamp'], 'idx-dynamic_monitoring_summary-timestamp');
  });
}

const int16 = new Set(['cpu_usage', 'gpu_usage', 'load_one', 'load_five', 'load_fifteen']);
const int32 = new Set(['uptime', 'process_count', 'tcp_connections', 'udp_connections']);

/** SQLite appends by rowid; on Postgres the key is led by the agent, so that the table can be distributed later. */
function addKeys(table: Knex.CreateTableBuilder, dialect: Dialect, index: string): void {
  if (dialect === 'sqlite') table.specificType('id', 'integer primary key');
  else table.bigInteger('id').notNullable();
  addHead(table);
  if (dialect === 'sqlite') table.index(['uuid_id', 'timestamp'], index);
  else table.primary(['uuid_id', 'timestamp', 'id']);
}

function addHead(table: Knex.CreateTableBuilder): void {
  table.integer('uuid_id').notNullable();
  table.bigInteger('timestamp').notNullable();
  table.bigInteger('storage_time');
}

function addJson(table: Knex.CreateTableBuilder, kind: Kind, dialect: Dialect): void {
  for (const { column } of kind.fields) {
    table.specificType(column, dialect === 'sqlite' ? 'text' : 'jsonb').notNullable();
  }
}

/** lz4 is an option of the Postgres build. */
async function compressJson(trx: Knex.Transaction): Promise<void> {
  const found = await trx('pg_settings')
    .where({ name: 'default_toast_compression' })
    .whereRaw(`'lz4' = any(enumvals)`)
    .first('name');
  if (!found) return;
  for (const kind of [STATIC, DYNAMIC]) {
    const columns = kind.fields.map(({ column }) => `alter column ${column} set compression lz4`);
    await trx.raw(`alter table ${kind.table} ${columns.join(', ')}`);
  }
}
