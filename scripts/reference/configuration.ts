import type { Plugin, TSchema } from '../../plugin-sdk/src/index.ts';
import type { KeyMarks } from '../../plugin-sdk/src/kernel.ts';
import { type JsonSchema, jsonSchema } from '../../plugins/discovery/src/json-schema.ts';
import { typeText } from '../../plugins/discovery/src/typescript.ts';
import { HeadSchema } from '../../server/src/config/head.ts';
import { reloadedKeys } from '../../server/src/plugins/sections.ts';
import { code, GENERATED, table } from './markdown.ts';
import { meaning } from './schema-words.ts';

/** Keys of the head that a reload does not change (configuration.md §1). */
const RESTART = new Set([
  'plugins',
  'extra_plugins',
  'database',
  'logging',
  'brand',
  'server_uuid',
]);

/** Every key of the configuration file. */
export function configurationPage(plugins: readonly Plugin[]): string {
  const tables = new Map<string, string>();
  const top: string[][] = [];
  const addHead = (name: string, schema: TSchema) => {
    const { properties, ...own } = jsonSchema(schema);
    const reload = RESTART.has(name) ? 'restart' : 'yes';
    if (!properties) return top.push(row(name, { ...own }, reload));
    const rows = Object.entries(properties).map(([key, inner]) => row(key, inner, reload));
    return tables.set(name, rowsOf(rows));
  };
  for (const [name, schema] of Object.entries(HeadSchema.properties)) addHead(name, schema);
  for (const plugin of plugins) {
    const { config, name, rootConfig } = plugin;
    const reloaded = reloadedKeys(plugin);
    const { wire } = (config ?? {}) as KeyMarks;
    const rowsFor = (given: { readonly [key: string]: TSchema }) =>
      Object.entries(given).map(([key, schema]) =>
        row(key, jsonSchema(schema), reloaded.includes(key) ? 'yes' : 'restart', wire),
      );
    const root = Object.entries(rootConfig?.properties ?? {}) as [string, TSchema][];
    for (const [key, schema] of root) {
      const plain = jsonSchema(schema);
      const reload = reloaded.includes(key) ? 'yes' : 'restart';
      if (!plain.properties) top.push(row(key, plain, reload));
      else
        tables.set(
          key,
          rowsOf(Object.entries(plain.properties).map(([k, s]) => row(k, s, reload))),
        );
    }
    const own = rowsFor((config?.properties ?? {}) as { readonly [key: string]: TSchema });
    if (own.length > 0) tables.set(name, rowsOf(own));
  }
  const sections = [...tables].sort(([a], [b]) => (a < b ? -1 : 1));
  return `${GENERATED}# Configuration keys

The file is TOML. [\`config/all.toml\`](../../config/all.toml) has every key with its default. "Reload" says whether a reload changes the key while the server runs. "Changed" says where: over the wire (\`svc-server_edit_config\`), or in the file on the machine only.

## Top-level keys

${rowsOf(top)}${sections.map(([name, text]) => `## ${code(`[${name}]`)}\n\n${text}`).join('')}`
    .trimEnd()
    .concat('\n');
}

const rowsOf = (rows: readonly (readonly string[])[]) =>
  table(['Key', 'Type', 'Default', 'Reload', 'Changed', 'Meaning'], rows);

function row(name: string, schema: JsonSchema, reload: string, wire?: unknown): string[] {
  const { default: given, wire: own = wire } = schema;
  const shown = given === undefined ? '–' : code(JSON.stringify(given));
  return [
    code(name),
    code(
      typeText(schema)
        .replace(/\/\*\*.*?\*\//g, '')
        .replace(/\s+/g, ' '),
    ),
    shown,
    reload,
    own === false ? 'file only' : 'wire',
    meaning(schema),
  ];
}
