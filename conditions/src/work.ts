import { ConditionError } from './error.ts';
import type { Size } from './inspect.ts';
import { isAffordable, type Pattern } from './patterns.ts';
import type { Value } from './types.ts';

/** Evaluations of parts, each 0.25 µs at most where the texts are short. */
const MOST = 12_000;
/** Characters of a text that cost as much as a part. */
const CHARACTERS = 256;

/** Bounds what one evaluation may cost, by the condition and the sizes of the values. */
export class Work {
  readonly #size: Size;
  readonly #patterns: ReadonlyMap<string, Pattern>;
  #elements = 0;
  #longest = 0;
  #steps = 0;
  #isOver = false;

  constructor(size: Size, patterns: ReadonlyMap<string, Pattern>) {
    this.#size = size;
    this.#patterns = patterns;
  }

  /** Begins an evaluation. */
  begin(): void {
    const { loops, elements, longest } = this.#size;
    this.#elements = loops > 0 ? elements : 0;
    this.#longest = longest;
    this.#steps = 0;
    this.#isOver = false;
  }

  /** Takes a value that the evaluation will look at. */
  add(value: Value): void {
    if (typeof value === 'string') this.#longest = Math.max(this.#longest, value.length);
    if (!Array.isArray(value)) return;
    this.#elements = Math.max(this.#elements, value.length);
    if (value.length > MOST) return;
    for (const item of value)
      if (typeof item === 'string') this.#longest = Math.max(this.#longest, item.length);
  }

  /** @throws ConditionError for values that are too large for this condition */
  check(): void {
    const { nodes, isSquared } = this.#size;
    const turns = Math.max(1, isSquared ? this.#elements ** 2 : this.#elements);
    if (nodes * turns * (1 + this.#longest / CHARACTERS) > MOST)
      throw new ConditionError('the lists or texts are too long for this condition');
  }

  /** Searches with a pattern of the condition; finds nothing more, which `end` tells, where that would take too long. */
  matches(text: string, pattern: string): boolean {
    const found = this.#patterns.get(pattern);
    if (!found) return false;
    const subject = found.cut(text);
    this.#steps += found.steps(subject);
    this.#isOver ||= !isAffordable(this.#steps);
    return !this.#isOver && found.find(subject);
  }

  /** @throws ConditionError where patterns had too much to look at */
  end(): void {
    if (this.#isOver) throw new ConditionError('re: the texts are too long for these patterns');
  }
}
