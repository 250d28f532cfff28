import type { Placing } from '../agents/index.ts';
import type { Heartbeats } from '../heartbeat/index.ts';
import type { ListedMonitor } from '../store/rows.ts';
import { slices } from '../store/sql.ts';
import type { StateStore } from '../store/states.ts';
import type { StoredVerdict, VerdictChange, VerdictStore } from '../store/verdicts.ts';
import { DEGRADED, DOWN, PAUSED, type State, UNKNOWN, UP, type VerdictState } from '../types.ts';
import { isChecked } from './checked.ts';
import { groupVerdict } from './group.ts';
import type { KnownMonitors } from './known.ts';
import { placesOf } from './places.ts';
import { type Judged, knowsUntil, nextLook, verdictOf } from './verdict.ts';

export interface Changed {
  readonly monitor_id: number;
  readonly from: VerdictState;
  readonly to: VerdictState;
  /** Unix ms from which on the verdict holds. */
  readonly at: number;
}

export interface JudgingParts {
  readonly known: KnownMonitors;
  readonly heartbeats: Pick<Heartbeats, 'judge' | 'resume'>;
  readonly placing: Pick<Placing, 'counts'>;
  readonly states: Pick<StateStore, 'forget' | 'ofMonitors'>;
  readonly verdicts: Pick<VerdictStore, 'change' | 'ofMonitors'>;
  /** Hears of verdicts that became different, after their commit. */
  readonly changed: (changes: readonly Changed[]) => void;
}

interface Now {
  /** Unix ms. */
  readonly now: number;
  /** Unix ms until which silence says nothing; undefined: it does. */
  readonly quietUntil: number | undefined;
}

type Next = Judged & { readonly next_at: number | null };

/** Judges monitors by what their places say, and groups by what their members say. */
export class Judging {
  readonly #parts: JudgingParts;
  /** Monitors whose verdict another server changed in between. */
  #again = new Set<number>();

  constructor(parts: JudgingParts) {
    this.#parts = parts;
  }

