import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from './clock.ts';
import type { AgentConfig, ServerConfig } from './config.ts';
import type { Logger } from './log.ts';
import { Spool } from './spool.ts';

interface Place {
  readonly config: AgentConfig;
  readonly config_path: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The folder for reports that wait: of the configuration, else of the service manager, else next to the configuration. */
function bufferDir({ config, config_path }: Place): string {
  const [state = ''] = (process.env['STATE_DIRECTORY'] ?? '').split(':');
  return config.buffer_dir || state || join(dirname(config_path), 'svc-agent-buffer');
}

/** Key of a server: one of another name or UUID is another server, and does not get these reports. */
const placeOf = ({ name, server_uuid }: ServerConfig): string =>
  createHash('sha256').update(`${name}\n${server_uuid}`).digest('hex').slice(0, 32);

/** Opens the reports that wait on the disk for a server; undefined where none are stored. */
export function openSpool(place: Place, server: ServerConfig): Spool | undefined {
  const { config, clock, log } = place;
  if (config.buffer_mb === 0 || !server.allow_report) return undefined;
  return new Spool({
    dir: join(bufferDir(place), placeOf(server)),
    max_bytes: config.buffer_mb * 2 ** 20,
    max_age_ms: config.buffer_hours * 3_600_000,
    clock,
    log,
  });
}

/** Removes what waits for servers that are not in the configuration any more. */
export async function removeOthers(place: Place): Promise<void> {
  const { config, log } = place;
  const dir = bufferDir(place);
  const current = config.buffer_mb === 0 ? [] : config.servers.map(placeOf);
  const names = await readdir(dir).catch(() => []);
  for (const name of names.filter((one) => /^[0-9a-f]{32}$/.test(one) && !current.includes(one))) {
    await rm(join(dir, name), { recursive: true, force: true }).catch((error: Error) =>
      log.warn('old reports cannot be removed', { reason: error.message }),
    );
  }
}
