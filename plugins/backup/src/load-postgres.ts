import type { Postgres } from '@svc/plugin-database-postgres/api';
import { UserError } from '@svc/plugin-sdk';
import {
  type MigrationDatabase,
  type QueryBuilder,
  rowsOf,
  type SqlValue,
} from '@svc/plugin-sdk/sql';
import type Sqlite from 'better-sqlite3';
import type { Loader, TargetColumn } from './load.ts';
import { quoted } from './snapshot-sqlite.ts';

/** A COPY carries rows up to this many characters. */
const CHARACTERS_A_STEP = 2 ** 20;
const ROWS_A_STEP = 10_000;

const COLUMNS = `select c.relname::text as table, a.attname::text as name, format_type(a.atttypid, a.atttypmod) as type
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''`;
const REFERENCES = `select conrelid::regclass::text as table, conname::text as name from pg_constraint
  where contype = 'f' and not condeferrable and connamespace = current_schema()::regnamespace`;
const TRIGGERS = `select distinct tgrelid::regclass::text as table from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where not t.tgisinternal and t.tgenabled = 'O' and c.relnamespace = current_schema()::regnamespace`;
const SEQUENCES = `select a.attname::text as name, pg_get_serial_sequence(quote_ident(c.relname), a.attname) as sequence
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.oid = to_regclass(quote_ident(?)) and a.attnum > 0 and not a.attisdropped
    and pg_get_serial_sequence(quote_ident(c.relname), a.attname) is not null`;

/** Sends the archive's rows by COPY, as texts of the types of their columns. */
export function postgresLoader(
  { query }: MigrationDatabase,
  archive: Sqlite.Database,
  copy: Postgres['copy'],
): Loader {
  const read = <Row extends object>(text: string, params: readonly string[] = []) =>
    rowsOf<Row>(query, { text, params });
  let triggers: { table: string }[] = [];
  let references: { table: string; name: string }[] = [];
  return {
    async tables() {
      const rows = await read<TargetColumn & { table: string }>(COLUMNS);
      return Map.groupBy(rows, ({ table }) => table);
    },
    // Names of these answers come quoted from the database, except those of constraints.
    async rest() {
      references = await read(REFERENCES);
      for (const { table, name } of references)
        await query.raw(
          `alter table ${table} alter constraint ${quoted(name)} deferrable initially deferred`,
        );
      triggers = await read(TRIGGERS);
      for (const { table } of triggers)
        await query.raw(`alter table ${table} disable trigger user`);
    },
    async wake() {
      await query.raw('set constraints all immediate');
      for (const { table } of triggers) await query.raw(`alter table ${table} enable trigger user`);
      for (const { table, name } of references)
        await query.raw(`alter table ${table} alter constraint ${quoted(name)} not deferrable`);
    },
    async copy(table, columns, report) {
      await query.raw(`delete from ${quoted(table)}`);
      let done = 0;
      const target = { query, copy, table, columns: columns.map(({ name }) => name) };
      for (const rows of stepsOf(archive, table, columns)) {
        await insert(target, rows);
        done += rows.length;
        report(done);
      }
      const [counted] = await read<{ rows: number }>(
        `select count(*) as rows from ${quoted(table)}`,
      );
      return counted?.rows ?? 0;
    },
    async countFrom(table, last) {
      for (const { sequence } of await read<{ sequence: string }>(SEQUENCES, [table]))
        await query.raw(
          `select setval(?, greatest(?::bigint, (select last_value from ${sequence})))`,
          [sequence, String(last)],
        );
    },
  };
}

type Row = readonly SqlValue[];

/** Rows in pieces of bounded size. */
function* stepsOf(
  archive: Sqlite.Database,
  table: string,
  columns: readonly TargetColumn[],
): Generator<Row[]> {
  const list = columns.map(({ name }) => quoted(name)).join(', ');
  const statement = archive
    .prepare(`select ${list} from ${quoted(table)}`)
    .safeIntegers()
    .raw();
  let step: Row[] = [];
  let size = 0;
  for (const stored of statement.iterate() as Iterable<SqlValue[]>) {
    const row = stored.map((value, at) => typed(value, columns[at]?.type ?? ''));
    for (const value of row) size += typeof value === 'string' ? value.length : 8;
    step.push(row);
    if (step.length < ROWS_A_STEP && size < CHARACTERS_A_STEP) continue;
    yield step;
    step = [];
    size = 0;
  }
  if (step.length > 0) yield step;
}

/** SQLite keeps UUIDs as bytes, and may hold bytes in any column. */
function typed(value: SqlValue, type: string): SqlValue {
  if (!(value instanceof Uint8Array) || type === 'bytea') return value;
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return bytes.toString(type === 'uuid' ? 'hex' : 'utf8');
}

interface Target {
  readonly query: QueryBuilder;
  readonly copy: Postgres['copy'];
  readonly table: string;
  readonly columns: readonly string[];
}

async function insert(target: Target, rows: readonly Row[]): Promise<void> {
  const { query, copy, table } = target;
  try {
    await query.transaction((savepoint) => copy(savepoint, target, rows));
  } catch (error) {
    // The first row that is refused alone is named.
    if (rows.length > 1) for (const row of rows) await insert(target, [row]);
    throw new UserError(
      `a row of '${table}' cannot be stored on Postgres (${(error as Error).message}); it begins with ${beginOf(rows[0])}. Change or delete it where it comes from, make another backup and restore that one`,
      { cause: error },
    );
  }
}

const beginOf = (row: Row = []): string =>
  JSON.stringify(row.map((value) => (typeof value === 'bigint' ? String(value) : value))).slice(
    0,
    200,
  );
