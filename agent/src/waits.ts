/** After a different server UUID (clients.md §2.4 step 5). */
export const WRONG_SERVER_WAIT_MS = 30_000;
/** After a connection that had worked (clients.md §2.5). */
export const LOST_WAIT_MS = 3000;

const FIRST_MS = 1000;
const LONGEST_MS = 60_000;

/** Wait before attempt `failures + 1`: 1, 2, 4 … 60 s, each ±20 %; `random` gives 0..1. */
export function retryWait(failures: number, random: () => number): number {
  const base = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, failures - 1));
  return Math.round(base * (0.8 + 0.4 * random()));
}
