import { type Logger, type Plugin, UserError } from '@svc/plugin-sdk';
import { HeadSchema, RESERVED_SECTIONS } from '../config/head.ts';
import type { LoadedConfig } from '../config/load.ts';
import { validateSection } from '../config/section.ts';
import { unknownKeys } from '../config/unknown.ts';
import { builtInNames } from './resolve.ts';

export type PluginConfigs = Map<
  Plugin,
  { section: Record<string, unknown>; root: Record<string, unknown> }
>;

/** Each plugin's section and claimed top-level keys, with defaults. @throws UserError with key and line; also for colliding claims */
export function pluginConfigs(
  plugins: readonly Plugin[],
  { raw, text }: Pick<LoadedConfig, 'raw' | 'text'>,
): PluginConfigs {
  const claims = new Map<string, string>();
  const configs: PluginConfigs = new Map();
  for (const plugin of plugins) {
    const { name } = plugin;
    claim(claims, name, name);
    for (const key of Object.keys(plugin.rootConfig?.properties ?? {})) claim(claims, key, name);
    configs.set(plugin, {
      section: plugin.config ? validateSection(name, plugin.config, raw[name], text) : {},
      root: plugin.rootConfig ? validateSection('', plugin.rootConfig, raw, text) : {},
    });
  }
  return configs;
}

function claim(claims: Map<string, string>, key: string, plugin: string): void {
  const kernel =
    Object.hasOwn(HeadSchema.properties, key) || RESERVED_SECTIONS.some((name) => name === key);
  const owner = kernel ? 'the kernel' : claims.get(key);
  if (owner)
    throw new UserError(
      `plugin '${plugin}' claims the configuration key '${key}', which belongs to ${owner}`,
    );
  claims.set(key, plugin);
}

/** Puts new values into the objects that plugins hold. @returns changed keys that the plugin did not declare reloadable */
export function applyConfigs(current: PluginConfigs, next: PluginConfigs): string[] {
  const needRestart: string[] = [];
  for (const [plugin, { section, root }] of next) {
    const held = current.get(plugin);
    if (!held) continue;
    const apply = (
      target: Record<string, unknown>,
      source: Record<string, unknown>,
      prefix: string,
    ) => {
      for (const key of new Set([...Object.keys(target), ...Object.keys(source)])) {
        if (JSON.stringify(target[key]) === JSON.stringify(source[key])) continue;
        if (plugin.reloadable?.includes(key)) target[key] = source[key];
        else needRestart.push(prefix + key);
      }
    };
    apply(held.section, section, `${plugin.name}.`);
    apply(held.root, root, '');
  }
  return needRestart;
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
