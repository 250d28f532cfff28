import { type MigrationDatabase, type QueryBuilder, rowsOf, UserError } from '@svc/plugin-sdk';
import type Sqlite from 'better-sqlite3';
import type { Loader, TargetColumn } from './load.ts';
import { quoted } from './snapshot-sqlite.ts';

/** A statement carries rows up to this many characters of JSON. */
const CHARACTERS_A_STEP = 2 ** 20;
const ROWS_A_STEP = 2_000;

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

/** Sends the archive's rows as JSON, which the database takes apart into the types of its columns. */
export function postgresLoader({ query }: MigrationDatabase, archive: Sqlite.Database): Loader {
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
    async copy(table, columns, tell) {
      await query.raw(`delete from ${quoted(table)}`);
      let done = 0;
      for (const rows of stepsOf(archive, table, columns)) {
        await insert(query, table, columns, rows);
        done += rows.length;
        tell(done);
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

/** Rows in pieces of bounded size, each value as text. */
function* stepsOf(
  archive: Sqlite.Database,
  table: string,
  columns: readonly TargetColumn[],
): Generator<string[]> {
  const list = columns.map(({ name }) => quoted(name)).join(', ');
  const statement = archive
    .prepare(`select ${list} from ${quoted(table)}`)
    .safeIntegers()
    .raw();
  let step: string[] = [];
  let size = 0;
  for (const row of statement.iterate() as Iterable<unknown[]>) {
    const text = JSON.stringify(row.map((value, at) => textOf(value, columns[at]?.type ?? '')));
    step.push(text);
    size += text.length;
    if (step.length < ROWS_A_STEP && size < CHARACTERS_A_STEP) continue;
    yield step;
    step = [];
    size = 0;
  }
  if (step.length > 0) yield step;
}

function textOf(value: unknown, type: string): string | null {
  if (value === null) return null;
  if (!(value instanceof Uint8Array)) return String(value);
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return type === 'bytea' || type === 'uuid' ? bytes.toString('hex') : bytes.toString();
}

async function insert(
  query: QueryBuilder,
  table: string,
  columns: readonly TargetColumn[],
  rows: readonly string[],
): Promise<void> {
  const list = columns.map(({ name }) => quoted(name)).join(', ');
  const values = columns.map(({ type }, at) =>
    type === 'bytea' ? `decode(e->>${at}, 'hex')` : `(e->>${at})::${type}`,
  );
  const sql = `insert into ${quoted(table)} (${list}) select ${values.join(', ')} from json_array_elements(cast(? as json)) e`;
  const send = (some: readonly string[]) =>
    query.transaction(async (trx) => void (await trx.raw(sql, [`[${some.join(',')}]`])));
  try {
    await send(rows);
  } catch (error) {
    // The first row that is refused alone is named.
    if (rows.length > 1) for (const row of rows) await insert(query, table, columns, [row]);
    const row = rows[0]?.slice(0, 200);
    throw new UserError(
      `a row of '${table}' cannot be stored on Postgres (${(error as Error).message}); it begins with ${row}. Change or delete it where it comes from, make another backup and restore that one`,
      { cause: error },
    );
  }
}
