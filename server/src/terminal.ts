import { createInterface } from 'node:readline';
import type { CommandTerminal } from '@svc/plugin-sdk/kernel';
import { forOneLine, forTerminal } from './terminal-text.ts';

/** Erases the line that the cursor is on. */
const ERASE_LINE = '\r\u001b[K';

/** A line of progress stands on the terminal: what comes next takes its place. */
let isShown = false;
let lines: AsyncIterator<string> | undefined;

/** All that commands write, but for the log: values of the database do not steer a terminal; a pipe gets them as they are. */
function write(stream: NodeJS.WriteStream, text: string): void {
  if (isShown) process.stderr.write(ERASE_LINE);
  isShown = false;
  stream.write(stream.isTTY ? forTerminal(text) : text);
}

export const print = (line: string): void => write(process.stdout, `${line}\n`);
export const printError = (line: string): void => write(process.stderr, `${line}\n`);
export const endProgress = (): void => write(process.stderr, '');

/** Terminal of plugins' commands: what they print and ask. */
export const terminal: CommandTerminal = {
  print,
  progress(line) {
    const { columns, isTTY } = process.stderr;
    if (!isTTY || line.endsWith('\n')) return printError(line.trimEnd());
    endProgress();
    process.stderr.write(ERASE_LINE);
    // What goes into a second row would stay there.
    const row = Array.from(forOneLine(line)).slice(0, columns - 1);
    write(process.stderr, row.join(''));
    isShown = true;
  },
  async ask(prompt) {
    write(process.stdout, prompt);
    lines ??= createInterface({ input: process.stdin })[Symbol.asyncIterator]();
    const { value, done } = await lines.next();
    return done ? undefined : value;
  },
};
