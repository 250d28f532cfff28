import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { agentBundle } from './bundle.ts';
import type { Digests, Handed } from './files.ts';
import { PARTS, type Part, type Runtimes } from './runtimes.ts';

const SCRIPT = new URL('../install.sh', import.meta.url);
/** Words that the server fills in; others between such signs belong to the units. */
const PLACE = /@(BASE|PIN|KEY|MANIFEST|VERIFIER|SYSTEM_UNIT|USER_UNIT|TASKS_UNIT|PING_UNIT)@/g;

export const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(PLACE, (all, name: string) => values[name] ?? all);

/** The installer as it is signed: the same for every machine. */
export async function template(): Promise<string> {
  const folder = dirname(await agentBundle());
  const read = async (...path: string[]) =>
    (await readFile(join(folder, ...path), 'utf8')).trimEnd();
  return filled(await readFile(SCRIPT, 'utf8'), {
    VERIFIER: await read('verify.mjs'),
    SYSTEM_UNIT: await read('systemd', 'svc-agent.service'),
    USER_UNIT: await read('systemd', 'svc-agent-user.service'),
    TASKS_UNIT: await read('systemd', 'svc-agent-tasks.conf'),
    PING_UNIT: await read('systemd', 'svc-agent-ping.conf'),
  });
}

/**
 * Lines of the manifest, one for each part that machines get: `agent VERSION SHA256 BYTES`, `installer …`, and for each platform
 * `runtime PLATFORM …` and `terminal PLATFORM …`.
 */
export async function partLines(
  version: string,
  digests: Digests,
  runtimes: Runtimes,
): Promise<string[]> {
  const lines: string[] = [];
  const add = (what: string, { digest, size }: Omit<Handed, 'path'>) =>
    lines.push(`${what} ${digest} ${size}`);
  const agent = await digests.of(await agentBundle());
  if (agent) {
    add(`agent ${version}`, agent);
    const script = Buffer.from(await template());
    const digest = createHash('sha256').update(script).digest('hex');
    add(`installer ${version}`, { digest, size: script.length });
  }
  for (const platform of await runtimes.platforms()) {
    for (const part of Object.keys(PARTS) as Part[]) {
      const found = await runtimes.of(part, platform);
      if (found) add(`${part} ${platform}`, found);
    }
  }
  return lines;
}
