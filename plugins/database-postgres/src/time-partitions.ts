import {
  guarded,
  type NewestOfOwner,
  type PartitionChange,
  type PartitionRange,
  type PartitionView,
  type QueryBuilder,
  rowsOf,
  type SqlValue,
  type TimePartition,
  type TimePartitions,
  type TimeTable,
} from '@svc/plugin-sdk/sql';

/** First of the two numbers of an advisory lock; any constant serves that no other part of the server takes. */
const LOCK = 730_501_977;
/** Reports and queries wait while a change waits for its turn: it gives up and comes again later. */
const LOCK_TIMEOUT_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 20_000;

/** Access by which the partitions of a table are read and changed. */
interface On {
  all<Row extends object>(sql: string, params?: readonly SqlValue[]): Promise<Row[]>;
  transaction<T>(work: (trx: QueryBuilder) => Promise<T>): Promise<T>;
}

/** The partitions of one table. */
export function openTimePartitions(db: On, timeTable: TimeTable): TimePartitions {
  const { table } = timeTable;
  return {
    look: () =>
      guarded('partitions could not be read', async () => {
        const sql = 'select relkind as kind from pg_class where oid = cast(? as regclass)';
        const [found] = await db.all<{ kind: string }>(sql, [table]);
        if (found?.kind !== 'p') return undefined;
        return lookOver(timeTable, (text, params) => db.all(text, params));
      }),

    change: (plan) =>
      guarded('partitions could not be changed', () =>
        db.transaction(async (trx) => {
          await takeTurn(trx, table);
          const read: Read = (text, params) => rowsOf(trx, { text, params });
          const change = await plan(await lookOver(timeTable, read));
          await apply(trx, timeTable, change);
          return change;
        }),
      ),
  };
}

type Read = (text: string, params: SqlValue[]) => Promise<object[]>;

async function lookOver(timeTable: TimeTable, read: Read): Promise<PartitionView> {
  const sql = `select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = cast(? as regclass)`;
  const rows = (await read(sql, [timeTable.table])) as { name: string; bound: string }[];
  const partitions = rows.flatMap(({ name, bound }) => {
    const range = rangeOf(bound);
    return range ? [{ name, ...range }] : [];
  });
  partitions.sort((a, b) => a.from - b.from);
  const newest = (partition: TimePartition) =>
    read(newestOf(timeTable, partition), []) as Promise<NewestOfOwner[]>;
  // The block ranges of the index over `column` tell in a moment where no such row is.
  const reaches = async ({ name }: TimePartition, column: string, time: number) => {
    const sql = `select 1 from ${quoted(name)} where ${quoted(column)} >= ? limit 1`;
    return (await read(sql, [time])).length > 0;
  };
  return { partitions, newest, reaches };
}

/** One step into the index for each owner. */
function newestOf({ owner, time }: TimeTable, { name }: TimePartition): string {
  const table = quoted(name);
  const [by, at] = [quoted(owner), quoted(time)];
  const last = `order by ${by} desc, ${at} desc limit 1`;
  return `with recursive e (id, newest) as (
    (select ${by}, ${at} from ${table} ${last}) union all
    select n.${by}, n.${at} from e cross join lateral
      (select ${by}, ${at} from ${table} where ${by} < e.id ${last}) n
  ) select id, newest from e`;
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Waits for changes of other servers, then for statements that use the table. */
async function takeTurn(trx: QueryBuilder, table: string): Promise<void> {
  await trx.raw(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
  await trx.raw(`set local statement_timeout = ${STATEMENT_TIMEOUT_MS}`);
  await trx.raw('select pg_advisory_xact_lock(?, hashtext(?))', [LOCK, table]);
  // The parent first, as every other statement does.
  await trx.raw('lock table ?? in access exclusive mode', [table]);
}

async function apply(
  trx: QueryBuilder,
  { table, time }: TimeTable,
  change: PartitionChange,
): Promise<void> {
  for (const { name } of change.drop) await trx.raw('drop table ??', [name]);
  if (change.create.length === 0) return;
  const rest = `${table}_default`;
  // While it is attached, no partition can be made for times that it holds.
  await trx.raw('alter table ?? detach partition ??', [table, rest]);
  for (const { from, to } of change.create) {
    const name = nameOf(table, from);
    await trx.raw(`create table ?? partition of ?? ${boundSql(from, to)}`, [name, table]);
    await trx.raw(
      `with ours as (delete from ?? where ${within(quoted(time), { from, to })} returning *) insert into ?? select * from ours`,
      [rest, name],
    );
  }
  await trx.raw('alter table ?? attach partition ?? default', [table, rest]);
}

/** `table_p20261122`: the UTC day of its beginning. */
function nameOf(table: string, from: number): string {
  if (from === -Infinity) return `${table}_past`;
  return `${table}_p${new Date(from).toISOString().slice(0, 10).replaceAll('-', '')}`;
}

const within = (time: string, { from, to }: PartitionRange): string =>
  from === -Infinity ? `${time} < ${to}` : `${time} >= ${from} and ${time} < ${to}`;

/** `for values from … to …`, which takes no parameters. */
export const boundSql = (from: number, to: number): string =>
  `for values from (${edge(from)}) to (${edge(to)})`;

function edge(time: number): string {
  if (Number.isFinite(time)) return String(time);
  return time < 0 ? 'minvalue' : 'maxvalue';
}

/** Reads what the database says of a bound; undefined: the default partition. */
function rangeOf(bound: string): PartitionRange | undefined {
  const found = /FROM \('?(MINVALUE|-?\d+)'?\) TO \('?(MAXVALUE|-?\d+)'?\)/.exec(bound);
  if (!found) return undefined;
  const [, from, to] = found;
  return {
    from: from === 'MINVALUE' ? -Infinity : Number(from),
    to: to === 'MAXVALUE' ? Infinity : Number(to),
  };
}
