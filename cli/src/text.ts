/** `\u001b`, as JSON writes it. */
const escaped = (letter: string): string =>
  `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Characters that reverse or break a line: writing directions, separators of lines and paragraphs. */
const TURNING = '\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069';
const STEERING = new RegExp(`[\\p{Cc}${TURNING}]`, 'gu');
const STEERING_BUT_LINES = new RegExp(`(?![\\n\\t])${STEERING.source}`, 'gu');

/** Text for a terminal: what would steer it is shown, not sent. Lines and tabs stay. */
export const shown = (text: string): string =>
  text.replace(/\r\n/g, '\n').replace(STEERING_BUT_LINES, escaped);

/** The same in one line: for cells of a table, and for what stands in a sentence. */
export const clean = (text: string): string => text.replace(STEERING, escaped);

/** Letters that take two columns: Chinese, Japanese, Korean, and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const NARROWEST = 8;

const segments = new Intl.Segmenter();
const letters = (text: string) => Array.from(segments.segment(text), ({ segment }) => segment);
const widthOfLetter = (letter: string) => (WIDE.test(letter) ? 2 : 1);

/** Columns that the text takes on a terminal. */
export const widthOf = (text: string): number =>
  letters(text).reduce((sum, letter) => sum + widthOfLetter(letter), 0);

export const padded = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - widthOf(text)));

/** The beginning that fits, with `…` where something is left out; at least eight columns. */
export function cut(text: string, width: number): string {
  const room = Math.max(NARROWEST, width);
  if (widthOf(text) <= room) return text;
  let [kept, used] = ['', 1];
  for (const letter of letters(text)) {
    used += widthOfLetter(letter);
    if (used > room) break;
    kept += letter;
  }
  return `${kept}…`;
}
