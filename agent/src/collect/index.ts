import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';
import type { Collector } from '../reports.ts';
import { LinuxCollector } from './linux.ts';
import { PortableCollector } from './portable.ts';

/** The collector for the system the agent runs on. */
export function createCollector(
  clock: Clock,
  log: Logger,
  selectedDisks: readonly string[],
): Collector {
  if (process.platform === 'linux') return new LinuxCollector(clock, log, selectedDisks);
  return new PortableCollector(clock, log);
}
