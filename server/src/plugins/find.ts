import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, UserError } from '@svc/plugin-sdk';
import type { Head } from '../config/head.ts';
import { VERSION } from '../version.ts';
import { importBuiltIn } from './built-in.ts';
import { lendOwnPackages } from './own-packages.ts';

const PREFIX = 'plugin-';
const SDK = 'plugin-sdk';

let installed: readonly string[] | undefined;

/** Names of the installed built-in plugins: the packages `@svc/plugin-<name>` next to this one, found once. */
export function builtInNames(): readonly string[] {
  installed ??= findBuiltIn();
  return installed;
}

function findBuiltIn(): string[] {
  const folders = createRequire(import.meta.url).resolve.paths('@svc/plugin-sdk') ?? [];
  const names = folders
    .map((folder) => join(folder, '@svc'))
    .flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : []))
    .filter((name) => name.startsWith(PREFIX) && name !== SDK)
    .map((name) => name.slice(PREFIX.length));
  return [...new Set(names)].sort();
}

/** Entries that a configuration asks for: `plugins`, by default all built-in ones, and `extra_plugins`. */
export function entriesOf({ plugins = [...builtInNames()], extra_plugins = [] }: Lists): string[] {
  return [...plugins, ...extra_plugins.filter((entry) => !plugins.includes(entry))];
}

type Lists = Pick<Head, 'plugins' | 'extra_plugins'>;

/**
 * Loads one entry of `plugins` or `extra_plugins`: a built-in name, a path (`./`, `../` or absolute, from the working directory, then
 * from the configuration file's), or an npm package (looked up from the configuration file's directory, then from here).
 * @throws UserError that names the entry
 */
export async function loadPlugin(entry: string, base: string): Promise<Plugin> {
  const { module, file } = await importEntry(entry, base);
  const plugin = (module as { default?: unknown }).default as Partial<Plugin> | undefined;
  if (typeof plugin?.name !== 'string' || typeof plugin.setup !== 'function') {
    throw new UserError(`plugin '${entry}' has no default export made by definePlugin`);
  }
  if (plugin.version !== undefined) return plugin as Plugin;
  const version = file === undefined ? VERSION : packageVersion(file);
  return Object.assign(plugin as Plugin, { version });
}

interface Loaded {
  readonly module: unknown;
  /** Path of the module; undefined for a built-in plugin. */
  readonly file?: string;
}

async function importEntry(entry: string, base: string): Promise<Loaded> {
  try {
    if (!isPath(entry) && builtInNames().includes(entry))
      return { module: await importBuiltIn(entry) };
    lendOwnPackages();
    const file = isPath(entry) ? pathEntry(entry, base) : packageEntry(entry, base);
    return { module: await import(pathToFileURL(file).href), file };
  } catch (cause) {
    if (cause instanceof UserError) throw cause;
    throw new UserError(`plugin '${entry}' could not be loaded: ${(cause as Error).message}`, {
      cause,
    });
  }
}

/** Version that the nearest `package.json` above a file states, `0.0.0` where there is none. */
function packageVersion(file: string): string {
  let folder = dirname(file);
  while (!existsSync(join(folder, 'package.json'))) {
    if (folder === dirname(folder)) return '0.0.0';
    folder = dirname(folder);
  }
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return typeof version === 'string' ? version : '0.0.0';
}

const isPath = (entry: string) => /^\.{0,2}[/\\]/.test(entry) || isAbsolute(entry);

function pathEntry(entry: string, base: string): string {
  const found = [resolve(entry), resolve(base, entry)].find((path) => existsSync(path));
  if (!found) throw new UserError(`plugin '${entry}': no such file or folder`);
  return statSync(found).isDirectory() ? mainOf(found) : found;
}

function packageEntry(name: string, base: string): string {
  const folders = [join(base, 'noop.js'), import.meta.url]
    .flatMap((from) => createRequire(from).resolve.paths(name) ?? [])
    .map((folder) => join(folder, name));
  const found = folders.find((folder) => existsSync(join(folder, 'package.json')));
  if (!found) {
    throw new UserError(
      `plugin '${name}': neither a built-in plugin (${builtInNames().join(', ')}) nor a package installed next to the configuration (looked for from ${resolve(base)})`,
    );
  }
  return mainOf(found);
}

/** The file that `import` would load from a package's folder. */
function mainOf(folder: string): string {
  const file = join(folder, 'package.json');
  const { exports, main } = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  return join(folder, exported(exports) ?? main ?? 'index.js');
}

function exported(exports: unknown): string | undefined {
  if (typeof exports === 'string') return exports;
  if (typeof exports !== 'object' || exports === null) return undefined;
  const { '.': root, import: module, default: fallback } = exports as Record<string, unknown>;
  return exported(root) ?? exported(module) ?? exported(fallback);
}
