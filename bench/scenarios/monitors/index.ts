import type { Figure, Scenario } from '../../types.ts';
import { checks, list } from './served.ts';
import { packed, uptime } from './stored.ts';

/** Names of parts to measure alone; all by default. */
const PARTS = process.env['SVC_BENCH_MONITORS']?.split(',');

const parts: { readonly [part: string]: () => Promise<Figure[]> } = {
  checks,
  packed,
  uptime,
  list,
};

/** Figures of a thousand monitors, each beside a yardstick of the same run. */
export const monitors: Scenario = {
  name: 'monitors',
  about:
    'what a check costs, how small it is stored, uptime and the list of 1,000 monitors (SVC_BENCH_MONITORS=checks,packed,uptime,list)',
  async run() {
    const figures: Figure[] = [];
    for (const [part, measure] of Object.entries(parts))
      if (!PARTS || PARTS.includes(part)) figures.push(...(await measure()));
    return figures;
  },
};
