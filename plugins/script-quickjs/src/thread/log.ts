import type { LogLevel, LogLine } from '../api.ts';

/** Levels that a script may write with. */
const LEVELS: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error'];
const MOST_CHARACTERS = 8_192;
const MOST_NAMESPACE = 128;
/** Lines of one context within a second; the others are counted. */
const MOST_LINES = 200;

/** Log lines of one context, bounded in size and rate. */
export class ScriptLog {
  readonly #write: (line: LogLine) => void;
  #second = 0;
  #lines = 0;

  constructor(write: (line: LogLine) => void) {
    this.#write = write;
  }

  answer(kind: string, value: unknown): { readonly value: unknown } | undefined {
    if (kind !== 'log') return undefined;
    // A script can replace the built-ins behind its JSON: no value here is sure to be text.
    const [level, namespace, message] = Array.isArray(value) ? value : [];
    this.#add({
      level: LEVELS.find((each) => each === level) ?? 'info',
      namespace: cut(plain(namespace), MOST_NAMESPACE),
      message: cut(plain(message), MOST_CHARACTERS),
    });
    return { value: null };
  }

  #add(line: LogLine): void {
    const second = Math.floor(performance.now() / 1000);
    if (second !== this.#second) {
      const dropped = this.#lines - MOST_LINES;
      this.#second = second;
      this.#lines = 0;
      if (dropped > 0)
        this.#write({ ...line, level: 'warn', message: `${dropped} lines left out` });
    }
    if (++this.#lines <= MOST_LINES) this.#write(line);
  }
}

const plain = (value: unknown): string => (typeof value === 'string' ? value : '');
const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)}…` : text;
