import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PLUGIN = fileURLToPath(new URL('..', import.meta.url));
const BUNDLE = join(PLUGIN, 'public', 'svc-agent.mjs');
/** Build script, which only the sources have: an installed package has the bundle. */
const BUILD = join(PLUGIN, 'build.mjs');

let building: Promise<string> | undefined;

/** Path of the agent in one file. Among sources it is made when it is older than they are, which takes half a second. */
export function agentBundle(): Promise<string> {
  building ??= made().finally(() => {
    building = undefined;
  });
  return building;
}

async function made(): Promise<string> {
  if (!existsSync(BUILD)) return BUNDLE;
  const child = spawn(process.execPath, [BUILD], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`the agent could not be bundled (status ${status})`);
  return BUNDLE;
}
