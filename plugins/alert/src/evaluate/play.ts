import { setImmediate } from 'node:timers/promises';
import { CLEARING, CLOSED, type LoadedRule, OPEN } from '../types.ts';
import { gapAfter, type Held, REST, step } from './machine.ts';
import { measureOf, type ReadWindow, type Values, verdictOf } from './plan.ts';

/** Work of one turn of the event loop, ms. */
const SLICE_MS = 4;
/** Time in which an alert would have been open. */
export interface Episode {
  readonly opened_at: number;
  /** Unix ms; null: it is open at the end of the range. */
  closed_at: number | null;
  /** Largest value meanwhile; of a condition with `<` the least. */
  max: number | null;
}

/** Does work for each item, in slices that leave the event loop to others. */
export async function inSlices<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let end = performance.now() + SLICE_MS;
  for (const item of items) {
    work(item);
    if (performance.now() < end) continue;
    await setImmediate();
    end = performance.now() + SLICE_MS;
  }
}

/** Plays a rule over the values of one place, the oldest first. */
export class Player {
  readonly episodes: Episode[] = [];
  readonly #loaded: LoadedRule;
  readonly #gap_ms: number;
  #held: Held = REST;
  #last: number | undefined;

  /** `usual_ms` is the usual time between two values. */
  constructor(loaded: LoadedRule, usual_ms: number) {
    this.#loaded = loaded;
    this.#gap_ms = gapAfter(usual_ms);
  }

  /** Tells whether the condition did not hold when it was looked at last. */
  get isClosed(): boolean {
    return this.#held.state === CLOSED;
  }

  next(at: number, values: Values, window?: ReadWindow): void {
    const { rule, condition: opens, clear: ends } = this.#loaded;
    const condition = verdictOf(opens, values, window);
    const isOver = condition === false;
    const clear = isOver && ends ? verdictOf(ends, values, window) : isOver;
    const elapsed_ms = this.#last === undefined ? 0 : at - this.#last;
    this.#last = at;
    this.#held = step(
      this.#held,
      { condition, clear, at, elapsed_ms, gap_after_ms: this.#gap_ms },
      { for_ms: rule.for_s * 1_000, clear_for_ms: rule.clear_for_s * 1_000 },
    );
    this.#note(at, measureOf(opens, values, window));
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
    const isLow = this.#loaded.condition.comparison?.operator.startsWith('<');
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
