import { codeOf } from '@svc/plugin-sdk/driver';
import type { PartitionOptions, QueryBuilder, TimeTable } from '@svc/plugin-sdk/sql';
import { boundSql } from './time-partitions.ts';

/** See `MigrationDatabase.partitionByTime` of the SDK. */
export async function partitionTable(
  query: QueryBuilder,
  table: TimeTable,
  options: PartitionOptions,
): Promise<boolean> {
  try {
    // A savepoint: a refused statement must not spoil the migration.
    await query.transaction((trx) => convert(trx, table, options));
    return true;
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    return false;
  }
}

/** "Feature not supported", or a syntax error of a database that only resembles Postgres. */
const isUnsupported = (error: unknown): boolean =>
  /^(?:0A|42)/.test(codeOf((error as { cause?: unknown }).cause));

async function convert(
  trx: QueryBuilder,
  { table, owner, time, id }: TimeTable,
  { end, far, arrival, indexes }: PartitionOptions,
): Promise<void> {
  const past = `${table}_past`;
  await trx.raw('lock table ?? in access exclusive mode', [table]);
  await trx.raw('drop index ??', [indexes.arrival]);
  await trx.raw('alter table ?? rename to ??', [table, past]);
  await trx.raw('alter index ?? rename to ??', [indexes.time, `${past}_${time}_idx`]);
  await trx.raw('alter index ?? rename to ??', [`${table}_pkey`, `${past}_pkey`]);
  await trx.raw(
    'create table ?? (like ?? including compression including storage) partition by range (??)',
    [table, past, time],
  );
  await trx.raw('alter table ?? add primary key (??, ??, ??)', [table, owner, time, id]);
  await trx.raw('create index ?? on ?? (??)', [indexes.time, table, time]);
  // Rows come in the order of this column: a few bytes for each megabyte say where it lies.
  await trx.raw('create index ?? on ?? using brin (??) with (autosummarize = on)', [
    indexes.arrival,
    table,
    arrival,
  ]);
  await trx.raw('create table ?? partition of ?? default', [`${table}_default`, table]);
  await trx.raw(`create table ?? partition of ?? ${boundSql(far, Infinity)}`, [
    `${table}_far`,
    table,
  ]);
  await trx.raw(
    'with ahead as (delete from ?? where ?? >= ? returning *) insert into ?? select * from ahead',
    [past, time, end, table],
  );
  await trx.raw(`alter table ?? attach partition ?? ${boundSql(-Infinity, end)}`, [table, past]);
}
