const HOUR = 3_600_000;
/** Times that the matrix can be of, ms. */
export const RANGES = { '1h': HOUR, '6h': 6 * HOUR, '24h': 24 * HOUR, '7d': 168 * HOUR } as const;
export type Range = keyof typeof RANGES;
