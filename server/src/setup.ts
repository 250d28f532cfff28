import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UserError } from '@svc/plugin-sdk';
import { setKey } from './config/edit.ts';
import { parseListener } from './config/listener.ts';
import { makePackageFolder } from './plugins/package-folder.ts';

/** Template of a configuration: in the repository among the other configurations, in a built package next to its code. */
const TEMPLATE = ['../../config/minimal.toml', '../templates/minimal.toml'].map(
  (path) => new URL(path, import.meta.url),
);

/** `config/minimal.toml` with the database and all files in `folder` (absolute), listening on `listen` where it is given. */
export function firstText(folder: string, listen?: string): string {
  const minimal = readFileSync(TEMPLATE.find((file) => existsSync(file)) ?? '', 'utf8');
  const values: [key: string[], value: string][] = [
    [['static_path'], join(folder, 'static')],
    [['db_path'], join(folder, 'db')],
    [['database', 'database_url'], `sqlite://${join(folder, 'svc.db')}?mode=rwc`],
  ];
  if (listen !== undefined) values.push([['ws_listener'], listen]);
  return values.reduce((toml, [key, value]) => setKey(toml, key, value), minimal);
}

/**
 * `svc-server setup DIR`: `server.toml` in a folder that keeps everything else, too. A file that is there stays.
 * @returns what has happened, and the next step
 * @throws UserError where no folder is named, and for an address that is none
 */
export function setUp(folder: string, listen?: string): string {
  if (folder === '') throw new UserError('setup needs a folder: svc-server setup DIR');
  if (listen !== undefined && !parseListener(listen))
    throw new UserError(`--listen ${listen}: give IP:PORT or [IPv6]:PORT`);
  const config = join(resolve(folder), 'server.toml');
  if (existsSync(config)) return `${config} is there already, and stays as it is.`;
  mkdirSync(resolve(folder), { recursive: true, mode: 0o700 });
  writeFileSync(config, firstText(resolve(folder), listen), { mode: 0o600, flag: 'wx' });
  makePackageFolder(resolve(folder));
  return `Made ${config}. Next:\n  svc-server serve -c ${config}`;
}
