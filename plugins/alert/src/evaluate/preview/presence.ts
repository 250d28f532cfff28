import type { Coming } from '@svc/plugin-agent-events/api';
import { planOf, valuesOf } from '../plan.ts';
import { inSlices, Player } from '../play.ts';
import type { Ask, Played } from './types.ts';

interface Look {
  readonly at: number;
  /** Seconds since the last report. */
  readonly silent_for: number;
}

/** Plays a rule over the times at which an agent came and went, the oldest first. */
export async function playPresence(comings: readonly Coming[], ask: Ask): Promise<Played> {
  const { loaded, factsAt, from, step_ms } = ask;
  const plan = planOf([loaded]);
  const common = valuesOf(plan, [], () => factsAt(from));
  const player = new Player(loaded, step_ms);
  let evaluated = 0;
  await inSlices(looks(comings, ask, player), ({ at, silent_for }) => {
    player.next(at, { ...common, silent_for });
    evaluated++;
  });
  const places = [{ part: '', episodes: player.episodes }];
  return { places, evaluated, isCut: false };
}

/** Walks through a range in steps; times in which the agent is here and no alert begins or ends are left out. */
function* looks(
  comings: readonly Coming[],
  { from, to, step_ms }: Ask,
  player: Player,
): Iterable<Look> {
  const atStep = (time: number) => from + Math.max(0, Math.ceil((time - from) / step_ms)) * step_ms;
  // Nothing is known of the time before it first came.
  let at = comings[0]?.here ? atStep(comings[0].time) : from;
  let away: number | undefined;
  let next = 0;
  for (let isSettled = false; at < to; ) {
    for (let one = comings[next]; one && one.time <= at; one = comings[++next]) {
      away = one.here ? undefined : one.time;
      isSettled = false;
    }
    if (away === undefined && isSettled && player.isClosed) {
      const change = comings[next];
      if (!change) return;
      at = atStep(change.time);
      continue;
    }
    yield { at, silent_for: away === undefined ? 0 : (at - away) / 1_000 };
    isSettled = true;
    at += step_ms;
  }
}
