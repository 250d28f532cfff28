import { type Plugin, type Service, UserError } from '@svc/plugin-sdk';

type Suggest = (service: string) => Promise<string | undefined>;

/**
 * Plugins in the order of their `requires`; otherwise as configured.
 * `given` are the services of the program; `suggest` names a plugin that would provide a missing service.
 * @throws UserError for a missing service (and which plugin to add), a double name or a circle
 */
export async function orderPlugins(
  plugins: readonly Plugin[],
  given: ReadonlySet<string>,
  suggest: Suggest = async () => undefined,
): Promise<Plugin[]> {
  const providers = new Map<string, Plugin>();
  const names = new Set<string>();
  for (const plugin of plugins) {
    if (names.has(plugin.name)) throw new UserError(`plugin '${plugin.name}' is listed twice`);
    names.add(plugin.name);
    for (const { service } of plugin.provides ?? []) {
      const other = providers.get(service);
      if (other)
        throw new UserError(
          `plugins '${other.name}' and '${plugin.name}' both provide '${service}'`,
        );
      providers.set(service, plugin);
    }
  }
  await refuseMissing(plugins, providers, given, suggest);
  return sort(plugins, providers);
}

async function refuseMissing(
  plugins: readonly Plugin[],
  providers: ReadonlyMap<string, Plugin>,
  given: ReadonlySet<string>,
  suggest: Suggest,
): Promise<void> {
  for (const plugin of plugins) {
    for (const { service } of plugin.requires ?? []) {
      if (providers.has(service) || given.has(service)) continue;
      const add = await suggest(service);
      const advice = add ? `add "${add}" to plugins` : 'no installed plugin provides it';
      throw new UserError(`plugin '${plugin.name}' requires '${service}': ${advice}`);
    }
  }
}

function sort(plugins: readonly Plugin[], providers: ReadonlyMap<string, Plugin>): Plugin[] {
  const ordered = new Set<Plugin>();
  const visit = (plugin: Plugin, path: readonly string[]) => {
    if (ordered.has(plugin)) return;
    if (path.includes(plugin.name)) {
      throw new UserError(
        `plugins require each other in a circle: ${[...path, plugin.name].join(' → ')}`,
      );
    }
    const follow = (services: readonly Service<unknown>[] = [], isOptional: boolean) => {
      for (const { service } of services) {
        const provider = providers.get(service);
        // Optional services order plugins too, but a circle through them is no reason to stop.
        if (!provider || (isOptional && path.includes(provider.name))) continue;
        visit(provider, [...path, plugin.name]);
      }
    };
    follow(plugin.requires, false);
    follow(plugin.optional, true);
    ordered.add(plugin);
  };
  for (const plugin of plugins) visit(plugin, []);
  return [...ordered];
}
