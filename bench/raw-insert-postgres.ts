import pg from 'pg';
import { createDatabase, dropDatabase, sharedPostgres } from '../test/postgres.ts';
import type { Read } from '../test/process/stored.ts';
import type { RawInsert } from './raw-insert.ts';
import { usageOfPostgres } from './usage.ts';

const ROWS = 1_000;

/**
 * Cost of a prepared insert over one connection to this process, with so many rows a commit: rows of `table`, put into a
 * table with the same columns and key in a database of its own. Bytes are those of the whole Postgres server.
 */
export async function rawInsertPostgres(
  read: Read,
  table: string,
  rowsOfCommit: number,
): Promise<RawInsert> {
  const columns = await read(
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
     where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped order by attnum`,
  );
  const rows = await read(`select * from ${table} limit ${ROWS}`);
  const url = await createDatabase(sharedPostgres());
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const list = columns.map(({ name, type }) => `"${name}" ${type}`).join(', ');
    await client.query(`create table raw (${list}, primary key (uuid_id, timestamp, id))`);
    const names = columns.map(({ name }) => String(name));
    const places = names.map((_, at) => `$${at + 1}`).join(', ');
    const insert = { name: 'insert', text: `insert into raw values (${places})` };
    const values = rows.map((row) => names.map((name) => storable(row[name])));
    await client.query({ ...insert, values: values[0] ?? [] });
    return await insertAll(client, insert, values.slice(1), rowsOfCommit);
  } finally {
    await client.end();
    await dropDatabase(url);
  }
}

/** JSON columns were parsed on the way here. */
const storable = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : value;

async function insertAll(
  client: pg.Client,
  insert: { readonly name: string; readonly text: string },
  rows: readonly unknown[][],
  rowsOfCommit: number,
): Promise<RawInsert> {
  const read: Read = async (sql) => (await client.query(sql)).rows;
  const begun = performance.now();
  const cpu = process.cpuUsage();
  const before = await usageOfPostgres(read);
  for (let at = 0; at < rows.length; at += rowsOfCommit) {
    if (rowsOfCommit > 1) await client.query('begin');
    for (const values of rows.slice(at, at + rowsOfCommit))
      await client.query({ ...insert, values });
    if (rowsOfCommit > 1) await client.query('commit');
  }
  const { user, system } = process.cpuUsage(cpu);
  const { written } = await usageOfPostgres(read);
  return {
    rate: (rows.length * 1000) / (performance.now() - begun),
    cpu_us: (user + system) / rows.length,
    written: (written - before.written) / rows.length,
  };
}
