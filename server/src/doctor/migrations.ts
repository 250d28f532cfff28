import { type Database, type Finding, finding } from '@svc/plugin-sdk';
import type { MigrationStep } from '@svc/plugin-sdk/sql';

const LEDGER = 'schema_migrations';
const NAMED = 8;

interface Applied {
  readonly plugin: string;
  readonly name: string;
  /** 1: an older program must not run on this database. */
  readonly breaking: number;
}

/** The steps that were applied to this database; none: it is empty. @throws RpcError 103 */
export async function ledgerOf({ query }: Database): Promise<readonly Applied[]> {
  if (!(await query.schema.hasTable(LEDGER))) return [];
  return query<Applied>(LEDGER).select('plugin', 'name', 'breaking');
}

/** Compares the registered steps with the ledger. `behind`: plugins with steps that are still to come. */
export function examineMigrations(
  registered: readonly MigrationStep[],
  ledger: readonly Applied[],
) {
  const done = new Set(ledger.map(({ plugin, name }) => `${plugin} ${name}`));
  const steps = registered.map(({ plugin, migration }) => ({
    plugin,
    ...migration,
    id: `${plugin} ${migration.name}`,
  }));
  const due = steps.filter(({ id }) => !done.has(id));
  const registeredIds = new Set(steps.map(({ id }) => id));
  const names = new Set(steps.map(({ plugin }) => plugin));
  const newer = ledger.filter(
    ({ plugin, name }) => names.has(plugin) && !registeredIds.has(`${plugin} ${name}`),
  );
  return {
    findings: [...(newer.length > 0 ? [madeByNewer(newer)] : []), stateOf(ledger, steps, due)],
    behind: new Set(due.map(({ plugin }) => plugin)),
  };
}

type Step = { readonly id: string; readonly breaking?: boolean };

function stateOf(
  ledger: readonly Applied[],
  steps: readonly Step[],
  due: readonly Step[],
): Finding {
  const report = (level: Finding['level'], message: string, advice?: string) =>
    finding('migrations', level, message, advice);
  if (due.length === 0)
    return report('ok', `All ${steps.length} steps of the schema were applied.`);
  if (ledger.length === 0)
    return report('ok', 'The database is empty: the first start makes its tables.');
  const breaking = due.filter((step) => step.breaking);
  const after =
    breaking.length > 0
      ? `after ${listOf(breaking)} older versions refuse this database.`
      : 'older versions open the database afterwards, too.';
  const message = `The first start of this version applies ${due.length} of ${steps.length} steps: ${listOf(due)}.`;
  return report('advice', message, `Back up first (docs/guide/upgrade.md): ${after}`);
}

function madeByNewer(newer: readonly Applied[]): Finding {
  const isRefused = newer.some((step) => step.breaking);
  const list = listOf(newer.map(({ plugin, name }) => ({ id: `${plugin} ${name}` })));
  const message = `A newer version has changed this database: ${list}.`;
  const advice = 'This version refuses it: install the newer one again, or restore a backup.';
  return isRefused
    ? finding('migrations', 'problem', message, advice)
    : finding('migrations', 'advice', message, 'This version can use it.');
}

function listOf(steps: readonly Step[]): string {
  const shown = steps.slice(0, NAMED).map(({ id }) => `'${id}'`);
  const rest = steps.length - shown.length;
  return shown.join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
