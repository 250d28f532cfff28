import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { quoted, SEQUENCES } from './snapshot-sqlite.ts';

const ROWS_A_STEP = 500;

interface Column {
  readonly table: string;
  readonly name: string;
  /** `bigint`, `character varying` … as `pg_catalog.format_type` names it. */
  readonly type: string;
  /** The sequence that counts it. */
  readonly sequence: string | null;
}

/** Tables of the schema that outlive a crash of the database; partitions come with their table. */
const COLUMNS = `
  select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type,
    pg_get_serial_sequence(quote_ident(c.relname), a.attname) as sequence
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and c.relpersistence = 'p' and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  order by c.relname collate "C", a.attnum`;

/** Copies the rows of a Postgres database, as they are at one moment, into a SQLite file. */
export async function copyPostgres(
  settings: pg.ClientConfig,
  to: string,
  report: (table: string, rows: number) => void,
): Promise<void> {
  const client = new pg.Client({ ...settings, query_timeout: 0 } as pg.ClientConfig);
  const file = new Sqlite(to);
  try {
    file.exec('pragma journal_mode = off; pragma synchronous = off');
    await client.connect();
    await client.query('begin transaction isolation level repeatable read read only');
    await client.query('set local statement_timeout = 0');
    const { rows } = await client.query<Column>(COLUMNS);
    for (const [table, columns] of Map.groupBy(rows, (column) => column.table))
      await copyTable(client, file, { table, columns, report });
    await copySequences(client, file, rows);
    await client.query('commit');
  } finally {
    file.close();
    await client.end();
  }
}

interface Table {
  readonly table: string;
  readonly columns: readonly Column[];
  readonly report: (table: string, rows: number) => void;
}

async function copyTable(
  client: pg.Client,
  file: Sqlite.Database,
  { table, columns, report }: Table,
): Promise<void> {
  const named = columns.map(({ name, type }) => `${quoted(name)} ${storedType(type)}`);
  file.exec(`create table ${quoted(table)} (${named.join(', ')})`);
  const marks = columns.map(() => '?').join(', ');
  const insert = file.prepare(`insert into ${quoted(table)} values (${marks})`);
  const insertAll = file.transaction((rows: unknown[][]) => {
    for (const row of rows) insert.run(row.map(bindable));
  });
  const read = columns.map(({ name, type }) => readAs(quoted(name), type)).join(', ');
  await client.query(`declare copied no scroll cursor for select ${read} from ${quoted(table)}`);
  for (let done = 0; ; ) {
    const text = `fetch ${ROWS_A_STEP} from copied`;
    const { rows } = await client.query<unknown[]>({ text, rowMode: 'array' });
    insertAll(rows);
    done += rows.length;
    report(table, done);
    if (rows.length < ROWS_A_STEP) break;
  }
  await client.query('close copied');
}

/** Returns the type that SQLite would have in the column of the same migration. */
function storedType(type: string): string {
  if (/^(?:smallint|integer|bigint|boolean)$/.test(type)) return 'integer';
  if (/^(?:real|double precision)$/.test(type)) return 'real';
  return /^(?:bytea|uuid)$/.test(type) ? 'blob' : 'text';
}

/** A UUID as its 16 bytes; JSON, times and whatever else has a form of its own as text. */
function readAs(column: string, type: string): string {
  if (type === 'uuid') return `uuid_send(${column})`;
  const isPlain = storedType(type) !== 'text' || /^(?:text|character varying)$/.test(type);
  return isPlain ? column : `${column}::text`;
}

const bindable = (value: unknown): unknown => (typeof value === 'boolean' ? Number(value) : value);

async function copySequences(
  client: pg.Client,
  file: Sqlite.Database,
  columns: readonly Column[],
): Promise<void> {
  file.exec(`create table ${SEQUENCES} (name text, seq integer)`);
  for (const { table, sequence } of columns) {
    if (sequence === null) continue;
    const sql = `select case when is_called then last_value else last_value - 1 end as seq from ${sequence}`;
    const { rows } = await client.query<{ seq: number | bigint }>(sql);
    file.prepare(`insert into ${SEQUENCES} values (?, ?)`).run(table, rows[0]?.seq);
  }
}
