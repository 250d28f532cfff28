import { type Plugin, UserError } from '@svc/plugin-sdk';
import type { Service } from '@svc/plugin-sdk/kernel';

/**
 * Plugins in the order of their `requires`; otherwise as configured.
 * `given` are the services of the program; `suggest` names a plugin that would provide a missing service.
 * @throws UserError for missing services (all of them, with the plugins to add), a double name or a circle
 */
export async function orderPlugins(
  plugins: readonly Plugin[],
  given: ReadonlySet<string>,
  suggest: (service: string) => Promise<string | undefined> = async () => undefined,
): Promise<Plugin[]> {
  const providers = providersOf(plugins);
  const missing: string[] = [];
  for (const { name, requires = [] } of plugins) {
    for (const { service } of requires) {
      if (providers.has(service) || given.has(service)) continue;
      const add = await suggest(service);
      const advice = add ? `add "${add}" to plugins` : 'no installed plugin provides it';
      missing.push(`plugin '${name}' requires '${service}': ${advice}`);
    }
  }
  if (missing.length > 0) throw new UserError(missing.join('\n'));
  return sort(plugins, providers);
}

/** The plugins by the services that they provide. */
function providersOf(plugins: readonly Plugin[]): Map<string, Plugin> {
  const providers = new Map<string, Plugin>();
  const names = new Set<string>();
  for (const plugin of plugins) {
    const { name, provides = [] } = plugin;
    if (names.has(name)) throw new UserError(`plugin '${name}' is listed twice`);
    names.add(name);
    for (const { service } of provides) {
      const other = providers.get(service)?.name;
      if (other) throw new UserError(`plugins '${other}' and '${name}' both provide '${service}'`);
      providers.set(service, plugin);
    }
  }
  return providers;
}

function sort(plugins: readonly Plugin[], providers: ReadonlyMap<string, Plugin>): Plugin[] {
  const ordered = new Set<Plugin>();
  const visit = (plugin: Plugin, path: readonly string[]) => {
    if (ordered.has(plugin)) return;
    const way = [...path, plugin.name];
    if (path.includes(plugin.name))
      throw new UserError(`plugins require each other in a circle: ${way.join(' → ')}`);
    const follow = (services: readonly Service<unknown>[] = [], isOptional: boolean) => {
      for (const { service } of services) {
        const provider = providers.get(service);
        // Optional services order plugins too, but a circle through them is no reason to stop.
        if (!provider || (isOptional && path.includes(provider.name))) continue;
        visit(provider, way);
      }
    };
    follow(plugin.requires, false);
    follow(plugin.optional, true);
    ordered.add(plugin);
  };
  for (const plugin of plugins) visit(plugin, []);
  return [...ordered];
}
