import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './runtime.mjs';

/**
 * `server.toml` in the data directory. On the first start there is none yet: `draft` is then the text that the server
 * writes once it has started, so that a start which failed leaves nothing behind.
 */
export async function firstConfig(data, listen) {
  const config = join(data, 'server.toml');
  if (existsSync(config)) return { config };
  mkdirSync(data, { recursive: true, mode: 0o700 });
  return { config, draft: await firstText(data, listen) };
}

/** `config/minimal.toml` with the database and all files in the data directory, listening on `listen`, when given. */
export async function firstText(data, listen) {
  // Before the dependencies are installed the program cannot be imported.
  const { setKey } = await import('@svc/server');
  const values = [
    [['static_path'], join(data, 'static')],
    [['db_path'], join(data, 'db')],
    [['database', 'database_url'], `sqlite://${join(data, 'svc.db')}?mode=rwc`],
  ];
  if (listen !== undefined) values.push([['ws_listener'], listen]);
  const minimal = readFileSync(join(root, 'config', 'minimal.toml'), 'utf8');
  return values.reduce((toml, [key, value]) => setKey(toml, key, value), minimal);
}
