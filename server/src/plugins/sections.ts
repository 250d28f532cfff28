import type { PluginSettings } from '@svc/kernel';
import { type Logger, type Plugin, UserError } from '@svc/plugin-sdk';
import { HeadSchema } from '../config/head.ts';
import type { LoadedConfig } from '../config/load.ts';
import { validateSection } from '../config/section.ts';
import { unknownKeys } from '../config/unknown.ts';
import { builtInNames } from './find.ts';

/** Settings by plugin name. */
export type Sections = ReadonlyMap<string, PluginSettings>;

/** Each plugin's section and claimed top-level keys, with defaults. @throws UserError with key and line; also for colliding claims */
export function sectionsOf(
  plugins: readonly Plugin[],
  { raw, text }: Pick<LoadedConfig, 'raw' | 'text'>,
): Sections {
  const claims = new Map<string, string>();
  const sections = new Map<string, PluginSettings>();
  for (const plugin of plugins) {
    const { name } = plugin;
    claim(claims, name, name);
    for (const key of Object.keys(plugin.rootConfig?.properties ?? {})) claim(claims, key, name);
    sections.set(name, {
      section: plugin.config ? validateSection(name, plugin.config, raw[name], text) : {},
      root: plugin.rootConfig ? validateSection('', plugin.rootConfig, raw, text) : {},
    });
  }
  return sections;
}

function claim(claims: Map<string, string>, key: string, plugin: string): void {
  const owner = Object.hasOwn(HeadSchema.properties, key) ? 'the kernel' : claims.get(key);
  // A name that is listed twice is refused when the plugins are put in order.
  if (owner && owner !== plugin)
    throw new UserError(
      `plugin '${plugin}' claims the configuration key '${key}', which belongs to ${owner}`,
    );
  claims.set(key, plugin);
}

/** Puts new values into the objects that plugins hold. @returns changed keys that the plugin did not declare reloadable */
export function applySections(
  plugins: readonly Plugin[],
  current: Sections,
  next: Sections,
): string[] {
  return plugins.flatMap(({ name, reloadable = [] }) => {
    const held = current.get(name);
    const fresh = next.get(name);
    if (!held || !fresh) return [];
    return [
      ...apply(held.section, fresh.section, reloadable).map((key) => `${name}.${key}`),
      ...apply(held.root, fresh.root, reloadable),
    ];
  });
}

/** @returns the keys that differ and stay as they were */
function apply(
  held: Record<string, unknown>,
  fresh: Record<string, unknown>,
  reloadable: readonly string[],
): string[] {
  const changed = changedKeys(held, fresh);
  for (const key of changed) if (reloadable.includes(key)) held[key] = fresh[key];
  return changed.filter((key) => !reloadable.includes(key));
}

export function changedKeys(a: Record<string, unknown>, b: Record<string, unknown>): string[] {
  return Object.keys({ ...a, ...b }).filter(
    (key) => JSON.stringify(a[key]) !== JSON.stringify(b[key]),
  );
}

/** Templates in the field carry old keys, so an unknown one is warned about, never refused. */
export function warnAboutUnknownKeys(
  plugins: readonly Plugin[],
  { raw }: LoadedConfig,
  log: Logger,
): void {
  const known = {
    sections: Object.fromEntries(plugins.map(({ name, config }) => [name, config])),
    root: plugins.flatMap(({ rootConfig }) => rootConfig ?? []),
    disabled: builtInNames(),
  };
  for (const { path, nearest } of unknownKeys(raw, known)) {
    log.warn('unknown configuration key ignored', nearest ? { key: path, nearest } : { key: path });
  }
}
