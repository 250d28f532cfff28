import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App } from '../../kernel/src/index.ts';
import { start } from '../../server/src/start.ts';

/** Gives the server with every built-in plugin, set up on an empty database and not listening. */
export async function withRegistry<T>(use: (app: App) => T | Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-reference-'));
  const config = join(dir, 'server.toml');
  const lines = [
    `server_uuid = "${randomUUID()}"`,
    'ws_listener = "127.0.0.1:0"',
    'static_path = "static"',
    '[database]',
    `database_url = "sqlite://${join(dir, 'server.db')}?mode=rwc"`,
    '[token]',
    'password_kdf = "sha256"',
  ];
  await writeFile(config, `${lines.join('\n')}\n`);
  try {
    const app = await start({ config, mode: 'tool', console: () => {} });
    try {
      return await use(app);
    } finally {
      await app.stop('done');
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
