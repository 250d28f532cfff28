import type { Kind } from '../kinds/index.ts';
import { type Candidate, DIGEST, TEXT } from '../store/outbox.ts';

/** Time after which messages are merged, ms. */
const OLD_MS = 300_000;
/** Messages of one digest. */
const MOST_MERGED = 200;

/** Tells whether a message is no alert: those come after alerts. */
export const isText = ({ group_key }: Pick<Candidate, 'group_key'>): boolean =>
  group_key.startsWith(TEXT);

/** Chooses the message to send next. @param waiting of one channel, the oldest first @returns undefined: none is due */
export function nextOf(waiting: readonly Candidate[], now: number): Candidate | undefined {
  const groups = new Set<string>();
  const heads: Candidate[] = [];
  for (const one of waiting) {
    if (one.group_key === DIGEST) {
      // A digest speaks of many groups.
      if (groups.size === 0) heads.push(one);
      break;
    }
    if (!groups.has(one.group_key)) heads.push(one);
    groups.add(one.group_key);
  }
  const due = heads.filter((one) => one.due <= now);
  return due.sort(
    (a, b) => Number(isText(a)) - Number(isText(b)) || a.tries - b.tries || a.id - b.id,
  )[0];
}

/** Messages that waited so long that one digest says more than all of them; none where there are fewer than two. */
export function mergeable(
  waiting: readonly Candidate[],
  { resolves }: Kind,
  now: number,
): readonly Candidate[] {
  if (resolves) return [];
  const old = waiting.filter(
    (one) => now - one.created_at > OLD_MS && one.uncertain === 0 && !isText(one),
  );
  return old.length < 2 ? [] : old.slice(0, MOST_MERGED);
}
