import type { PluginSettings } from '@svc/kernel';
import { type Plugin, Type, UserError } from '@svc/plugin-sdk';
import type { ConfigWarning, KeyMarks } from '@svc/plugin-sdk/kernel';
import type { TObject } from 'typebox';
import { HeadSchema } from '../config/head.ts';
import type { LoadedConfig, ParsedConfig } from '../config/load.ts';
import { isTable, problemsError, validateSection } from '../config/section.ts';
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
  refuseOtherTls(plugins, { raw, text });
  return sections;
}

/** Words of keys that ask for encryption. */
const TLS_WORD = /^(?:tls|ssl|https)(?:_|$)|(?:^|_)cert(?:ificate)?(?:_|$)/i;

/**
 * The one kind of unknown key that stops a start: who wrote it wants TLS, and would be served in clear.
 * @throws UserError with the keys to use
 */
function refuseOtherTls(
  plugins: readonly Plugin[],
  { raw, text }: Pick<LoadedConfig, 'raw' | 'text'>,
) {
  if (raw['tls_cert'] !== undefined) return;
  const asks = (path: readonly string[]) => path.some((word) => TLS_WORD.test(word));
  const unknown = unknownKeys(raw, knownTo(plugins)).map(({ path }) => path.split('.'));
  const found = unknown.flatMap((path) => pathsBelow(raw, path)).find(asks);
  if (found === undefined || raw[found.join('.')] === false) return;
  const message =
    'is no key of this server, which would serve without TLS: write tls_cert = "FILE" and tls_key = "FILE" above the first table';
  throw problemsError([{ path: found, message }], text);
}

/** The key itself, and where it is a table the keys in it. */
function pathsBelow(raw: Record<string, unknown>, path: readonly string[]): (readonly string[])[] {
  let value: unknown = raw;
  for (const word of path) value = isTable(value) ? value[word] : undefined;
  return [path, ...(isTable(value) ? Object.keys(value).map((key) => [...path, key]) : [])];
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

/** Names of the keys of a plugin that a reload may change. */
export function reloadedKeys({ config, rootConfig, reloadable = [] }: Plugin): string[] {
  const marked = [config, rootConfig].flatMap((section) =>
    Object.entries<KeyMarks>(section?.properties ?? {})
      .filter(([, key]) => key.reload || (section as KeyMarks).reload)
      .map(([name]) => name),
  );
  return [...marked, ...reloadable];
}

/** Puts new values of reloadable keys into the objects that plugins hold. */
export function applySections(plugins: readonly Plugin[], current: Sections, next: Sections): void {
  for (const plugin of plugins) {
    const { name } = plugin;
    const { section, root } = next.get(name) ?? {};
    const held = current.get(name);
    for (const key of reloadedKeys(plugin)) {
      if (held && section && key in section) held.section[key] = section[key];
      if (held && root && key in root) held.root[key] = root[key];
    }
  }
}

/** Changed keys that need a restart. */
export function heldBack(plugins: readonly Plugin[], current: Sections, next: Sections): string[] {
  return plugins.flatMap((plugin) => {
    const { name } = plugin;
    const reloaded = reloadedKeys(plugin);
    const changed = (part: 'section' | 'root') =>
      changedKeys(current.get(name)?.[part] ?? {}, next.get(name)?.[part] ?? {}).filter(
        (key) => !reloaded.includes(key),
      );
    return [...changed('section').map((key) => `${name}.${key}`), ...changed('root')];
  });
}

/** Changed keys as in `changedKeys`, tables by their own keys: `database.max_connections`. */
export function changedLeaves(a: Record<string, unknown>, b: Record<string, unknown>): string[] {
  return changedKeys(a, b).flatMap((key) => {
    const [before, after] = [a[key], b[key]];
    if (!isTable(before) || !isTable(after)) return [key];
    return changedKeys(before, after).map((inner) => `${key}.${inner}`);
  });
}

function changedKeys(a: Record<string, unknown>, b: Record<string, unknown>): string[] {
  return Object.keys({ ...a, ...b }).filter(
    (key) => JSON.stringify(a[key]) !== JSON.stringify(b[key]),
  );
}

/** The schema of a whole file: the kernel's keys, those that plugins claim, and their sections. */
export const schemaOf = (plugins: readonly Plugin[]): TObject =>
  Type.Object(
    Object.assign(
      { ...HeadSchema.properties },
      ...plugins.map(({ name, config, rootConfig }) => ({
        ...(config && { [name]: config }),
        ...rootConfig?.properties,
      })),
    ),
  );

const knownTo = (plugins: readonly Plugin[]) => ({
  sections: Object.fromEntries(plugins.map(({ name, config }) => [name, config])),
  root: plugins.flatMap(({ rootConfig }) => rootConfig ?? []),
  disabled: builtInNames(),
});

/**
 * Warnings of what is allowed in this configuration and probably a mistake. Templates in the field carry old keys, so an
 * unknown one is reported, never refused.
 */
export function keyWarnings(plugins: readonly Plugin[], { raw, warnings }: ParsedConfig) {
  const strange = unknownKeys(raw, knownTo(plugins)).map(
    ({ path: key, nearest }): ConfigWarning => {
      const meant = nearest === undefined ? '' : `; did you mean '${nearest}'?`;
      return {
        kind: 'unknown',
        key,
        nearest,
        message: `unknown configuration key '${key}' ignored${meant}`,
      };
    },
  );
  return [...warnings.map((message): ConfigWarning => ({ kind: 'advice', message })), ...strange];
}
