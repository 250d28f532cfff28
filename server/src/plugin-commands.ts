import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App } from '@svc/kernel';
import type { Command, Kernel } from '@svc/plugin-sdk';
import { setKey } from './config/edit.ts';
import { firstText } from './setup.ts';
import { start } from './start.ts';

interface OfPlugin {
  readonly command: Command;
  /** Kernel through which the plugin acts. */
  readonly kernel: Kernel | undefined;
}

/** The commands that the plugins register. */
export function commandsOf(app: App): OfPlugin[] {
  const found: OfPlugin[] = [];
  app.hooks.commands.run((plugin) => ({
    add: (command) => found.push({ command, kernel: app.kernelOf(plugin) }),
  }));
  return found;
}

/**
 * The commands of the plugins of a configuration, for the help: without its database, which may be away. Where there is
 * no configuration, or a broken one, those of all built-in plugins.
 */
export async function knownCommands(config: string | undefined): Promise<Command[]> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-help-'));
  try {
    const configured = config && existsSync(config) ? await of(config, folder) : undefined;
    return configured ?? (await of(undefined, folder)) ?? [];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function of(config: string | undefined, folder: string): Promise<Command[] | undefined> {
  const database = join(folder, 'empty.db');
  writeFileSync(database, '');
  const options = { mode: 'look', console: () => {} } as const;
  try {
    const text = config ? readFileSync(config, 'utf8') : firstText(folder);
    const draft = setKey(text, ['database', 'database_url'], `sqlite://${database}?mode=rwc`);
    const app = await start({ ...options, draft, config: config ?? join(folder, 'server.toml') });
    const found = commandsOf(app).map(({ command }) => command);
    await app.stop('looked at');
    return found;
  } catch {
    // What is wrong with the configuration is for a command that uses it, and for `doctor`.
    return undefined;
  }
}
