import type { Kind } from '../kinds/index.ts';
import { type Candidate, DIGEST, TEXT } from '../store/outbox.ts';
import { PRIORITY } from '../store/priority.ts';

/** Time after which messages are merged, ms. */
const OLD_MS = 300_000;
/** Messages of one digest. */
const MOST_MERGED = 200;

/** Tries after which a message loses one step of its priority: it may be what its receiver stumbles over. */
const TRIES = 3;
/** Longest pause after a refusal, ms. A `due` beyond it was written by a server whose clock was ahead. */
const LONGEST_MS = 300_000;

/** Tells whether a message is no alert: those come after alerts. */
export const isText = ({ group_key }: Pick<Candidate, 'group_key'>): boolean =>
  group_key.startsWith(TEXT);

/** Chooses the message to send next. @param waiting of one channel, the oldest alerts first @returns undefined: none is due */
export function nextOf(waiting: readonly Candidate[], now: number): Candidate | undefined {
  const { heads, best } = headsOf(waiting.filter((one) => !isText(one)));
  const isDue = ({ due, created_at }: Candidate) =>
    due <= now || due <= created_at || due > now + LONGEST_MS;
  const rank = (one: Candidate): number => {
    const priority = best.get(one.group_key) ?? one.priority;
    return Math.min(priority + Math.floor(one.tries / TRIES), PRIORITY.reminder);
  };
  const byTries = (a: Candidate, b: Candidate) => a.tries - b.tries || a.id - b.id;
  const [alert] = heads.filter(isDue).sort((a, b) => rank(a) - rank(b) || byTries(a, b));
  return alert ?? headsOf(waiting.filter(isText)).heads.filter(isDue).sort(byTries)[0];
}

/** Returns the first message of each group, and the priority of a group: the first one goes with what waits for it. */
function headsOf(waiting: readonly Candidate[]) {
  const best = new Map<string, number>();
  const heads: Candidate[] = [];
  for (const one of waiting) {
    if (one.group_key === DIGEST) {
      // A digest speaks of many groups.
      if (best.size === 0) heads.push(one);
      break;
    }
    const before = best.get(one.group_key);
    if (before === undefined) heads.push(one);
    best.set(one.group_key, Math.min(before ?? one.priority, one.priority));
  }
  return { heads, best };
}

/** Messages that waited so long that one digest says more than all of them; none where there are fewer than two. */
export function mergeable(
  waiting: readonly Candidate[],
  { resolves }: Kind,
  now: number,
): readonly Candidate[] {
  if (resolves) return [];
  const old = waiting.filter(
    (one) => one.due > 0 && now - one.created_at > OLD_MS && one.uncertain === 0 && !isText(one),
  );
  return old.length < 2 ? [] : old.slice(0, MOST_MERGED);
}
