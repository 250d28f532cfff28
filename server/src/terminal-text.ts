/** Moves the cursor, changes the terminal, or turns or breaks a row: control characters, directions of writing, separators. */
const STEERING = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** `\u001b`, as JSON writes it. */
const escaped = (letter: string): string =>
  `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Text for a terminal: what would steer it is shown, not sent. Lines and tabs stay. The program `svc` has the same in cli/src/text.ts. */
export const forTerminal = (text: string): string =>
  text
    .replace(/\r\n/g, '\n')
    .replace(STEERING, (letter) => (letter === '\n' || letter === '\t' ? letter : escaped(letter)));

/** The same in one line, with `\n` for the end of a line. */
export const forOneLine = (text: string): string =>
  text.replace(STEERING, (letter) => (letter === '\n' ? '\\n' : escaped(letter)));
