import { RE2JS } from 're2js';

/** Text that a pattern looks at is cut here: the time it takes grows with the text. */
const MOST = 4_096;

/** Pattern of `re(text, pattern)`: linear in the length of the text, unlike those of JavaScript. */
export type Pattern = (text: string) => boolean;

/** @throws Error for what is no pattern; its message says why */
export function compilePattern(pattern: string): Pattern {
  const compiled = RE2JS.compile(pattern);
  return (text) => compiled.matcher(text.slice(0, MOST)).find();
}
