import type { Clock } from './clock.ts';
import { readContainers } from './collect/containers.ts';
import { readSensors } from './collect/sensors.ts';
import type { AgentConfig, ServerConfig } from './config.ts';
import type { Logger } from './log.ts';
import { schedule } from './schedule.ts';

const EVERY_MS = 60_000;

interface Parts {
  readonly config: AgentConfig;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Gives a document to those servers of the configuration for which `isAllowed` is true. */
export type Put = (
  key: string,
  content: object,
  isAllowed: (server: ServerConfig) => boolean,
) => void;

/**
 * Reads once a minute what the reports have no room for: documents in the key-value namespace of the agent. Without a
 * server that may know one of them nothing is read. Returns a function that ends it.
 */
export function startDocuments({ config, clock, log }: Parts, put: Put): () => void {
  const { servers, container_socket } = config;
  const sensors = ({ allow_sensors }: ServerConfig) => allow_sensors;
  const containers = ({ allow_containers }: ServerConfig) => allow_containers;
  if (!servers.some((server) => sensors(server) || containers(server))) return () => {};
  let problem: string | undefined;
  return schedule(clock, EVERY_MS, log, async () => {
    if (servers.some(sensors)) put('agent_sensors', await readSensors('/sys/class'), sensors);
    if (!servers.some(containers)) return;
    const found = await readContainers(container_socket);
    if (found) put('agent_containers', found, containers);
    if (found?.error && found.error !== problem) {
      log.warn('containers cannot be listed', { reason: found.error });
    }
    problem = found?.error;
  });
}
