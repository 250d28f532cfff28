import type { Logger } from '@svc/plugin-sdk';
import { UserError } from '@svc/plugin-sdk';
import { PluginError } from '@svc/plugin-sdk/kernel';
import type {
  DatabaseHandle,
  MigrationDatabase,
  MigrationStep,
  Migrations,
} from '@svc/plugin-sdk/sql';

/** Longest name that the ledger takes, characters. */
const MAX_NAME = 128;

/** The steps of all plugins, in the order in which they run. */
export class Steps {
  readonly list: MigrationStep[] = [];
  #open = true;

  /** Refuses steps from now on: they would not run. */
  close(): void {
    this.#open = false;
  }

  /** The registry as one plugin sees it. */
  for(plugin: string): Migrations {
    return {
      add: (migration) => {
        if (!this.#open)
          throw new PluginError(
            plugin,
            `adds a migration after the hook 'migrations' has run (too late)`,
          );
        const { name, up } = migration ?? {};
        if (typeof name !== 'string' || typeof up !== 'function')
          throw new PluginError(plugin, `a migration must have a 'name' and a function 'up'`);
        if (name.trim() === '' || [...name].length > MAX_NAME || /\p{Cc}/u.test(name))
          throw new PluginError(
            plugin,
            `the name of a migration must have 1 to ${MAX_NAME} characters, none of them a control character`,
          );
        const isTwice = this.list.some(
          (step) => step.plugin === plugin && step.migration.name === name,
        );
        if (isTwice) throw new PluginError(plugin, `has two migrations '${name}'`);
        this.list.push({ plugin, migration });
      },
    };
  }
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

/**
 * Brings the schema up to date: each step runs once per database, in a transaction with its ledger row.
 * Any number of processes may do this at once, and a killed one leaves nothing behind.
 * @throws PluginError that names the plugin and its step when one fails
 * @throws UserError when the database carries a breaking step of one of these plugins that this program does not know
 */
export async function migrate(
  db: DatabaseHandle,
  steps: readonly MigrationStep[],
  log: Logger,
): Promise<void> {
  await db.migration(createLedger);
  const rows = await db.query<LedgerRow>(ledger).select('plugin', 'name', 'breaking');
  refuseUnknown(rows, steps);
  const done = new Set(rows.map(({ plugin, name }) => key(plugin, name)));
  const applied: string[] = [];
  for (const step of steps) {
    const { plugin, migration } = step;
    if (done.has(key(plugin, migration.name))) continue;
    const isNew = await db
      .migration((on) => apply(on, step))
      .catch((cause: Error) => {
        const sentence = `migration '${migration.name}' failed: ${cause.message}`;
        throw new PluginError(plugin, sentence, { cause });
      });
    if (!isNew) continue;
    log.debug('A migration was applied.', { plugin, step: migration.name });
    applied.push(`${plugin} ${migration.name}`);
  }
  if (applied.length === 0) return;
  if (rows.length === 0) log.info('the tables were made', { steps: applied.length });
  else log.info('the tables were migrated', { steps: applied.join(', ') });
}

const key = (plugin: string, name: string): string => `${plugin}\n${name}`;

function refuseUnknown(rows: readonly LedgerRow[], steps: readonly MigrationStep[]): void {
  const plugins = new Set(steps.map((step) => step.plugin));
  const known = new Set(steps.map((step) => key(step.plugin, step.migration.name)));
  for (const { plugin, name, breaking } of rows) {
    // Steps of a plugin that is not enabled do no harm.
    if (!breaking || !plugins.has(plugin) || known.has(key(plugin, name))) continue;
    throw new UserError(
      `the database was changed by a newer version: plugin '${plugin}', step '${name}' is unknown here and older programs must not use it; install that version or restore a backup`,
    );
  }
}

async function createLedger({ query }: MigrationDatabase): Promise<void> {
  await query.raw(
    `create table if not exists ${ledger} (plugin varchar(128) not null, name varchar(${MAX_NAME}) not null, breaking int not null, applied_at bigint not null, primary key (plugin, name))`,
  );
}

/** The ledger row comes first: it is there already when another process was quicker. */
async function apply(
  db: MigrationDatabase,
  { plugin, migration }: MigrationStep,
): Promise<boolean> {
  const { name, breaking } = migration;
  const row = { plugin, name, breaking: breaking ? 1 : 0, applied_at: Date.now() };
  const inserted = await db
    .query<LedgerRow>(ledger)
    .insert(row)
    .onConflict(['plugin', 'name'])
    .ignore()
    .returning('name');
  if (inserted.length === 0) return false;
  await migration.up(db);
  return true;
}
