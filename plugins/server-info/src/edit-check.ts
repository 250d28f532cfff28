import { existsSync } from 'node:fs';
import { readlink, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { codeOf, RpcError } from '@svc/plugin-sdk';

type Table = Readonly<Record<string, unknown>>;

/**
 * Keys that name a file or folder, in whatever table: a plugin that is not loaded now may be loaded by the new text, so
 * its schema cannot be asked.
 */
const NAMES_PATH = /(?:_path|_file|_dir|_folder|^tls_(?:cert|key|ca))$/;
/** Defaults of configuration.md: writing one out changes nothing. */
const DEFAULTS: Table = {
  static_path: './static/',
  db_path: './db/',
  unix_socket_path: '/var/lib/svc.sock',
};

/** Folders that many programs share: a configuration or an old path right in one of them opens nothing beside it. */
const SHARED =
  /^\/(?:bin|boot|dev|etc|home|lib\w*|media|mnt|opt|proc|root|run|sbin|srv|sys|tmp|usr|var)?$/;

/**
 * What may change over the wire: a stolen Super Token must not become the files of the host. Only differences to the
 * file count, so whatever its operator wrote there may be sent back.
 * @param file of the configuration
 * @throws RpcError 107 with the reason
 */
export async function checkEdit(file: string, before: Table, after: Table): Promise<void> {
  if (!isDeepStrictEqual(listOf(before, 'allowed_paths'), listOf(after, 'allowed_paths')))
    throw refused('allowed_paths: only the operator changes this key, in the file itself');
  if (vacuumFolderOf(before) !== vacuumFolderOf(after))
    throw refused(
      'server-info.exec_sql_vacuum_folder: only the operator changes this key, in the file itself',
    );
  checkPlugins(before, after);
  const allowed = listOf(before, 'allowed_paths').map(String);
  for (const { key, path, old } of changedPaths(before, after))
    await checkPath(key, path, { file, old, allowed });
}

const refused = (reason: string): RpcError => RpcError.config(reason);

const vacuumFolderOf = ({ 'server-info': table }: Table): unknown =>
  isTable(table) ? table['exec_sql_vacuum_folder'] : undefined;

const listOf = (table: Table, key: string): unknown[] => {
  const value = table[key];
  return Array.isArray(value) ? value : [];
};

function checkPlugins(before: Table, after: Table): void {
  const lists = ['plugins', 'extra_plugins'];
  const known = lists.flatMap((key) => listOf(before, key));
  for (const key of lists) {
    const isForeign = (name: unknown) => !known.includes(name) && !isBuiltIn(String(name));
    const foreign = listOf(after, key).find(isForeign);
    if (foreign !== undefined)
      throw refused(
        `${key}: '${foreign}' is not built in; the operator adds it, in the file itself`,
      );
  }
}

/** True for the name of a plugin that is installed with this product. */
export function isBuiltIn(name: string): boolean {
  if (!/^[a-z][a-z0-9-]*$/.test(name)) return false;
  const folders = createRequire(import.meta.url).resolve.paths('@svc/plugin-sdk') ?? [];
  return folders.some((folder) => existsSync(join(folder, '@svc', `plugin-${name}`)));
}

interface ChangedPath {
  readonly key: string;
  readonly path: string;
  /** What it was before, if anything. */
  readonly old: string | undefined;
}

function changedPaths(before: Table, after: Table, base = ''): ChangedPath[] {
  return Object.entries(after).flatMap(([name, next]) => {
    const old = before[name] ?? (base === '' ? DEFAULTS[name] : undefined);
    const key = `${base}${name}`;
    if (isTable(next)) return changedPaths(isTable(old) ? old : {}, next, `${key}.`);
    const path = next === old ? undefined : pathOf(name, next);
    return path === undefined ? [] : [{ key, path, old: pathOf(name, old) }];
  });
}

const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The path of a value; undefined where it names none, as the address of a database server. */
function pathOf(name: string, value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (NAMES_PATH.test(name)) return value;
  if (!/^sqlite:/i.test(value)) return undefined;
  const [path = ''] = value.replace(/^sqlite:(?:\/\/)?/i, '').split('?', 1);
  // As the driver reads it.
  return decodeURIComponent(path);
}

async function checkPath(
  key: string,
  path: string,
  { file, old, allowed }: { file: string; old: string | undefined; allowed: readonly string[] },
): Promise<void> {
  const real = await realOf(path);
  const config = await realOf(file);
  const own = [
    dirname(config),
    dirname(resolve(file)),
    ...(old ? [dirname(await realOf(old))] : []),
  ];
  const isOwn = own.some((folder) => !SHARED.test(folder) && isBelow(folder, real));
  const open = await Promise.all(allowed.map(realOf));
  const isOpen = open.some((folder) => folder === real || isBelow(folder, real));
  if (real !== config && (isOwn || isOpen)) return;
  throw refused(
    `${key}: ${path} lies neither below the configuration's folder, nor where the old path lay, nor in allowed_paths; the operator changes it, in the file itself`,
  );
}

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Where a path leads, links followed; what does not exist yet lies where its folder leads. */
async function realOf(path: string): Promise<string> {
  const full = resolve(path);
  try {
    return await realpath(full);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(full) === full) throw cannotFollow(full, error);
  }
  const folder = await realOf(dirname(full));
  const target = await readlink(full).catch(() => undefined);
  return target === undefined ? join(folder, basename(full)) : realOf(resolve(folder, target));
}

const cannotFollow = (path: string, error: unknown): RpcError =>
  refused(`${path} cannot be followed: ${(error as Error).message}`);
