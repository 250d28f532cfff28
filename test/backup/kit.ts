import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestApp } from '@svc/plugin-sdk/testing';
import { parse, stringify } from 'smol-toml';
import { start } from '../../server/src/start.ts';
import { type Dialect, emptyPlace } from '../kernel/database-kit.ts';

export const PLUGINS = [
  ...['token', 'agent-uuid', 'agent', 'agent-events', 'task', 'crontab', 'kv', 'retention'],
  ...['status-page', 'db', 'static-bucket', 'static-bucket-file', 'server-info', 'backup', 'audit'],
];

/** What a command has printed. */
export interface Outcome {
  readonly code: number;
  readonly lines: readonly string[];
}

/** A command of the plugin as the program runs it, with its own look at the configuration. */
export async function command(
  config: string,
  name: 'backup' | 'restore',
  words: readonly string[],
  values: Record<string, string | boolean> = {},
  answers: string[] = [],
): Promise<Outcome> {
  const lines: string[] = [];
  const app = await start({ config, mode: 'tool', bare: () => true, console: () => {} });
  try {
    const found: any[] = [];
    app.hooks.commands.run(() => ({ add: (one) => found.push(one) }));
    const one = found.find((each) => each.name === name);
    const terminal = {
      print: (line: string) => void lines.push(line),
      progress: () => {},
      ask: async () => answers.shift(),
    };
    const code = (await one.run(app.kernelOf('backup'), terminal, { words, values })) ?? 0;
    return { code, lines };
  } finally {
    await app.stop('done');
  }
}

export const configOf = (app: TestApp): string => join(app.dir, 'config.toml');

/** A folder that `clean` removes. */
export function folder(): { dir: string; clean(): void } {
  const dir = mkdtempSync(join(tmpdir(), 'svc-backup-'));
  return { dir, clean: () => rmSync(dir, { recursive: true, force: true }) };
}

export interface EmptyTarget {
  readonly dialect: Dialect;
  readonly config: string;
  readonly dir: string;
  remove(): Promise<void>;
}

/** A configuration like this one over an empty database and empty folders. */
export async function emptyTarget(dialect: Dialect, like: string): Promise<EmptyTarget> {
  const place = await emptyPlace(dialect);
  const { dir, clean } = folder();
  const config = join(dir, 'config.toml');
  const old = parse(readFileSync(like, 'utf8'));
  const paths = { static_path: join(dir, 'static'), db_path: join(dir, 'db') };
  const database = { ...(old['database'] as object), database_url: place.url };
  writeFileSync(config, stringify({ ...old, ...paths, database }));
  return {
    dialect,
    config,
    dir,
    async remove() {
      await place.remove();
      clean();
    },
  };
}

/** Tables that the other database does not have. */
const OF_ONE_KIND = ['bus_message', 'sqlite_sequence'];

/** Every row of every table by table, in a form that both databases share: sorted texts of JSON. */
export async function rowsIn(config: string): Promise<Map<string, string[]>> {
  const app = await start({ config, mode: 'tool', bare: () => true, console: () => {} });
  try {
    const tables = (await app.db.tableSizes())
      .map(({ name }) => name)
      .filter((name) => !OF_ONE_KIND.includes(name));
    const found = new Map<string, string[]>();
    for (const table of ['schema_migrations', ...tables]) {
      const rows = await app.db.all<Record<string, unknown>>(`select * from "${table}"`);
      // Only servers on Postgres have the bus on it.
      const common = rows.filter(({ plugin }) => plugin !== 'bus-postgres');
      found.set(table, common.map(shared).sort());
    }
    return found;
  } finally {
    await app.stop('done');
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** SQLite keeps truth as 0 and 1, UUIDs as bytes and documents as text. */
function shared(row: Record<string, unknown>): string {
  const members = Object.entries(row).map(([name, value]) => [name, sharedValue(value)]);
  return JSON.stringify(members.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)));
}

function sharedValue(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (typeof value !== 'string') return value;
  if (UUID.test(value)) return value.replaceAll('-', '');
  return /^[[{]/.test(value) ? sortedJson(value) : value;
}

function sortedJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), (_key, value) =>
      value && typeof value === 'object' && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
        : value,
    );
  } catch {
    return text;
  }
}