  /** Judges these monitors, and the groups that they are in. @throws RpcError 103 */
  async judge(given: Iterable<number>, when: Now): Promise<void> {
    const ids = new Set([...given, ...this.#again]);
    this.#again = new Set();
    const groups = this.#groupsIn(ids);
    const changed = new Set<number>();
    for (const some of slices([...ids].filter((id) => !groups.has(id))))
      for (const id of await this.#judgeSome(some, when)) changed.add(id);
    for (const [id, { spec }] of this.#parts.known.groups())
      if (spec.members.some((member) => changed.has(member))) groups.add(id);
    for (const some of slices([...groups])) await this.#judgeGroups(some, when);
  }

  #groupsIn(ids: ReadonlySet<number>): Set<number> {
    return new Set([...ids].filter((id) => this.#parts.known.byId(id)?.kind === 'group'));
  }

  /** @returns monitors whose verdict became different */
  async #judgeSome(ids: readonly number[], when: Now): Promise<readonly number[]> {
    const { heartbeats, known, placing, states, verdicts } = this.#parts;
    const before = new Map((await verdicts.ofMonitors(ids)).map((row) => [row.monitor_id, row]));
    const called = ids.filter((id) => known.byId(id)?.kind === 'heartbeat' && !known.isPaused(id));
    for (const id of called) if (before.get(id)?.state === PAUSED) await heartbeats.resume(id);
    const beats = called.length > 0 ? await heartbeats.judge(called, when) : undefined;
    const rows = await states.ofMonitors(ids);
    const byMonitor = Map.groupBy(rows, ({ monitor_id }) => monitor_id);
    const changes = ids.flatMap((id) => {
      const monitor = known.byId(id);
      if (!monitor) return [];
      const own = (byMonitor.get(id) ?? []).filter((row) => placing.counts(monitor, row));
      const from = before.get(id);
      const next = known.isPaused(id)
        ? paused(when)
        : monitor.kind === 'heartbeat'
          ? beats?.get(id)
          : this.#next(monitor, own, from, when);
      if (!next) return [];
      return changeOf(from, { monitor_id: id, ...afterPause(next, from, when) }, downPlaces(own));
    });
    const made = await this.#make(changes);
    for (const [id, own] of byMonitor) await this.#forget(id, own);
    return made;
  }

  /** Removes what is left of places that a monitor has no more. */
  async #forget(id: number, rows: readonly State[]): Promise<void> {
    const { known, placing, states } = this.#parts;
    const monitor = known.byId(id);
    const over = monitor ? rows.filter((row) => !placing.counts(monitor, row)) : [];
    if (over.length === 0) return;
    await states.forget(
      id,
      over.map(({ place_id }) => place_id),
    );
  }

  #next(
    monitor: ListedMonitor,
    own: readonly State[],
    from: StoredVerdict | undefined,
    when: Now,
  ): Next {
    const { now, quietUntil } = when;
    // What is called instead of checked says something until it is late.
    const isLasting = !isChecked(monitor.kind);
    const isSilent = (state: State) => state.state !== UNKNOWN && now > knowsUntil(state, monitor);
    const isQuiet = quietUntil !== undefined && own.some(isSilent);
    const heard =
      isLasting || isQuiet
        ? own.map((state) => ({ ...state, last_at: Math.max(state.last_at, now) }))
        : own;
    const judged = verdictOf(heard, monitor, { places: placesOf(monitor), now });
    const next = isLasting ? undefined : nextLook(heard, monitor, now);
    const look = isQuiet ? Math.min(next ?? quietUntil, quietUntil) : next;
    return { ...judged, since: upSince(judged, own, from) ?? judged.since, next_at: look ?? null };
  }

  async #judgeGroups(ids: readonly number[], when: Now): Promise<void> {
    const { known, verdicts } = this.#parts;
    const members = new Set(ids.flatMap((id) => known.group(id)?.members ?? []));
    const rows: StoredVerdict[] = [];
    for (const some of slices([...members, ...ids]))
      rows.push(...(await verdicts.ofMonitors(some)));
    const stored = new Map(rows.map((row) => [row.monitor_id, row]));
    const changes = ids.flatMap((id) => {
      const group = known.group(id);
      if (!group) return [];
      const own = group.members.flatMap((member) => stored.get(member) ?? []);
      const next = known.isPaused(id)
        ? paused(when)
        : { ...groupVerdict(own, group, when.now), next_at: null };
      const from = stored.get(id);
      return changeOf(from, { monitor_id: id, ...afterPause(next, from, when) }, []);
    });
    await this.#make(changes);
  }

  /** @returns monitors whose verdict became different */
  async #make(changes: readonly VerdictChange[]): Promise<number[]> {
    if (changes.length === 0) return [];
    const made = await this.#parts.verdicts.change(changes);
    const told = changes.flatMap(({ from, to: { monitor_id } }, at): Changed[] => {
      const { made: isMade, verdict } = made[at] ?? {};
      if (!isMade) this.#again.add(monitor_id);
      if (!isMade || !verdict || verdict.state === from?.state) return [];
      const [before, to] = [from?.state ?? UNKNOWN, verdict.state];
      return [{ monitor_id, from: before, to, at: verdict.since }];
    });
    if (told.length > 0) this.#parts.changed(told);
    return told.map(({ monitor_id }) => monitor_id);
  }
}

const paused = ({ now }: Now): Next => ({
  ...{ state: PAUSED, since: now, up: 0, down: 0, unknown: 0, detail: '', next_at: null },
});

/** Returns a verdict that holds from the end of a pause on at the earliest: what places said before it is not told of its time. */
const afterPause = (next: Next, from: StoredVerdict | undefined, { now }: Now): Next =>
  from?.state === PAUSED ? { ...next, since: Math.max(next.since, now) } : next;

const downPlaces = (states: readonly State[]): number[] =>
  states.filter(({ state }) => state === DOWN).map(({ place_id }) => place_id);

/** Returns when what was down came back: with the last place that did, not when somebody looked. */
function upSince(
  judged: Judged,
  states: readonly State[],
  from: StoredVerdict | undefined,
): number | undefined {
  if (judged.state !== UP || (from?.state !== DOWN && from?.state !== DEGRADED)) return undefined;
  const came = states.filter(({ state }) => state === UP).map(({ since }) => since);
  const last = Math.max(...came);
  return last > from.since && last < judged.since ? last : undefined;
}

/** Returns the change to what was judged; none where nothing is another. What is unchanged holds since it began. */
function changeOf(
  from: StoredVerdict | undefined,
  next: Next & { readonly monitor_id: number },
  places: readonly number[],
): VerdictChange[] {
  const since = from?.state === next.state ? from.since : next.since;
  const to = { ...next, since };
  const isSame =
    from !== undefined &&
    (['state', 'since', 'up', 'down', 'unknown', 'detail', 'next_at'] as const).every(
      (name) => from[name] === to[name],
    );
  return isSame ? [] : [{ from, to, places, public: true }];
}
