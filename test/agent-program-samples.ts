/** The examples of monitoring-data.md, and a machine that always looks like them. */
import type { Collector, Inventory, Sample } from '../agent/src/reports.ts';
import { FULL_REPORT, STATIC_REPORT } from '../plugins/agent/src/samples.ts';

const { cpu, system } = STATIC_REPORT;
/** Example of monitoring-data.md §3. */
export const INVENTORY: Inventory = { cpu, system, gpu: [] };

const { uuid, time, ...figures } = FULL_REPORT;
/** Example of monitoring-data.md §4. */
export const SAMPLE: Sample = figures;

/** A machine that never changes. */
export const fixedCollector: Collector = {
  sample: async () => structuredClone(SAMPLE),
  inventory: async () => INVENTORY,
};
