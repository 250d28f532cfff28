/** Control characters, marks of the direction of writing and separators of lines, which change how the text around them shows. */
const STEERING = /[\p{Cc}\p{Cs}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;

/** Foreign text in which every character shows and stands in its place; ends of lines stay. */
export const clean = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(STEERING, (letter) => (letter === '\n' ? '\n' : letter === '\t' ? ' ' : ''));

/** Cleans a foreign text, and makes it one line. */
export const cleanLine = (text: string): string => clean(text).replace(/\s+/g, ' ').trim();

/** Cuts a text to a size, between characters. @param measure size of a text; default: characters of JavaScript */
export function cut(text: string, most: number, measure = (one: string) => one.length): string {
  if (measure(text) <= most) return text;
  const points = [...text.slice(0, most)];
  let [low, high] = [0, points.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (measure(`${points.slice(0, middle).join('')}…`) <= most) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? '' : `${points.slice(0, low).join('').trimEnd()}…`;
}
