import type { Migration, MigrationDatabase, TableBuilder } from '@svc/plugin-sdk/sql';
import { DYNAMIC, type Kind, STATIC, SUMMARY } from '../kinds.ts';

/** The three report tables (monitoring-data.md §7, with `uuid_id` of 32 bits). */
export const create: Migration = {
  name: '0001-create',
  async up(db) {
    await createStatic(db);
    await createDynamic(db);
    await createSummary(db);
    for (const { table, fields } of [STATIC, DYNAMIC]) {
      const columns = fields.map(({ column }) => column);
      await db.compress(table, columns);
    }
  },
};

async function createStatic({ query, types }: MigrationDatabase): Promise<void> {
  await query.schema.createTable(STATIC.table, (table) => {
    table.bigIncrements('id');
    addHead(table);
    addJson(table, STATIC, types.document);
    table.specificType('data_hash', types.bytes).notNullable();
    table.index(['uuid_id', 'timestamp'], 'idx-static-uuid-timestamp');
    table.unique(['uuid_id', 'data_hash'], { indexName: 'idx-static-uuid-data-hash' });
    table.index(['storage_time'], 'idx-static_monitoring-storage_time');
    table.index(['timestamp'], 'idx-static_monitoring-timestamp');
  });
}

async function createDynamic(db: MigrationDatabase): Promise<void> {
  await db.query.schema.createTable(DYNAMIC.table, (table) => {
    addKeys(table, db, 'idx-dynamic-uuid-timestamp');
    addJson(table, DYNAMIC, db.types.document);
    table.index(['storage_time'], 'idx-dynamic_monitoring-storage_time');
    table.index(['timestamp'], 'idx-dynamic_monitoring-timestamp');
  });
}

async function createSummary(db: MigrationDatabase): Promise<void> {
  await db.query.schema.createTable(SUMMARY.table, (table) => {
    addKeys(table, db, 'idx_dynamic_monitoring_summary_uuid_timestamp');
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

function addKeys(table: TableBuilder, db: MigrationDatabase, index: string): void {
  db.addAppendKeys(table, { id: 'id', columns: ['uuid_id', 'timestamp'], index });
  addHead(table);
}

function addHead(table: TableBuilder): void {
  table.integer('uuid_id').notNullable();
  table.bigInteger('timestamp').notNullable();
  table.bigInteger('storage_time');
}

function addJson(table: TableBuilder, kind: Kind, type: string): void {
  for (const { column } of kind.fields) table.specificType(column, type).notNullable();
}
