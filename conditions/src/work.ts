import { ConditionError } from './error.ts';
import type { Size } from './inspect.ts';
import { isAffordable, type Pattern } from './patterns.ts';
import type { Value } from './types.ts';

/** Evaluations of parts, each 0.25 µs at most where the texts are short. */
const MOST = 12_000;
/** Characters of a text, and values that a comparison looks at, that cost as much as a part. */
const CHARACTERS = 256;
const COMPARED = 4;

/** Bounds what one evaluation may cost, by the condition and the sizes of the values. */
export class Work {
  readonly #size: Size;
  readonly #patterns: ReadonlyMap<string, Pattern>;
  #elements = 0;
  #longest = 0;
  #values = 0;
  #steps = 0;
  #isOver = false;

  constructor(size: Size, patterns: ReadonlyMap<string, Pattern>) {
    this.#size = size;
    this.#patterns = patterns;
  }

  /** Begins an evaluation. */
  begin(): void {
    const { elements, longest } = this.#size;
    this.#elements = elements;
    this.#longest = longest;
    this.#values = 0;
    this.#steps = 0;
    this.#isOver = false;
  }

  /** Takes a value that the evaluation will look at. */
  add(value: Value): void {
    const waiting: unknown[] = [value];
    while (waiting.length > 0) {
      const one = waiting.pop();
      this.#values += 1;
      if (typeof one === 'string') this.#longest = Math.max(this.#longest, one.length);
      if (typeof one !== 'object' || one === null) continue;
      const members = Array.isArray(one) ? one : Object.entries(one).flat();
      this.#elements = Math.max(this.#elements, members.length);
      for (const member of members) waiting.push(member);
    }
  }

  /** @throws ConditionError for values that are too large for this condition */
  check(): void {
    const { nodes, loops, isSquared, comparisons } = this.#size;
    const elements = loops > 0 ? Math.max(1, this.#elements) : 1;
    const turns = isSquared ? elements ** 2 : elements;
    const compared = comparisons * elements * (this.#values / COMPARED);
    if (nodes * turns * (1 + this.#longest / CHARACTERS) + compared > MOST)
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
