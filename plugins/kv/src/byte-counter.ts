import type { MigrationDatabase } from '@svc/plugin-sdk/sql';

/** Bytes that a row counts in addition to its contents: what an index and the row itself take, so that empty rows are not free. */
const ROW_BYTES = 64;

/** Columns whose bytes `countBytes` counts. */
export interface ByteCounter {
  /** The table whose rows count. */
  readonly table: string;
  /** The new table: columns `owner` and `bytes`. */
  readonly counter: string;
  /** Column of `table` that says whose row it is, and its type. */
  readonly owner: string;
  readonly type: string;
  /** Columns whose texts count. */
  readonly columns: readonly string[];
}

/** SQL: bytes of one row, whose columns are named `row.column`. */
export function rowBytes({ columns }: Pick<ByteCounter, 'columns'>, row: string): string {
  const sizes = columns.map((name) => `coalesce(octet_length(cast(${row}.${name} as text)), 0)`);
  return `(${[...sizes, ROW_BYTES].join(' + ')})`;
}

/**
 * Creates, in a migration, a table with the bytes that the rows of each owner take. The database itself counts, in the
 * transaction of every change: the numbers are right with several servers, with servers of an earlier version, and
 * with rows that SQL writes. Rows that are there already are counted once.
 */
export async function countBytes(
  { query, dialect }: Pick<MigrationDatabase, 'query' | 'dialect'>,
  count: ByteCounter,
): Promise<void> {
  const { table, counter, owner, type } = count;
  await query.raw(
    `create table ${counter} (owner ${type} not null primary key, bytes bigint not null)`,
  );
  await query.raw(`insert into ${counter} (owner, bytes)
    select ${owner}, sum(${rowBytes(count, 'r')}) from ${table} r group by ${owner}`);
  const steps = dialect === 'sqlite' ? sqliteTriggers(count) : postgresTriggers(count);
  for (const sql of steps) await query.raw(sql);
}

function sqliteTriggers(count: ByteCounter): string[] {
  const { table, counter, owner } = count;
  const [before, after] = [rowBytes(count, 'old'), rowBytes(count, 'new')];
  const on = (event: string, name: string, work: string) =>
    `create trigger ${counter}_${name} after ${event} on ${table} begin ${work} end`;
  return [
    on(
      'insert',
      'insert',
      `insert or ignore into ${counter} (owner, bytes) values (new.${owner}, 0);
       update ${counter} set bytes = bytes + ${after} where owner = new.${owner};`,
    ),
    on(
      `update of ${[owner, ...count.columns].join()}`,
      'update',
      `update ${counter} set bytes = bytes - ${before} where owner = old.${owner};
       update ${counter} set bytes = bytes + ${after} where owner = new.${owner};`,
    ),
    on(
      'delete',
      'delete',
      `update ${counter} set bytes = bytes - ${before} where owner = old.${owner};
       delete from ${counter} where owner = old.${owner} and bytes <= 0;`,
    ),
  ];
}

/** One statement for all rows of a change; owners in one order, so that two servers never wait in a circle. */
function postgresTriggers(count: ByteCounter): string[] {
  const { table, counter, owner } = count;
  const bytes = rowBytes(count, 'r');
  const plus = `select ${owner} as owner, ${bytes} as bytes from added r`;
  const minus = `select ${owner} as owner, -${bytes} as bytes from removed r`;
  const add = (rows: string) => `insert into ${counter} (owner, bytes)
      select owner, sum(bytes) from (${rows}) c group by owner order by owner
      on conflict (owner) do update set bytes = ${counter}.bytes + excluded.bytes;`;
  const trigger = (event: string, tables: string) => `create trigger ${counter}_${event}
      after ${event} on ${table} ${tables} for each statement execute function ${counter}()`;
  return [
    `create function ${counter}() returns trigger language plpgsql as $$ begin
      if tg_op = 'INSERT' then ${add(plus)}
      elsif tg_op = 'UPDATE' then ${add(`${plus} union all ${minus}`)}
      elsif tg_op = 'DELETE' then ${add(minus)}
        delete from ${counter} where bytes <= 0 and owner in (select ${owner} from removed);
      else delete from ${counter};
      end if;
      return null;
    end $$`,
    trigger('insert', 'referencing new table as added'),
    trigger('update', 'referencing old table as removed new table as added'),
    trigger('delete', 'referencing old table as removed'),
    trigger('truncate', ''),
  ];
}
