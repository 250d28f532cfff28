import type { Plugin } from '@svc/plugin-sdk';
import type { Head } from '../config/head.ts';
import { builtInNames, loadPlugin } from './find.ts';

/**
 * The plugins that a configuration asks for, the database driver that fits its address, and what those bring along.
 * @param base directory of the configuration file, where paths and packages are looked for
 * @throws UserError that names the entry
 */
export async function choosePlugins(
  entries: readonly (Plugin | string)[],
  { database }: Head,
  base: string,
): Promise<Plugin[]> {
  const listed = await Promise.all(
    entries.map((entry) => (typeof entry === 'string' ? loadPlugin(entry, base) : entry)),
  );
  // One plugin under several spellings counts once.
  const plugins = [...new Set(listed)];
  const bring = async (name: string) => {
    const plugin = await loadPlugin(name, base);
    const there = new Set(plugins.flatMap(marksOf));
    if (!marksOf(plugin).some((mark) => there.has(mark))) plugins.push(plugin);
  };
  const driver = await driverOf(database.database_url, plugins, base);
  if (driver) await bring(driver);
  // A service manager that waits for a word would end a server that does not send it.
  if (process.env['NOTIFY_SOCKET'] !== undefined) await bring(SERVICE_MANAGER);
  // The list grows while it is walked: what is brought along may bring something itself.
  for (const { brings = [] } of plugins) for (const name of brings) await bring(name);
  return plugins;
}

/** The built-in plugins that a list leaves out; those that come by themselves where they are needed do not count. */
export function leftOut({ plugins }: Pick<Head, 'plugins'>, loaded: readonly Plugin[]): string[] {
  if (plugins === undefined) return [];
  const names = new Set(loaded.map(({ name }) => name));
  const isOff = (name: string) =>
    !names.has(name) && name !== SERVICE_MANAGER && !name.startsWith(DRIVER);
  return builtInNames().filter(isOff);
}

/** Lets the built-in driver of the configured database begin. @returns ends what was not used, to be called after the start */
export async function beginAhead({ database }: Head, base: string): Promise<() => void> {
  // One that cannot be loaded is reported where the plugins are chosen.
  const name = await driverOf(database.database_url, [], base).catch(() => undefined);
  const driver = name === undefined ? undefined : await loadPlugin(name, base);
  return driver?.ahead?.() ?? (() => {});
}

/** Its name and its services: a plugin that shares one with a listed plugin is not brought along. */
const marksOf = ({ name, provides = [] }: Plugin): string[] => [
  name,
  ...provides.map(({ service }) => service),
];

/** Name of the built-in plugin that provides this service; undefined when there is none. */
export async function providerOf(service: string, base: string): Promise<string | undefined> {
  for (const name of builtInNames()) {
    // Advice only: a package that does not load must not hide what is missing.
    const plugin = await loadPlugin(name, base).catch(() => undefined);
    if (plugin?.provides?.some((offered) => offered.service === service)) return name;
  }
  return undefined;
}

/** Names of the built-in drivers begin with this. */
const DRIVER = 'database-';
const SERVICE_MANAGER = 'systemd';

/** The built-in driver for this address, unless a plugin of the list drives it. */
async function driverOf(
  url: string,
  plugins: readonly Plugin[],
  base: string,
): Promise<string | undefined> {
  const scheme = url.slice(0, url.indexOf(':')).toLowerCase();
  if (plugins.some(({ drives }) => drives?.includes(scheme))) return undefined;
  for (const name of builtInNames().filter((name) => name.startsWith(DRIVER))) {
    const { drives } = await loadPlugin(name, base);
    if (drives?.includes(scheme)) return name;
  }
  return undefined;
}
