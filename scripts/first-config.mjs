import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './runtime.mjs';

/**
 * Path of `server.toml` in the data directory; on the first start a copy of `config/minimal.toml` that keeps the
 * database and all files there and listens on `listen`, when given.
 */
export function firstConfig(data, listen) {
  const path = join(data, 'server.toml');
  if (existsSync(path)) return path;
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const values = {
    ...(listen === undefined ? {} : { ws_listener: listen }),
    static_path: join(data, 'static'),
    db_path: join(data, 'db'),
    database_url: `sqlite://${join(data, 'svc.db')}?mode=rwc`,
  };
  const minimal = readFileSync(join(root, 'config', 'minimal.toml'), 'utf8');
  writeFileSync(path, Object.entries(values).reduce(setKey, minimal), { mode: 0o600 });
  return path;
}

/** Replaces the value of a key, wherever it stands; a key that is not there becomes a top-level one, before the first table. */
function setKey(toml, [key, value]) {
  const line = new RegExp(`^([ \\t]*${key}[ \\t]*=[ \\t]*).*$`, 'm');
  if (line.test(toml)) return toml.replace(line, (_all, head) => head + JSON.stringify(value));
  const table = toml.search(/^[ \t]*\[/m);
  const at = table < 0 ? toml.length : table;
  return `${toml.slice(0, at)}${key} = ${JSON.stringify(value)}\n\n${toml.slice(at)}`;
}
