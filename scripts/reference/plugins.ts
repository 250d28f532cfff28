import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Plugin } from '../../plugin-sdk/src/index.ts';
import { code, GENERATED, table } from './markdown.ts';

const root = resolve(import.meta.dirname, '../..');

/** The built-in plugins: what their definitions and their packages say. @throws Error for one without a description */
export const pluginsPage = (plugins: readonly Plugin[]): string =>
  `${GENERATED}# Built-in plugins

Which ones run is the list \`plugins\` of the configuration; without it, all of them but drivers and buses that the database does not ask for. A requirement that is missing stops the start with a sentence that names the plugin to add. [Your own](../guide/plugins.md) takes 20 lines.

${table(
  ['Plugin', 'Namespaces', 'Does', 'Brings'],
  [...plugins]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, namespaces = [], brings = [] }) => [
      `[${code(name)}](../../plugins/${name})`,
      namespaces.map(code).join(', '),
      descriptionOf(name),
      brings.map(code).join(', '),
    ]),
)}`
    .trimEnd()
    .concat('\n');

function descriptionOf(name: string): string {
  const file = resolve(root, 'plugins', name, 'package.json');
  const { description } = JSON.parse(readFileSync(file, 'utf8'));
  if (!description)
    throw new Error(`${file} needs a description: a sentence for docs/reference/plugins.md`);
  return description;
}
