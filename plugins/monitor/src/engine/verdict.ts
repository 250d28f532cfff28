import {
  DEGRADED,
  DOWN,
  type Monitor,
  type State,
  UNKNOWN,
  UP,
  type Verdict,
  type VerdictState,
} from '../types.ts';

/** Intervals after which a place that sends no results knows nothing. */
const KNOWS_INTERVALS = 3;

type Rules = Pick<Monitor, 'interval_s' | 'timeout_s' | 'down_when'>;
export type Judged = Pick<Verdict, 'state' | 'since' | 'up' | 'down' | 'unknown' | 'detail'>;

/** Returns the Unix ms until which the last result of a place counts. */
export const knowsUntil = ({ last_at }: Pick<State, 'last_at'>, rules: Rules): number =>
  last_at + (KNOWS_INTERVALS * rules.interval_s + rules.timeout_s) * 1_000;

/**
 * Returns what the places say together: down when `down_when` of them say so, or more than half of those that know.
 * `places` counts those that are to check it, `states` are theirs.
 */
export function verdictOf(
  states: readonly State[],
  rules: Rules,
  { places, now }: { readonly places: number; readonly now: number },
): Judged {
  const knowing = states.filter((one) => one.state !== UNKNOWN && now <= knowsUntil(one, rules));
  const failing = knowing
    .filter(({ state }) => state === DOWN)
    .toSorted((a, b) => a.since - b.since);
  const counts = {
    up: knowing.length - failing.length,
    down: failing.length,
    unknown: Math.max(0, places - knowing.length),
  };
  const needed = rules.down_when ?? Math.floor(knowing.length / 2) + 1;
  // It is down since as many said so as are needed, not since the first of them.
  const deciding = failing[needed - 1];
  const said = (state: VerdictState, since: number) => ({
    ...{ state, since, ...counts, detail: failing[0]?.detail ?? '' },
  });
  const why = states.find(({ detail }) => detail !== '')?.detail ?? '';
  if (deciding) return said(DOWN, deciding.since);
  const [first] = failing;
  const tooFew = rules.down_when !== null && knowing.length < rules.down_when;
  if (knowing.length === 0 || (first && tooFew)) return { ...said(UNKNOWN, now), detail: why };
  return first ? said(DEGRADED, first.since) : said(UP, now);
}

/** Returns the Unix ms at which silence alone can change the verdict; undefined: never. */
export function nextLook(states: readonly State[], rules: Rules, now: number): number | undefined {
  const ends = states
    .filter(({ state }) => state !== UNKNOWN)
    .map((state) => knowsUntil(state, rules) + 1)
    .filter((end) => end > now);
  return ends.length === 0 ? undefined : Math.min(...ends);
}
