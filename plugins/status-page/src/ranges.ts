/** Times that a latency curve may span, by their word in an address, cut into about as many buckets. */
export const RANGES = {
  '24h': { step_ms: 300_000, steps: 288 },
  '7d': { step_ms: 1_800_000, steps: 336 },
  '30d': { step_ms: 7_200_000, steps: 360 },
  '90d': { step_ms: 21_600_000, steps: 360 },
} as const;
export type Range = keyof typeof RANGES;

export const FIRST_RANGE = '24h' satisfies Range;
export const rangeNames = Object.keys(RANGES) as Range[];

export const isRange = (text: string | null): text is Range =>
  rangeNames.some((one) => one === text);
