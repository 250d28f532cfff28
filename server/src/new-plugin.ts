import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UserError } from '@svc/plugin-sdk';
import { builtInNames } from './plugins/find.ts';

const TEMPLATE = fileURLToPath(new URL('../templates/plugin', import.meta.url));
/** The name of the template's plugin, also as a part of SQL names. */
const SAMPLE = /sample([-_])plugin/g;

/**
 * Writes the sources of a new plugin with its test into a new or empty folder.
 * @returns the next steps
 * @throws UserError for a name that cannot be used and for a folder that is not empty
 */
export function newPlugin(name: string, folder: string = name): string {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    throw new UserError(`'${name}': use small letters, digits and hyphens, for example my-plugin`);
  if (builtInNames().includes(name))
    throw new UserError(`'${name}' is the name of a built-in plugin: choose another one`);
  const target = resolve(folder);
  if (existsSync(target) && readdirSync(target).length > 0)
    throw new UserError(`${target} is not empty: choose another folder with --dir`);
  const entries = readdirSync(TEMPLATE, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((entry) => entry.isFile())) {
    const source = join(entry.parentPath, entry.name);
    const path = named(relative(TEMPLATE, source), name).replace(/^gitignore$/, '.gitignore');
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), linked(named(readFileSync(source, 'utf8'), name)));
  }
  return `Made ${target}. Next:
  cd ${target}
  npm install
  npm test
README.md says how a server loads the plugin.`;
}

const named = (text: string, name: string) =>
  text.replace(SAMPLE, (_, joint: string) => name.replaceAll('-', joint));

/** Gives dependencies on packages next to this one their full path. */
const linked = (text: string) =>
  text.replace(/"file:([^"]+)"/g, (_, path: string) =>
    JSON.stringify(`file:${resolve(TEMPLATE, path)}`),
  );
