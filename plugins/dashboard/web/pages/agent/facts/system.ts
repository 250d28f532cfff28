import { t } from '../../../strings/index.ts';
import type { FactRow } from './list.tsx';
import type { Static } from './model.ts';

/** Texts that say nothing, of agents that could not find out. */
const isKnown = (text: string) => text !== '' && text.toLowerCase() !== 'unknown';

/** Texts that no earlier one repeats: agents send the same text in several fields (monitoring-data.md §3). */
export function saidOnce(texts: readonly string[]): readonly string[] {
  const said: string[] = [];
  for (const text of texts)
    if (isKnown(text) && !said.some((one) => one.toLowerCase().includes(text.toLowerCase())))
      said.push(text);
  return said;
}

/** System of the machine, each fact once. */
export function systemRows(system: Static['system'] | undefined): FactRow[] {
  if (!system) return [];
  const f = t.agent.facts;
  const names = saidOnce([
    system.system_os_long_version,
    system.system_name,
    system.system_os_version,
    system.distribution_id,
  ]);
  const kernel = saidOnce([...names, system.system_kernel, system.system_kernel_version]);
  return [
    [f.host, system.system_host_name],
    [f.system, names.join(' · ')],
    [f.kernel, kernel.slice(names.length).join(' · ')],
    [f.arch, system.arch],
    [f.virtualization, saidOnce([system.virtualization]).join()],
  ];
}

/** The processors, each model once. */
export function processorRows(cpu: Static['cpu'] | undefined): FactRow[] {
  if (!cpu) return [];
  const f = t.agent.facts;
  const models = new Set(cpu.per_core.map(({ brand }) => brand));
  return [
    [f.processor, [...models].filter(isKnown).join(', ')],
    [f.cores, f.coreCount(cpu.physical_cores, cpu.logical_cores)],
  ];
}
