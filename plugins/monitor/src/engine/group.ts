import {
  DEGRADED,
  DOWN,
  type GroupSpec,
  PAUSED,
  UNKNOWN,
  UP,
  type Verdict,
  type VerdictState,
} from '../types.ts';
import type { Judged } from './verdict.ts';

type Member = Pick<Verdict, 'state' | 'since'>;

/**
 * Returns what a group says by what its members say; those that are paused say nothing. Its reason counts members: whoever
 * may read the group, or gets its alerts, may not yet read their names and failures.
 */
export function groupVerdict(
  all: readonly Member[],
  { rule, down }: Pick<GroupSpec, 'rule' | 'down'>,
  now: number,
): Judged {
  const members = all.filter(({ state }) => state !== PAUSED);
  const knowing = members.filter(({ state }) => state !== UNKNOWN);
  const failing = knowing
    .filter(({ state }) => state === DOWN)
    .toSorted((a, b) => a.since - b.since);
  const [first] = failing;
  const counts = {
    up: knowing.length - failing.length,
    down: failing.length,
    unknown: members.length - knowing.length,
  };
  const [count, of] = [failing.length, knowing.length];
  const detail = count === 0 ? '' : `${count} of ${of} ${count === 1 ? 'is' : 'are'} down`;
  const said = (state: VerdictState, since: number): Judged => ({
    ...{ state, since, ...counts, detail },
  });
  const needed = rule === 'worst' ? 1 : rule === 'all' ? knowing.length : (down ?? 1);
  const deciding = failing[needed - 1];
  if (deciding) return said(DOWN, deciding.since);
  if (knowing.length === 0) return said(UNKNOWN, now);
  const partly = first ?? knowing.find(({ state }) => state === DEGRADED);
  return partly ? said(DEGRADED, partly.since) : said(UP, now);
}
