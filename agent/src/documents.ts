import { type Clock, within } from './clock.ts';
import { type Containers, readContainers } from './collect/containers.ts';
import { readSensors, type Sensors } from './collect/sensors.ts';
import { SlowFigure } from './collect/slow-figure.ts';
import type { AgentConfig, ServerConfig } from './config.ts';
import { HourlyWarning } from './hourly-warning.ts';
import type { Logger } from './log.ts';
import { schedule } from './schedule.ts';

const EVERY_MS = 60_000;

/** Limit of the time that the containers wait for the sensors, which may hang. */
const SENSORS_LIMIT_MS = 5000;
const NO_SENSORS: Sensors = { temperatures: [], fans: [], batteries: [] };
const NO_ENGINE: Containers = {
  total: 0,
  containers: [],
  error: 'there is no socket of a container engine any more',
};

interface Parts {
  readonly config: AgentConfig;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Puts a document on those servers of the configuration for which `isAllowed` is true. */
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
  const readings = new SlowFigure({
    ...{ clock, log, name: 'sensors', ttl_ms: SENSORS_LIMIT_MS },
    load: () => readSensors('/sys/class'),
  });
  const warning = new HourlyWarning(clock, log, 'containers cannot be listed');
  let hadEngine = false;
  return schedule(clock, EVERY_MS, log, async () => {
    if (servers.some(sensors)) {
      const reading = Promise.resolve(readings.refresh());
      await within(clock, 'sensors', SENSORS_LIMIT_MS, reading);
      put('agent_sensors', readings.value ?? NO_SENSORS, sensors);
    }
    if (!servers.some(containers)) return;
    const found = await readContainers(container_socket);
    // The last document would pass as the state of now.
    if (found || hadEngine) put('agent_containers', found ?? NO_ENGINE, containers);
    if (found?.error) warning.log({ reason: found.error });
    hadEngine ||= found !== undefined;
  });
}
