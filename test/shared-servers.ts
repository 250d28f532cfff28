/** Several servers of this process on one Postgres database. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bus, Kernel } from '@svc/plugin-sdk';
import { bootForTest, type TestApp, type TestOptions } from '@svc/plugin-sdk/testing';
import { until } from './bus-kit.ts';

export interface SharedServers {
  /** In the order of their start; the first one owns the database. */
  readonly apps: TestApp[];
  readonly superToken: string;
  readonly database_url: string;
  /** Starts one more, with other plugins where some are named. */
  join(other?: Parameters<typeof bootForTest>[0]): Promise<TestApp>;
  stop(): Promise<void>;
}

/** Equal servers: same plugins, same configuration, each knows all others. */
export async function sharedServers(
  count: number,
  plugins: Parameters<typeof bootForTest>[0],
  config: Record<string, unknown> = {},
  options: Omit<TestOptions, 'dialect'> = {},
): Promise<SharedServers> {
  const first = await bootForTest(plugins, config, { ...options, dialect: 'postgres' });
  const apps = [first];
  const text = await readFile(join(first.dir, 'config.toml'), 'utf8');
  const value = (key: string) => new RegExp(`^${key} = "([^"]+)"`, 'm').exec(text)?.[1];
  const database_url = value('database_url')!;
  const same = {
    ...config,
    server_uuid: value('server_uuid'),
    database: { ...(config['database'] as object), database_url },
  };
  const servers: SharedServers = {
    apps,
    superToken: first.superToken,
    database_url,
    async join(other = plugins) {
      const app = await bootForTest(other, same, { ...options, dialect: 'postgres' });
      // A server prints the Super Token only where it makes it; the kit knows it everywhere.
      apps.push(Object.assign(app, { superToken: first.superToken }));
      await acquainted(apps);
      return app;
    },
    async stop() {
      for (const app of apps.toReversed()) await app.stop();
    },
  };
  try {
    while (apps.length < count) await servers.join();
  } catch (error) {
    await servers.stop();
    throw error;
  }
  return servers;
}

export const kernelOf = (app: TestApp): Kernel => (app.kernel as any).kernelOf('token');
export const busOf = (app: TestApp): Bus => kernelOf(app).bus;

/** Every server knows every other one. */
export async function acquainted(apps: readonly TestApp[]): Promise<void> {
  const ids = (list: readonly { id: string }[]) =>
    list
      .map(({ id }) => id)
      .sort()
      .join();
  for (const app of apps) {
    const others = ids(apps.filter((other) => other !== app).map(busOf));
    await until('servers know each other', () => ids(busOf(app).servers()) === others);
  }
}
