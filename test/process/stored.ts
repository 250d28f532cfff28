import Sqlite from 'better-sqlite3';
import pg from 'pg';
import type { Acknowledged } from './load.ts';
import { type Kind, reportTable } from './reports.ts';

/** Reads rows straight from the database of a server, past the server. */
export type Read = (sql: string) => Promise<Record<string, unknown>[]>;

export const readSqlite =
  (path: string): Read =>
  async (sql) => {
    const db = new Sqlite(path, { readonly: true, fileMustExist: true });
    try {
      return db.prepare(sql).all() as Record<string, unknown>[];
    } finally {
      db.close();
    }
  };

export const readPostgres =
  (url: string): Read =>
  async (sql) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  };

/** Acknowledged reports that are not stored exactly once, as text; empty when everything is as promised. */
export async function broken(read: Read, reports: readonly Acknowledged[]): Promise<string[]> {
  const kinds = [...new Set(reports.map(({ kind }) => kind))];
  const findings: string[] = [];
  for (const kind of kinds) {
    const wanted = reports.filter((report) => report.kind === kind);
    const stored = await countRows(read, kind, wanted);
    for (const { uuid, time } of wanted) {
      const count = stored.get(`${digits(uuid)} ${time}`) ?? 0;
      if (count !== 1) findings.push(`${kind} ${uuid} ${time}: stored ${count} times`);
    }
  }
  return findings;
}

async function countRows(read: Read, kind: Kind, wanted: readonly Acknowledged[]) {
  const since = wanted.reduce((least, { time }) => Math.min(least, time), Number.MAX_SAFE_INTEGER);
  const rows = await read(
    `select m.uuid as uuid, r.timestamp as timestamp from ${reportTable[kind]} r ` +
      `join monitoring_uuid m on m.id = r.uuid_id where r.timestamp >= ${since}`,
  );
  const counts = new Map<string, number>();
  for (const { uuid, timestamp } of rows) {
    const key = `${digits(uuid)} ${timestamp}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** A UUID is 16 bytes on SQLite and text on Postgres. */
const digits = (uuid: unknown): string =>
  Buffer.isBuffer(uuid) ? uuid.toString('hex') : String(uuid).replaceAll('-', '');
