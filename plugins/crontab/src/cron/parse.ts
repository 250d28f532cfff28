import { FIELDS, type FieldRule, SUNDAY, YEAR } from './fields.ts';
import { type Calendar, Schedule } from './schedule.ts';

/** The place and the reason why a text is not a cron expression. */
export class CronError extends Error {
  override readonly name = 'CronError';

  constructor(text: string, at: number, reason: string) {
    super(`${shown(text, at)}\n${reason}`);
  }
}

/** Several times the length of all values of all fields. */
const LONGEST = 10_000;
/** Characters of an expression that an error repeats. */
const SHOWN = 400;

/** The expression, and a caret under the failing place. */
function shown(text: string, at: number): string {
  const start = text.length <= SHOWN ? 0 : Math.max(0, at - SHOWN / 2);
  return `${text.slice(start, start + SHOWN)}\n${' '.repeat(at - start)}^`;
}

const shorthands = new Map([
  ['@yearly', '0 0 0 1 1 *'],
  ['@monthly', '0 0 0 1 * *'],
  ['@weekly', '0 0 0 * * 1'],
  ['@daily', '0 0 0 * * *'],
  ['@hourly', '0 0 * * * *'],
]);

/** Reads a cron expression of six or seven fields, or a shorthand (crontab.md §2). @throws CronError */
export function parseCron(text: string): Schedule {
  if (text.length > LONGEST) {
    throw new CronError(text, LONGEST, `an expression is at most ${LONGEST} characters long`);
  }
  const shorthand = shorthands.get(trimmed(text));
  const reader = new Reader(shorthand ?? text);
  const [seconds, minutes, hours, days, months, weekdays] = FIELDS.map((rule) =>
    reader.field(rule),
  ) as [number[], number[], number[], number[], number[], number[]];
  const years = reader.ended() ? undefined : new Set(reader.field(YEAR));
  reader.end();
  const calendar: Calendar = { days: new Set(days), months, weekdays: new Set(weekdays), years };
  return new Schedule({ seconds, minutes, hours }, calendar);
}

const trimmed = (text: string): string =>
  text.replace(/^[ \t\r\n]+|(?<![ \t\r\n])[ \t\r\n]+$/g, '');

interface Value {
  readonly value: number;
  readonly named: boolean;
  readonly at: number;
}

interface Span {
  readonly from: number;
  readonly last: number;
  readonly step: number;
}

/** Walks over the text; blanks may stand around every number, name and field. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Ascending, each value once. */
  field(rule: FieldRule): number[] {
    const values = new Set<number>();
    do this.#item(rule, values);
    while (this.#accept(','));
    if (rule.least < rule.from && values.delete(rule.least)) values.add(SUNDAY);
    return [...values].sort((a, b) => a - b);
  }

  ended(): boolean {
    this.#skip();
    return this.#at >= this.#text.length;
  }

  end(): void {
    if (!this.ended()) this.#fail('nothing may follow the year');
  }

  #item(rule: FieldRule, values: Set<number>): void {
    const { from, last, step } = this.#span(rule);
    for (let value = from; value <= last; value += step) values.add(value);
  }

  #span(rule: FieldRule): Span {
    if (this.#accept('*') || (rule.question && this.#accept('?'))) {
      return { from: rule.from, last: rule.to, step: this.#step(rule) ?? 1 };
    }
    const first = this.#value(rule);
    if (this.#accept('-')) {
      const last = this.#value(rule);
      if (first.named !== last.named) this.#fail('a range is of names or of numbers', last.at);
      if (first.value > last.value) this.#fail('a range must ascend', first.at);
      return { from: first.value, last: last.value, step: this.#step(rule) ?? 1 };
    }
    const step = first.named ? undefined : this.#step(rule);
    const last = step === undefined ? first.value : rule.to;
    return { from: first.value, last, step: step ?? 1 };
  }

  /** `/k`, if it stands here. */
  #step(rule: FieldRule): number | undefined {
    if (!this.#accept('/')) return undefined;
    this.#skip();
    const at = this.#at;
    const step = this.#number() ?? this.#fail('expected a step');
    if (step < 1 || step > rule.to) {
      this.#fail(`the step of ${rule.label} must be between 1 and ${rule.to}`, at);
    }
    return step;
  }

  #value(rule: FieldRule): Value {
    this.#skip();
    const at = this.#at;
    const number = this.#number();
    if (number !== undefined) {
      if (number >= rule.least && number <= rule.to) return { value: number, named: false, at };
      this.#fail(`${rule.label} must be between ${rule.from} and ${rule.to}`, at);
    }
    const rest = this.#text.slice(at, at + LONGEST_NAME).toLowerCase();
    const found = rule.names.find(([name]) => rest.startsWith(name));
    if (!found) return this.#fail(`expected a ${rule.label}`);
    this.#at += found[0].length;
    return { value: found[1], named: true, at };
  }

  #number(): number | undefined {
    digits.lastIndex = this.#at;
    const [found] = digits.exec(this.#text) ?? [];
    if (found === undefined) return undefined;
    this.#at += found.length;
    return Number(found);
  }

  #accept(character: string): boolean {
    this.#skip();
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #skip(): void {
    while (' \t\r\n'.includes(this.#text[this.#at] ?? 'end')) this.#at++;
  }

  #fail(reason: string, at = this.#at): never {
    throw new CronError(this.#text, at, reason);
  }
}

const digits = /[0-9]+/y;
const LONGEST_NAME = 'september'.length;
