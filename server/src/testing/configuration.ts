import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from '@svc/plugin-sdk';
import { stringify } from 'smol-toml';

/** Deadline of a statement that waits for a connection, ms: a test may ask for much at once. */
const CONNECTION_MS = 30_000;

interface TestSettings {
  readonly plugins: readonly (Plugin | string)[] | undefined;
  readonly config: Record<string, unknown>;
}

/** Writes the configuration of a test server into its folder, with the folder of its static files. @returns the path */
export async function writeConfiguration(
  dir: string,
  database_url: string,
  { plugins, config }: TestSettings,
): Promise<string> {
  await mkdir(join(dir, 'static'));
  const file = join(dir, 'config.toml');
  // A slow hash at every start and login is for the tests that are about it.
  const token = !plugins || plugins.includes('token') ? { password_kdf: 'sha256' } : undefined;
  const base = {
    ...baseConfig(dir, database_url),
    token,
    ...quickCommits(plugins ?? config['plugins']),
  };
  await writeFile(file, stringify(merge(base, config)));
  return file;
}

/** Settings of every test server, over which those of the test are laid. */
const baseConfig = (dir: string, url: string) => ({
  server_uuid: randomUUID(),
  ws_listener: '127.0.0.1:0',
  static_path: join(dir, 'static'),
  db_path: join(dir, 'db'),
  database: {
    database_url: url,
    connect_timeout_ms: CONNECTION_MS,
    acquire_timeout_ms: CONNECTION_MS,
    sqlite_reserve_mb: 0,
  },
  logging: { log_filter: 'info', memory_log_filter: 'trace' },
});

/**
 * Commits reports at once: a test sends one after the other, and would wait for 200 ms each time. With `SVC_TEST_OWN_PACE`
 * it waits, as a user of the product does.
 */
const quickCommits = (plugins: unknown): Record<string, unknown> =>
  (Array.isArray(plugins) && !plugins.includes('agent')) || process.env['SVC_TEST_OWN_PACE']
    ? {}
    : { monitoring_buffer: { flush_interval_ms: 1 } };

function merge(
  base: Record<string, unknown>,
  over: Record<string, unknown>,
): Record<string, unknown> {
  const merged = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const both = isTable(base[key]) && isTable(value);
    if (value === undefined) delete merged[key];
    else merged[key] = both ? merge(base[key] as Record<string, unknown>, value) : value;
  }
  return merged;
}

const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
