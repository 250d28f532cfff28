/** Wait after a server with another UUID (clients.md §2.4 step 5). */
export const WRONG_SERVER_WAIT_MS = 30_000;
/** Wait after the end of a working connection (clients.md §2.5). */
export const LOST_WAIT_MS = 3000;

const FIRST_MS = 1000;
const LONGEST_MS = 60_000;

/** Wait in ms before the next attempt: 1, 2, 4 … 60 s, each ±20 %. `random` returns 0 to 1. */
export function retryWait(failures: number, random: () => number): number {
  const base = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, failures - 1));
  return Math.round(base * (0.8 + 0.4 * random()));
}
