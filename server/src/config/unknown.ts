import { nearest } from '@svc/plugin-sdk/util';
import type { TObject, TSchema } from 'typebox';
import { HeadSchema } from './head.ts';
import { isTable } from './section.ts';

/** Keys that plugins read, in addition to the kernel's own. */
export interface KnownKeys {
  /** Section name → its schema; undefined: the plugin has no keys of its own. */
  readonly sections: { readonly [name: string]: TObject | undefined };
  /** Top-level keys claimed by plugins (`rootConfig`). */
  readonly root: readonly TObject[];
  /** Plugins that exist: the sections of those that are off are left alone. */
  readonly disabled?: readonly string[];
}

export interface UnknownKey {
  /** `logging.log_level` */
  readonly path: string;
  /** The key that was probably meant. */
  readonly nearest?: string;
}

/** Keys that plugins claim; known also while their plugin is off. */
const PLUGIN_KEYS = (
  'static_path db_path monitoring_buffer monitoring_buffer.flush_interval_ms ' +
  'monitoring_buffer.max_batch_size monitoring_buffer.channel_capacity bus bus.transport'
).split(' ');

/** Keys of older templates in the field, whose work `log_filter` does now. */
const OLD_LOG_KEYS = /^(?:logging\.)?(?:log_level|jsonrpc_timing_log_level|sqlx_log_level)$/;

/** Keys that neither the kernel nor a plugin reads, in the order of the file. They are never refused. */
export function unknownKeys(raw: Record<string, unknown>, known: KnownKeys): UnknownKey[] {
  const names = namesOf(known);
  return strangers(raw, [], names).map((path) => {
    const renamed = OLD_LOG_KEYS.test(path) ? 'logging.log_filter' : undefined;
    const nearest = renamed ?? nearestOf(path, names.all);
    return nearest === undefined ? { path } : { path, nearest };
  });
}

interface Names {
  readonly all: ReadonlySet<string>;
  /** Tables that may have any keys. */
  readonly open: ReadonlySet<string>;
}

function namesOf({ sections, root, disabled = [] }: KnownKeys): Names {
  const all = new Set([...PLUGIN_KEYS, ...disabled, ...Object.keys(sections)]);
  const listed = (name: string) => PLUGIN_KEYS.some((key) => key.startsWith(`${name}.`));
  const open = new Set(disabled.filter((name) => !Object.hasOwn(sections, name) && !listed(name)));
  for (const schema of [HeadSchema, ...root]) addNames(schema, '', all, open);
  for (const [name, schema] of Object.entries(sections)) {
    if (schema !== undefined) addNames(schema, `${name}.`, all, open);
  }
  return { all, open };
}

function addNames(schema: TObject, prefix: string, all: Set<string>, open: Set<string>): void {
  for (const [key, property] of Object.entries<TSchema>(schema.properties)) {
    all.add(prefix + key);
    if ('properties' in property && !('additionalProperties' in property))
      addNames(property as TObject, `${prefix}${key}.`, all, open);
    else open.add(prefix + key);
  }
}

function strangers(
  table: Record<string, unknown>,
  base: readonly string[],
  names: Names,
): string[] {
  return Object.entries(table).flatMap(([key, value]) => {
    const parts = [...base, key];
    const path = parts.join('.');
    if (!names.all.has(path)) return [path];
    return isTable(value) && !names.open.has(path) ? strangers(value, parts, names) : [];
  });
}

/** The most similar known key; a key of the same table wins a tie. */
function nearestOf(path: string, names: ReadonlySet<string>): string | undefined {
  const [table, key] = split(path);
  const inTable = (name: string) => split(name)[0] === table;
  const all = [...names].sort((a, b) => Number(inTable(b)) - Number(inTable(a)));
  return nearest(key, all, (name) => split(name)[1]);
}

function split(path: string): [table: string, key: string] {
  const at = path.lastIndexOf('.');
  return [path.slice(0, Math.max(at, 0)), path.slice(at + 1)];
}
