import { RE2JS } from 're2js';

/** Text that a pattern looks at is cut here. */
const MOST_TEXT = 4_096;
const MOST_CHARACTERS = 200;
/** Parts before the pattern is compiled, which takes time by their number; an upper bound of them. */
const MOST_PARTS = 2_000;
/** Instructions of the compiled pattern. */
const MOST_INSTRUCTIONS = 160;
/** Instructions times characters of one evaluation, each 30 ns at most. */
const MOST_STEPS = 100_000;

/** Pattern of `re(text, pattern)`: linear in the length of the text, unlike those of JavaScript. */
export interface Pattern {
  /** Characters of the text that count. */
  readonly cut: (text: string) => string;
  /** Steps that a search in this text takes at most. */
  readonly steps: (text: string) => number;
  readonly find: (text: string) => boolean;
}

/** Tells whether one evaluation may take so many steps. */
export const isAffordable = (steps: number): boolean => steps <= MOST_STEPS;

/** @throws Error for what is no pattern, or one that costs too much; its message says why */
export function compilePattern(pattern: string): Pattern {
  if (pattern.length > MOST_CHARACTERS)
    throw new Error(`it is longer than ${MOST_CHARACTERS} characters`);
  if (mostParts(pattern) > MOST_PARTS) throw new Error('its repetitions {…} are too many');
  const compiled = RE2JS.compile(pattern);
  const size = compiled.matcher('').programSize();
  if (size > MOST_INSTRUCTIONS) throw new Error('it is too large: repeat less, or name less');
  return {
    cut: (text) => text.slice(0, MOST_TEXT),
    steps: (text) => text.length * size,
    find: (text) => compiled.matcher(text).find(),
  };
}

const REPEATED = /\{(\d{1,9})(?:,(\d{0,9}))?\}/g;

/** Bounds the size of a pattern from above: a repeated character adds, and what repeats a group or a repetition may multiply everything. */
function mostParts(pattern: string): number {
  let [parts, times] = [pattern.length, 1];
  for (const { 1: least, 2: most, index } of pattern.matchAll(REPEATED)) {
    const count = Math.max(1, Number(least), Number(most ?? 0));
    if (index === 0 || ')}*+?'.includes(pattern[index - 1] as string)) times *= count;
    else parts += count;
  }
  return 2 * parts * times;
}
