import type { Due } from './work.ts';

const LEAST = 3;
const SHARE = 0.3;
const WITHIN_MS = 60_000;

/** Machines, or monitors, that went together. */
export interface Mass {
  readonly events: ReadonlySet<number>;
  readonly title: string;
}

/**
 * Openings that belong together: of at least three machines or monitors, and three of ten, within a minute.
 * @param all openings of one kind under one policy
 * @param of number of all that there are
 * @param what happened to them: `machines fell silent`
 */
export function massOf(all: readonly Due[], of: number, what: string): Mass | undefined {
  const gone = all.toSorted((a, b) => a.alert.since - b.alert.since);
  let best: readonly Due[] = [];
  for (let from = 0, to = 0; from < gone.length; from++) {
    const first = gone[from]?.alert.since ?? 0;
    while ((gone[to]?.alert.since ?? Number.POSITIVE_INFINITY) <= first + WITHIN_MS) to++;
    if (to - from > best.length) best = gone.slice(from, to);
  }
  const count = new Set(best.map(({ alert }) => alert.subject_id)).size;
  if (count < LEAST || count < SHARE * of) return undefined;
  const at = new Date(best[0]?.alert.since ?? 0).toISOString().slice(11, 16);
  const title = `${count} of ${Math.max(of, count)} ${what} at ${at} UTC`;
  return { events: new Set(best.map(({ event }) => event.id)), title };
}
