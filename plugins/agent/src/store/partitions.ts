import { type Database, guarded, type Integer, type Knex } from '@svc/plugin-sdk';
import { KINDS, type Kind } from '../kinds.ts';
import type { Range } from '../partitions.ts';

/** Any constants serve that no other part of the server takes; one for each table keeps two servers apart. */
const ADVISORY_LOCKS = 7_305_019_772;
/** Reports and queries wait while a change waits for its turn: it gives up and comes again later. */
const LOCK_TIMEOUT_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 20_000;

export interface Partition extends Range {
  readonly name: string;
}

/** The newest row of one agent in one partition. */
export interface End {
  readonly id: number;
  readonly newest: Integer;
}

export interface Change {
  readonly drop: readonly Partition[];
  readonly create: readonly Range[];
}

/** What a plan may look at; inside a change nobody else writes. */
export interface Look {
  readonly partitions: readonly Partition[];
  /** Agents with rows in this partition. */
  ends(partition: Partition): Promise<End[]>;
}

/** The partitions of one table on Postgres. */
export interface PartitionStore {
  /** undefined: the table is a plain one. @throws RpcError 103 */
  look(): Promise<Look | undefined>;
  /**
   * Makes the change that `plan` wants of the table as it stands, in one transaction; rows of a new range move in.
   * @throws RpcError 103, also when the table or another server's change is not let go of in two seconds
   */
  change(plan: (look: Look) => Promise<Change>): Promise<Change>;
}

export function openPartitionStore(db: Database, kind: Kind): PartitionStore {
  const { table } = kind;
  return {
    look: () =>
      guarded('partitions could not be read', async () => {
        const sql = 'select relkind as kind from pg_class where oid = cast(? as regclass)';
        const found = await db.first<{ kind: string }>(sql, [table]);
        if (found?.kind !== 'p') return undefined;
        return lookOver(table, (text, params) => db.all(text, params));
      }),

    change: (plan) =>
      guarded('partitions could not be changed', () =>
        db.transaction(async (trx) => {
          await takeTurn(trx, kind);
          const look = await lookOver(
            table,
            async (text, params) => (await trx.raw(text, params)).rows,
          );
          const change = await plan(look);
          await apply(trx, table, change);
          return change;
        }),
      ),
  };
}

type Read = (text: string, params: string[]) => Promise<object[]>;

async function lookOver(table: string, read: Read): Promise<Look> {
  const sql = `select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = cast(? as regclass)`;
  const rows = (await read(sql, [table])) as { name: string; bound: string }[];
  const partitions = rows.flatMap(({ name, bound }) => {
    const range = rangeOf(bound);
    return range ? [{ name, ...range }] : [];
  });
  partitions.sort((a, b) => a.from - b.from);
  return { partitions, ends: (partition) => read(endsOf(partition), []) as Promise<End[]> };
}

/** One step into the index for each agent. */
function endsOf({ name }: Partition): string {
  const table = `"${name.replaceAll('"', '""')}"`;
  const last = 'order by uuid_id desc, timestamp desc limit 1';
  return `with recursive e (id, newest) as (
    (select uuid_id, timestamp from ${table} ${last}) union all
    select n.uuid_id, n.timestamp from e cross join lateral
      (select uuid_id, timestamp from ${table} where uuid_id < e.id ${last}) n
  ) select id, newest from e`;
}

/** Waits for other servers, then for whoever uses the table. */
async function takeTurn(trx: Knex.Transaction, kind: Kind): Promise<void> {
  const lock = ADVISORY_LOCKS + KINDS.findIndex(({ name }) => name === kind.name);
  await trx.raw(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
  await trx.raw(`set local statement_timeout = ${STATEMENT_TIMEOUT_MS}`);
  await trx.raw('select pg_advisory_xact_lock(?)', [lock]);
  // The parent first, as every other statement does.
  await trx.raw('lock table ?? in access exclusive mode', [kind.table]);
}

async function apply(trx: Knex.Transaction, table: string, change: Change): Promise<void> {
  for (const { name } of change.drop) await trx.raw('drop table ??', [name]);
  if (change.create.length === 0) return;
  const rest = `${table}_default`;
  // While it is attached, no partition can be made for times that it holds.
  await trx.raw('alter table ?? detach partition ??', [table, rest]);
  for (const { from, to } of change.create) {
    const name = nameOf(table, from);
    await trx.raw(`create table ?? partition of ?? ${boundSql(from, to)}`, [name, table]);
    await trx.raw(
      `with ours as (delete from ?? where ${within({ from, to })} returning *) insert into ?? select * from ours`,
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

const within = ({ from, to }: Range): string =>
  from === -Infinity ? `timestamp < ${to}` : `timestamp >= ${from} and timestamp < ${to}`;

/** `for values from … to …`, which takes no parameters. */
export const boundSql = (from: number, to: number): string =>
  `for values from (${edge(from)}) to (${edge(to)})`;

function edge(time: number): string {
  if (Number.isFinite(time)) return String(time);
  return time < 0 ? 'minvalue' : 'maxvalue';
}

/** Reads what the database says of a bound; undefined: the default partition. */
function rangeOf(bound: string): Range | undefined {
  const found = /FROM \('?(MINVALUE|-?\d+)'?\) TO \('?(MAXVALUE|-?\d+)'?\)/.exec(bound);
  if (!found) return undefined;
  const [, from, to] = found;
  return {
    from: from === 'MINVALUE' ? -Infinity : Number(from),
    to: to === 'MAXVALUE' ? Infinity : Number(to),
  };
}
