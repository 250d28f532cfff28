import type { Knex, Migration } from '@svc/plugin-sdk';
import { DYNAMIC, type Kind, STATIC, SUMMARY } from '../kinds.ts';
import { DAY_MS, FAR_MS, floorTo } from '../partitions.ts';
import { boundSql } from '../store/partitions.ts';

/** Names that 0001 gave. */
const STORAGE_TIME = ({ table }: Kind) => `idx-${table}-storage_time`;
const TIMESTAMP = ({ table }: Kind) => `idx-${table}-timestamp`;

/**
 * Postgres: the dynamic tables become partitioned by `timestamp`, and the agent leads every primary key. What is stored
 * stays where it is, as the partition of the past. A database that speaks Postgres but cannot do this keeps plain tables.
 */
export const partition: Migration = {
  name: '0002-partition',
  async up(trx, { dialect }) {
    if (dialect === 'sqlite') return;
    await trx.raw('alter table ?? drop constraint ??, add primary key (uuid_id, id)', [
      STATIC.table,
      `${STATIC.table}_pkey`,
    ]);
    for (const kind of [DYNAMIC, SUMMARY]) {
      try {
        // A savepoint: a refused statement must not spoil the other steps.
        await trx.transaction((part) => convert(part, kind));
      } catch (error) {
        if (!isUnsupported(error)) throw error;
      }
    }
  },
};

/** "Feature not supported", and what a database says that does not know the words. */
const isUnsupported = (error: unknown): boolean =>
  /^(?:0A|42)/.test(String((error as { cause?: { code?: unknown } }).cause?.code));

async function convert(trx: Knex.Transaction, kind: Kind): Promise<void> {
  const { table } = kind;
  const past = `${table}_past`;
  // Rows of today and tomorrow have their place here while the first days are made.
  const end = floorTo(Date.now(), DAY_MS) + 2 * DAY_MS;
  await trx.raw('lock table ?? in access exclusive mode', [table]);
  await trx.raw('drop index ??', [STORAGE_TIME(kind)]);
  await trx.raw('alter table ?? rename to ??', [table, past]);
  await trx.raw('alter index ?? rename to ??', [TIMESTAMP(kind), `${past}_timestamp_idx`]);
  await trx.raw('alter index ?? rename to ??', [`${table}_pkey`, `${past}_pkey`]);
  await trx.raw(
    'create table ?? (like ?? including compression including storage) partition by range (timestamp)',
    [table, past],
  );
  await trx.raw('alter table ?? add primary key (uuid_id, timestamp, id)', [table]);
  await trx.raw('create index ?? on ?? (timestamp)', [TIMESTAMP(kind), table]);
  // Rows come in the order of this time: a few bytes for each megabyte say where it lies.
  await trx.raw('create index ?? on ?? using brin (storage_time) with (autosummarize = on)', [
    STORAGE_TIME(kind),
    table,
  ]);
  await trx.raw('create table ?? partition of ?? default', [`${table}_default`, table]);
  await trx.raw(`create table ?? partition of ?? ${boundSql(FAR_MS, Infinity)}`, [
    `${table}_far`,
    table,
  ]);
  await trx.raw(
    'with ahead as (delete from ?? where timestamp >= ? returning *) insert into ?? select * from ahead',
    [past, end, table],
  );
  await trx.raw(`alter table ?? attach partition ?? ${boundSql(-Infinity, end)}`, [table, past]);
}
