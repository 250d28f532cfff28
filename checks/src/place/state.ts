import {
  DOWN,
  type PlacedMonitor,
  type Result,
  type State,
  SUSPECT,
  UNKNOWN,
  UP,
} from './types.ts';

type Rules = Pick<PlacedMonitor, 'retries' | 'recover_after'>;
type Seen = Pick<Result, 'monitor_id' | 'place_id' | 'at' | 'ok' | 'ms' | 'code' | 'detail'>;

/** Returns what a place says after one more result. Results that are not newer than the last one change nothing. */
export function after(before: State | undefined, result: Seen, rules: Rules): State {
  const { monitor_id, place_id, at, ms, code, detail } = result;
  if (before && at <= before.last_at) return before;
  const next = judged(before, result, rules);
  const changed_at = next.state === before?.state ? before.changed_at : at;
  const version = before?.version ?? 0;
  return {
    ...{ monitor_id, place_id, ...next, last_at: at, ms, code, changed_at, version },
    detail: detail ?? '',
  };
}

type Judged = Pick<State, 'state' | 'since' | 'fails' | 'goods'>;

function judged(before: State | undefined, { at, ok }: Seen, rules: Rules): Judged {
  const state = before?.state ?? UNKNOWN;
  const same = (kept: Pick<State, 'fails' | 'goods'>) => ({
    ...{ state, since: before?.since ?? at, ...kept },
  });
  if (ok === null)
    return state === UNKNOWN
      ? same({ fails: 0, goods: 0 })
      : { state: UNKNOWN, since: at, fails: 0, goods: 0 };
  if (ok) {
    const goods = (before?.goods ?? 0) + 1;
    if (state === UP || (state === DOWN && goods < rules.recover_after))
      return same({ fails: 0, goods });
    return { state: UP, since: at, fails: 0, goods };
  }
  const fails = (before?.fails ?? 0) + 1;
  if (state === DOWN) return same({ fails, goods: 0 });
  // A state down begins with the first failure, not with the last retry.
  const since = fails > 1 ? (before?.since ?? at) : at;
  if (fails > rules.retries) return { state: DOWN, since, fails, goods: 0 };
  // A target that was never seen up is not up while it fails.
  return { state: state === UNKNOWN ? UNKNOWN : SUSPECT, since, fails, goods: 0 };
}
