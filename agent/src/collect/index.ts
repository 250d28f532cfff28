import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';
import type { Collector } from '../reports.ts';
import { LinuxCollector } from './linux.ts';

/** The collector for the system the agent runs on. */
export async function createCollector(
  clock: Clock,
  log: Logger,
  selectedDisks: readonly string[],
): Promise<Collector> {
  if (process.platform === 'linux') return new LinuxCollector(clock, log, selectedDisks);
  const { PortableCollector } = await import('./portable.ts');
  return new PortableCollector(clock, log);
}
