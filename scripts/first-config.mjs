import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './runtime.mjs';

/**
 * Path of `server.toml` in the data directory; on the first start a copy of `config/minimal.toml` that keeps the
 * database and all files there and listens on `listen`, when given.
 */
export async function firstConfig(data, listen) {
  const path = join(data, 'server.toml');
  if (existsSync(path)) return path;
  mkdirSync(data, { recursive: true, mode: 0o700 });
  // Before the dependencies are installed the program cannot be imported.
  const { setKey } = await import('@svc/server');
  const values = [
    [['static_path'], join(data, 'static')],
    [['db_path'], join(data, 'db')],
    [['database', 'database_url'], `sqlite://${join(data, 'svc.db')}?mode=rwc`],
  ];
  if (listen !== undefined) values.push([['ws_listener'], listen]);
  const minimal = readFileSync(join(root, 'config', 'minimal.toml'), 'utf8');
  const text = values.reduce((toml, [key, value]) => setKey(toml, key, value), minimal);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}
