import { setImmediate } from 'node:timers/promises';
import type { BucketRow } from '@svc/plugin-agent/api';
import { CLEARING, type LoadedRule, OPEN } from '../types.ts';
import { gapAfter, type Held, REST, step } from './machine.ts';
import { measureOf, type Plan, valuesOf, verdictOf } from './plan.ts';
import { bucketAsRow } from './refill.ts';
import type { Facts, Row } from './variables.ts';
import { Minutes } from './windows.ts';

/** Work of one turn of the event loop, ms. */
const SLICE_MS = 4;
/** Evaluations between two looks at the clock. */
const LOOK_EACH = 64;

/** Time in which an alert would have been open. */
export interface Episode {
  readonly opened_at: number;
  /** Unix ms; null: it is open at the end of the range. */
  closed_at: number | null;
  /** Largest value meanwhile; of a condition with `<` the least. */
  max: number | null;
}

interface Ask {
  readonly loaded: LoadedRule;
  readonly plan: Plan;
  readonly fields: readonly string[];
  readonly facts: Facts;
  readonly from: number;
  readonly step_ms: number;
}

/** Plays a rule over stored reports of one agent, in buckets of `step_ms`, in slices that leave the event loop to others. */
export async function play(rows: readonly BucketRow[], ask: Ask): Promise<Episode[]> {
  const player = new Player(ask);
  let end = performance.now() + SLICE_MS;
  for (const [index, row] of rows.entries()) {
    player.next(bucketAsRow(row.values, ask.fields, 'avg'), ask.from + row.at * ask.step_ms);
    if (index % LOOK_EACH !== 0 || performance.now() < end) continue;
    await setImmediate();
    end = performance.now() + SLICE_MS;
  }
  return player.episodes;
}

class Player {
  readonly episodes: Episode[] = [];
  readonly #ask: Ask;
  readonly #minutes: ReadonlyMap<string, Minutes>;
  #held: Held = REST;
  #last: number | undefined;

  constructor(ask: Ask) {
    this.#ask = ask;
    this.#minutes = new Map(ask.plan.windowed.map(({ name }) => [name, new Minutes()]));
  }

  next(row: Row, at: number): void {
    const { loaded, plan, facts, step_ms } = this.#ask;
    for (const { name, read } of plan.windowed) {
      const value = read(row);
      if (value !== null) this.#minutes.get(name)?.add(value, at);
    }
    const values = valuesOf(plan, row, () => facts);
    const window = (use: Parameters<Minutes['value']>[0]) =>
      this.#minutes.get(use.variable)?.value(use, at);
    const judge = (condition: LoadedRule['condition']) => verdictOf(condition, values, window);
    const condition = judge(loaded.condition);
    const clear = condition === false && loaded.clear ? judge(loaded.clear) : condition === false;
    const seen = {
      condition,
      clear,
      at,
      elapsed_ms: this.#last === undefined ? 0 : at - this.#last,
      gap_after_ms: gapAfter(step_ms),
    };
    this.#last = at;
    this.#held = step(this.#held, seen, {
      for_ms: loaded.rule.for_s * 1_000,
      clear_for_ms: loaded.rule.clear_for_s * 1_000,
    });
    this.#note(at, measureOf(loaded.condition, values, window));
  }

  #note(at: number, value: number | null): void {
    const isOpen = this.#held.state === OPEN || this.#held.state === CLEARING;
    let episode = this.episodes.at(-1);
    const wasOpen = episode?.closed_at === null;
    if (isOpen && !wasOpen) {
      episode = { opened_at: at, closed_at: null, max: value };
      this.episodes.push(episode);
    }
    if (!episode) return;
    if (!isOpen && wasOpen) episode.closed_at = at;
    if (isOpen && value !== null) episode.max = this.#furthest(episode.max ?? value, value);
  }

  #furthest(a: number, b: number): number {
    const isLow = this.#ask.loaded.condition.comparison?.operator.startsWith('<');
    return isLow ? Math.min(a, b) : Math.max(a, b);
  }
}

/** Wait of the first message of a group, and the least distance of two, as the default policy has them, ms. */
const WAIT_MS = 10_000;
const INTERVAL_MS = 60_000;

/** Counts the messages that these episodes would have made: openings and ends of a rule go together. */
export function messagesOf(episodes: readonly Episode[]): number {
  const news = episodes
    .filter(({ opened_at, closed_at }) => closed_at === null || closed_at - opened_at >= WAIT_MS)
    .flatMap(({ opened_at, closed_at }) =>
      closed_at === null ? [opened_at] : [opened_at, closed_at],
    )
    .sort((a, b) => a - b);
  let sent = -Infinity;
  let count = 0;
  for (const at of news) {
    if (at <= sent) continue;
    sent = Math.max(at + WAIT_MS, sent + INTERVAL_MS);
    count++;
  }
  return count;
}
