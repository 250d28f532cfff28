import type { Plugin } from '@svc/plugin-sdk';
import { UserError } from '@svc/plugin-sdk';
import type { DatabaseHandle, MigrationDatabase, MigrationStep } from '@svc/plugin-sdk/sql';
import Sqlite from 'better-sqlite3';
import type { Manifest } from './manifest.ts';
import { quoted, SEQUENCES, tablesOf } from './snapshot-sqlite.ts';

/** Rows of the archive on their way into a database of one kind. */
export interface Loader {
  /** Tables that are there, with their columns. */
  tables(): Promise<ReadonlyMap<string, readonly TargetColumn[]>>;
  /** Constraints and triggers rest until `wake`. */
  rest(): Promise<unknown>;
  wake(): Promise<unknown>;
  /** @returns rows that the table has then */
  copy(
    table: string,
    columns: readonly TargetColumn[],
    report: (rows: number) => void,
  ): Promise<number>;
  /** The next id of the table is greater than this one. */
  countFrom(table: string, last: number | bigint): Promise<unknown>;
}

export interface TargetColumn {
  readonly name: string;
  readonly type: string;
}

/** Options of `load`. */
export interface Load {
  readonly db: DatabaseHandle;
  /** The enabled plugins. */
  readonly plugins: readonly Plugin[];
  /** Their steps, in order. */
  readonly steps: readonly MigrationStep[];
  /** A SQLite file with the rows. */
  readonly file: string;
  readonly manifest: Manifest;
  readonly loader: (on: MigrationDatabase, archive: Sqlite.Database) => Loader;
  readonly report: (table: string, rows: number) => void;
}

const LEDGER = 'schema_migrations';
/** Statement that makes the table of migrations, the same as the kernel's. */
const CREATE_LEDGER = `create table ${LEDGER} (plugin varchar(128) not null, name varchar(128) not null, breaking int not null, applied_at bigint not null, primary key (plugin, name))`;

/**
 * Fills an empty database in one transaction: the steps of the archive's ledger make its tables, then come the rows. A
 * failure leaves the database empty. Later steps are left to the next start.
 * @throws UserError when tables of the archive would be left out
 */
export async function load({ db, file, loader, ...given }: Load): Promise<void> {
  const { manifest, plugins, steps, report } = given;
  const archive = new Sqlite(file, { readonly: true });
  try {
    const ledger = archive.prepare(`select plugin, name from ${LEDGER}`).raw().all() as string[][];
    const applied = new Set(ledger.map((row) => row.join('\n')));
    await db.migration(async (on) => {
      await on.query.raw(CREATE_LEDGER);
      for (const { plugin, migration } of steps)
        if (applied.has(`${plugin}\n${migration.name}`)) await migration.up(on);
      const rows = loader(on, archive);
      const existing = await rows.tables();
      refuseUnknown(manifest, existing, ledger, plugins);
      await rows.rest();
      for (const table of tablesOf(archive)) {
        const columns = existing.get(table);
        if (!columns) continue;
        await fill({ table, columns, rows, archive, report, expected: manifest.tables[table] });
      }
      for (const [table, last] of sequencesOf(archive))
        if (existing.has(table)) await rows.countFrom(table, last);
      await dropForeign(on, plugins);
      await rows.wake();
    });
  } finally {
    archive.close();
  }
}

interface Fill extends Pick<Load, 'report'> {
  readonly table: string;
  readonly columns: readonly TargetColumn[];
  readonly rows: Loader;
  readonly archive: Sqlite.Database;
  readonly expected: number | undefined;
}

/** Every row comes from the archive, also where a step put some into a new table. */
async function fill({ table, columns, rows, archive, report, expected }: Fill): Promise<void> {
  const named = archive.pragma(`table_info(${quoted(table)})`) as { name: string }[];
  const stored = new Set(named.map(({ name }) => name));
  const missing = [...stored].filter((name) => !columns.some((column) => column.name === name));
  if (missing.length > 0)
    throw new UserError(
      `the table '${table}' of the backup has columns that no loaded plugin makes: ${missing.join(', ')}`,
    );
  const shared = columns.filter(({ name }) => stored.has(name));
  const count = await rows.copy(table, shared, (done) => report(table, done));
  if (count !== expected)
    throw new Error(`the table '${table}' got ${count} rows, and the backup has ${expected}`);
}

/** A table that would be lost is named before anything is written; an empty one is no loss. */
function refuseUnknown(
  { tables }: Manifest,
  existing: ReadonlyMap<string, unknown>,
  ledger: readonly (readonly string[])[],
  plugins: readonly Plugin[],
): void {
  const lost = Object.keys(tables).filter((table) => !existing.has(table) && tables[table] !== 0);
  if (lost.length === 0) return;
  const loaded = new Set(plugins.map(({ name }) => name));
  const absent = new Set(ledger.map(([plugin = '']) => plugin).filter((name) => !loaded.has(name)));
  const hint = absent.size > 0 ? `: add ${[...absent].join(', ')} to \`plugins\`` : '';
  throw new UserError(
    `the backup has tables that no loaded plugin makes (${lost.join(', ')})${hint}; nothing was restored`,
  );
}

/** Steps of plugins that are not loaded were not taken here: a plugin that comes later makes its tables then. */
async function dropForeign({ query }: MigrationDatabase, plugins: readonly Plugin[]) {
  const names = plugins.map(({ name }) => name);
  const marks = names.map(() => '?').join(', ');
  await query.raw(`delete from ${LEDGER} where plugin not in (${marks})`, names);
}

function sequencesOf(archive: Sqlite.Database): [string, number | bigint][] {
  const sql = `select name from sqlite_schema where name in ('${SEQUENCES}', 'sqlite_sequence')`;
  const table = archive.prepare(sql).pluck().get();
  if (table === undefined) return [];
  const rows = archive.prepare(`select name, seq from ${table} where seq > 0`).safeIntegers();
  return rows.raw().all() as [string, bigint][];
}
