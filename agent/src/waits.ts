/** Wait after a server with another UUID (clients.md §2.4 step 5). */
export const WRONG_SERVER_WAIT_MS = 30_000;
/** Wait after the end of a working connection (clients.md §2.5). */
export const LOST_WAIT_MS = 3000;

const FIRST_MS = 1000;
const LONGEST_MS = 60_000;
/** Time between two registrations for tasks that succeed (clients.md §2.5). */
const REGISTER_MS = 60_000;
const FIRST_REFUSED_MS = 5000;
const LONGEST_REFUSED_MS = 600_000;

/** Wait in ms before the next attempt: 1, 2, 4 … 60 s, each ±20 %. `random` returns 0 to 1. */
export function retryWait(failures: number, random: () => number): number {
  return spread(Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, failures - 1)), random);
}

/** Wait in ms before the next registration for tasks: a minute, after refusals in a row 5, 10, 20 s … 10 min, each ±20 %. */
export function registrationWait(refusals: number, random: () => number): number {
  if (refusals === 0) return REGISTER_MS;
  return spread(Math.min(LONGEST_REFUSED_MS, FIRST_REFUSED_MS * 2 ** (refusals - 1)), random);
}

const spread = (base: number, random: () => number): number =>
  Math.round(base * (0.8 + 0.4 * random()));
