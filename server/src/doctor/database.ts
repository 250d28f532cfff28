import { dirname } from 'node:path';
import type { App } from '@svc/kernel';
import { type Finding, finding, type Plugin } from '@svc/plugin-sdk';
import type { ConfigWarning } from '@svc/plugin-sdk/kernel';
import { hasCode } from '@svc/plugin-sdk/util';
import { choosePlugins } from '../plugins/choose.ts';
import { start } from '../start.ts';
import { faults, type ReadConfiguration } from './configuration.ts';
import { examineMigrations, ledgerOf } from './migrations.ts';
import { linesOf, sentence } from './text.ts';

interface Place extends ReadConfiguration {
  readonly path: string;
  /** Asks plugins for advice on the settings, too. */
  readonly advice: boolean;
}

/** Code of a driver's error for a database that the first start makes. */
const NOT_YET = new Set(['NOT_YET']);

/** Opens the database without changing it, and asks the plugins. */
export async function examineDatabase(place: Place): Promise<Finding[]> {
  const { advice, loaded, path, plugins } = place;
  const whole = plugins.length > 0 ? await open(place, plugins) : undefined;
  if (whole && !('error' in whole)) return examine(whole, plugins, advice);
  // Something fails: with the driver alone it shows whether it is the database.
  const drivers = plugins.filter(({ drives }) => drives);
  const few = await choosePlugins(drivers, loaded.head, dirname(path));
  const app = await open(place, few);
  if ('error' in app) return [noDatabase(app.error, path)];
  return [...(whole ? faults(whole.error, path) : []), ...(await examine(app, few, false))];
}

async function open(
  { path, text }: Place,
  plugins: readonly Plugin[],
): Promise<App | { readonly error: unknown }> {
  try {
    return await start({ config: path, draft: text, mode: 'look', plugins, console: () => {} });
  } catch (error) {
    return { error };
  }
}

function noDatabase(error: unknown, path: string): Finding {
  const message = sentence(linesOf(error, path).join(' '));
  if (hasCode(error, NOT_YET)) return { area: 'database', level: 'ok', message };
  const advice =
    'Correct database_url, or bring its server up: svc-server cannot start without it.';
  return { area: 'database', level: 'problem', message, advice };
}

async function examine(app: App, plugins: readonly Plugin[], advice: boolean): Promise<Finding[]> {
  try {
    const { findings, behind } = examineMigrations(app.migrations, await ledgerOf(app.db));
    const ready = plugins.filter(({ name }) => !behind.has(name));
    for (const plugin of ready) findings.push(...(await examineOne(app, plugin)));
    if (advice && behind.size === 0) findings.push(...(await warnings(app)));
    return findings;
  } finally {
    await app.stop('done');
  }
}

async function examineOne(app: App, plugin: Plugin): Promise<readonly Finding[]> {
  const kernel = app.kernelOf(plugin.name);
  try {
    return (kernel && (await plugin.examine?.(kernel as never))) ?? [];
  } catch (error) {
    const message = `${plugin.name} cannot be looked at: ${(error as Error).message}.`;
    return [finding('database', 'problem', message)];
  }
}

/** Warnings of `svc-server_config_warnings` about the settings. */
async function warnings({ hooks }: App): Promise<Finding[]> {
  const found: ConfigWarning[] = [];
  await hooks.warnings.promise(found);
  return found.map(({ message }) => finding('configuration', 'advice', sentence(message)));
}
