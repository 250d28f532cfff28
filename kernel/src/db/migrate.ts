import { setTimeout as delay } from 'node:timers/promises';
import { type Logger, type Migration, UserError } from '@svc/plugin-sdk';
import type { Knex } from 'knex';
import { codeOf } from './code-of.ts';
import type { OpenDatabase } from './open.ts';

/** One migration of one plugin. */
export interface Step {
  readonly plugin: string;
  readonly migration: Migration;
}

/** `schema_migrations`; no checksum of the source is kept, because it differs between source and built code. */
interface LedgerRow {
  plugin: string;
  name: string;
  /** 1: an older program must not run on this database. */
  breaking: number;
  /** Unix ms. */
  applied_at: number;
}

const ledger = 'schema_migrations';
/** Any constant serves that no other program takes; it guards the ledger while several servers start. */
const ADVISORY_LOCK = 7_305_019_771;
/** How long another process may hold the database with its own steps. */
const BUSY_TIMEOUT_MS = 600_000;

/**
 * Brings the schema up to date: each step runs once per database, in a transaction with its ledger row.
 * Any number of processes may do this at once, and a killed one leaves nothing behind.
 * @throws UserError when the database carries a breaking step of one of these plugins that this program does not know
 */
export async function migrate(
  db: OpenDatabase,
  steps: readonly Step[],
  log: Logger,
): Promise<void> {
  await exclusively(db, createLedger);
  const rows: LedgerRow[] = await db.knex<LedgerRow>(ledger).select('plugin', 'name', 'breaking');
  refuseUnknown(rows, steps);
  const done = new Set(rows.map(({ plugin, name }) => key(plugin, name)));
  for (const step of steps) {
    const { plugin, migration } = step;
    if (done.has(key(plugin, migration.name))) continue;
    const applied = await exclusively(db, (trx) => apply(db, trx, step));
    if (applied) log.info('A migration was applied.', { plugin, step: migration.name });
  }
}

const key = (plugin: string, name: string): string => `${plugin}\n${name}`;

function refuseUnknown(rows: readonly LedgerRow[], steps: readonly Step[]): void {
  const plugins = new Set(steps.map((step) => step.plugin));
  const known = new Set(steps.map((step) => key(step.plugin, step.migration.name)));
  for (const { plugin, name, breaking } of rows) {
    // Steps of a plugin that is not enabled stay as they are and harm nobody.
    if (!breaking || !plugins.has(plugin) || known.has(key(plugin, name))) continue;
    throw new UserError(
      `the database was changed by a newer version: plugin '${plugin}', step '${name}' is unknown here and older programs must not use it; install that version or restore a backup`,
    );
  }
}

async function createLedger(trx: Knex.Transaction): Promise<void> {
  await trx.raw(
    `create table if not exists ${ledger} (plugin varchar(128) not null, name varchar(128) not null, breaking int not null, applied_at bigint not null, primary key (plugin, name))`,
  );
}

/** The ledger row comes first: it is what a second process stumbles over, and on SQLite the write that takes the lock. */
async function apply(
  db: OpenDatabase,
  trx: Knex.Transaction,
  { plugin, migration }: Step,
): Promise<boolean> {
  const row: LedgerRow = {
    plugin,
    name: migration.name,
    breaking: migration.breaking ? 1 : 0,
    applied_at: Date.now(),
  };
  const inserted = await trx<LedgerRow>(ledger)
    .insert(row)
    .onConflict(['plugin', 'name'])
    .ignore()
    .returning('name');
  if (inserted.length === 0) return false;
  await migration.up(trx, { dialect: db.dialect });
  return true;
}

/** One transaction at a time over all processes: a lock that ends with it on Postgres, the write lock on SQLite. */
async function exclusively<T>(
  db: OpenDatabase,
  work: (trx: Knex.Transaction) => Promise<T>,
): Promise<T> {
  const until = Date.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      return await db.knex.transaction(async (trx) => {
        if (db.dialect === 'postgres') {
          // A step over a large table takes its time, and so does the wait for one.
          await trx.raw('set local statement_timeout = 0');
          await trx.raw('select pg_advisory_xact_lock(?)', [ADVISORY_LOCK]);
        }
        return work(trx);
      });
    } catch (error) {
      const busy = codeOf((error as Error).cause).startsWith('SQLITE_BUSY');
      if (!busy || Date.now() > until) throw error;
      await delay(100);
    }
  }
}
