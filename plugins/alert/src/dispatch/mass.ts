import type { Due } from './work.ts';

const LEAST = 3;
const SHARE = 0.3;
const WITHIN_MS = 60_000;

/** Machines that fell silent together. */
export interface Mass {
  readonly events: ReadonlySet<number>;
  readonly title: string;
}

/**
 * Openings about absence that belong together: at least three machines, and three of ten, gone within a minute.
 * @param all openings of rules of source `presence` under one policy
 */
export function massOf(all: readonly Due[], fleet: number): Mass | undefined {
  const gone = all.toSorted((a, b) => a.alert.since - b.alert.since);
  let best: readonly Due[] = [];
  for (let from = 0, to = 0; from < gone.length; from++) {
    const first = gone[from]?.alert.since ?? 0;
    while ((gone[to]?.alert.since ?? Number.POSITIVE_INFINITY) <= first + WITHIN_MS) to++;
    if (to - from > best.length) best = gone.slice(from, to);
  }
  const machines = new Set(best.map(({ alert }) => alert.subject_id)).size;
  if (machines < LEAST || machines < SHARE * fleet) return undefined;
  const at = new Date(best[0]?.alert.since ?? 0).toISOString().slice(11, 16);
  const title = `${machines} of ${Math.max(fleet, machines)} machines fell silent at ${at} UTC`;
  return { events: new Set(best.map(({ event }) => event.id)), title };
}
