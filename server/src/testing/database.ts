import { createHash, randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { copyFile, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plugin } from '@svc/plugin-sdk';
import { stringify } from 'smol-toml';
import { start } from '../start.ts';

interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/**
 * A file in the test's folder, or a fresh database on the Postgres that the test runner started.
 * `copied`: it is a copy of one on which the migrations of every built-in plugin have been applied, as on a server that had
 * more plugins before. `test/server/empty-databases.test.ts` starts each plugin on an empty one.
 */
export async function createTestDatabase(
  dialect: 'sqlite' | 'postgres',
  dir: string,
  copied: boolean,
): Promise<TestDatabase> {
  const template = copied ? await templateFor(dialect) : undefined;
  if (dialect === 'sqlite') return sqliteFile(dir, template);
  return createPostgres(freshName(), template);
}

async function sqliteFile(dir: string, template?: string): Promise<TestDatabase> {
  const file = join(dir, 'test.db');
  if (template) await copyFile(template, file);
  return { url: `sqlite://${file}?mode=rwc`, drop: async () => {} };
}

async function createPostgres(name: string, template = 'template1'): Promise<TestDatabase> {
  await administer(`create database ${name} template ${template}`);
  const url = new URL(maintenanceUrl());
  url.pathname = `/${name}`;
  const drop = async () => {
    await administer(`drop database if exists ${name} with (force)`);
    const digest = createHash('md5').update(name).digest('hex').slice(0, 12);
    await administer(`drop role if exists svc_sql_${digest}, svc_super_${digest}`);
  };
  return { url: url.href, drop };
}

const freshName = (): string => `svc_test_${randomUUID().replaceAll('-', '')}`;

function maintenanceUrl(): string {
  const url = process.env['SVC_TEST_POSTGRES_URL'] ?? urlOfEnvironment(process.env);
  if (url) return url;
  const message =
    'no Postgres for the test: set PGHOST, and PGPORT, PGUSER and PGPASSWORD where they differ from what psql takes';
  throw Object.assign(new Error(message), { code: 'NO_POSTGRES' });
}

/** The server that the variables of psql name; undefined without `PGHOST`, which may be the folder of a socket. */
function urlOfEnvironment(env: NodeJS.ProcessEnv): string | undefined {
  const { PGHOST: host, PGPORT = '5432', PGUSER = 'postgres', PGPASSWORD, PGDATABASE } = env;
  if (!host) return undefined;
  const url = new URL(`postgres://${host.startsWith('/') ? 'localhost' : host}:${PGPORT}/`);
  url.pathname = `/${PGDATABASE ?? 'postgres'}`;
  url.username = encodeURIComponent(PGUSER);
  if (PGPASSWORD) url.password = encodeURIComponent(PGPASSWORD);
  if (host.startsWith('/')) url.searchParams.set('host', host);
  return url.href;
}

async function administer(sql: string): Promise<void> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: maintenanceUrl() });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** File or database of the template by dialect. */
const templates = new Map<string, Promise<string>>();

/** `undefined` on a Postgres that is not the tests' own. */
async function templateFor(dialect: 'sqlite' | 'postgres'): Promise<string | undefined> {
  // Templates end with the runner's Postgres; a server that `PGHOST` names would keep them.
  if (dialect === 'postgres' && process.env['PGHOST']) return undefined;
  const template = templates.get(dialect) ?? makeTemplate(dialect);
  templates.set(dialect, template);
  return template;
}

/** A path or a package may change between two starts. */
export const isBuiltIn = (plugin: Plugin | string): boolean =>
  typeof plugin === 'string' && /^[a-z-]+$/.test(plugin);

const ADDRESS = { ws_listener: '127.0.0.1:0' };

/** Runs the steps that the built-in plugins register, and nothing else. @returns path or name of its database */
async function makeTemplate(dialect: 'sqlite' | 'postgres'): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-template-'));
  process.on('exit', () => rmSync(dir, { recursive: true, force: true }));
  const name = freshName();
  const { url } = dialect === 'sqlite' ? await sqliteFile(dir) : await createPostgres(name);
  const config = join(dir, 'config.toml');
  await writeFile(
    config,
    stringify({ ...ADDRESS, server_uuid: randomUUID(), database: { database_url: url } }),
  );
  const tool = { mode: 'tool', bare: () => true, console: () => {} } as const;
  const app = await start({ ...tool, config });
  try {
    await app.migrate();
  } finally {
    await app.stop('migrated');
  }
  return dialect === 'sqlite' ? join(dir, 'test.db') : name;
}
