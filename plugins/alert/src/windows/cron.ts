import { RpcError } from '@svc/plugin-sdk';
import { Cron } from 'croner';
import { changeIn, instantOf, offsetAt } from './wall-clock.ts';

/** Days of the months, February in a leap year. */
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const WEEKDAYS = 'sun mon tue wed thu fri sat'.split(' ');
const EVERY_HOUR = /^(?:[*?](?:\/1)?|0-23)$/;

interface Field {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** Words for numbers, the first one for `least`. */
  readonly words?: readonly string[];
  /** Items that are neither a number, a range nor a step. */
  readonly special?: RegExp;
  /** Form of an item, for what is refused. */
  readonly form: string;
}

const FIELDS: readonly Field[] = [
  { name: 'minute', least: 0, most: 59, form: '30, 0-15 or */20' },
  { name: 'hour', least: 0, most: 23, form: '2, 2-4 or */2' },
  {
    ...{ name: 'day-of-month', least: 1, most: 31, form: '1, 1-7, 15W, LW or L' },
    special: /^(?:L|LW|(\d{1,2})W)$/i,
  },
  { name: 'month', least: 1, most: 12, words: MONTHS, form: '1, 1-3 or jan' },
  {
    ...{ name: 'day-of-week', least: 0, most: 7, words: WEEKDAYS, form: '1, 1-5, mon, 1#2 or 5L' },
    special: /^(\d{1,3}|[a-z]{3})(?:#(?:[1-5]|L)|L)$/i,
  },
];

/** Begins of a cron line on the clock of a zone. */
export class CronLine {
  /** A clock without changes: the library would leave out, or repeat, begins at those of the zone. */
  readonly #cron: Cron;
  readonly #zone: string;
  readonly #isEveryHour: boolean;

  /** @throws RpcError 108 that says which field is wrong */
  constructor(text: string, zone: string) {
    const fields = fieldsOf(text);
    this.#cron = cronOf(text, fields);
    this.#zone = zone;
    this.#isEveryHour = EVERY_HOUR.test(fields[1] ?? '');
  }

  /** Instants after `time`, the earliest first, each once. */
  begins(time: number): Iterable<number> {
    return this.#isEveryHour ? this.#inRealTime(time) : this.#onTheClock(time);
  }

  *#onTheClock(time: number): Iterable<number> {
    let local = this.#next(time + offsetAt(this.#zone, time));
    for (let last = time; local !== undefined; local = this.#next(local)) {
      const begins = instantOf(this.#zone, local);
      if (begins <= last) continue;
      last = begins;
      yield begins;
    }
  }

  /** Begins of a line for every hour: a change of the clock neither adds an hour nor takes one. */
  *#inRealTime(time: number): Iterable<number> {
    let last = time;
    let offset = offsetAt(this.#zone, time);
    let local = this.#next(time + offset);
    while (local !== undefined) {
      const begins = local - offset;
      const now = offsetAt(this.#zone, begins);
      if (now === offset) {
        last = begins;
        yield begins;
        local = this.#next(local);
      } else {
        last = changeIn(this.#zone, last, begins);
        offset = offsetAt(this.#zone, last);
        local = this.#next(last + offset - 1);
      }
    }
  }

  #next(local: number): number | undefined {
    return this.#cron.nextRun(new Date(local))?.getTime();
  }
}

function fieldsOf(text: string): readonly string[] {
  const fields = text.trim().split(/\s+/);
  if (fields.length !== FIELDS.length) {
    const form = 'minute hour day-of-month month day-of-week, for example 30 2 * * 6';
    throw RpcError.invalid(`cron must have five fields (${form}); it has ${fields.length}`);
  }
  for (const [place, field] of FIELDS.entries()) {
    const fault = faultOf(field, fields[place] ?? '');
    if (fault === undefined) continue;
    throw RpcError.invalid(`cron: ${field.name} '${fields[place]}' of '${text}' ${fault}`);
  }
  return fields;
}

function cronOf(text: string, fields: readonly string[]): Cron {
  let cron: Cron;
  try {
    cron = new Cron(fields.join(' '), { timezone: 'UTC', mode: '5-part', paused: true });
  } catch (error) {
    const forms = FIELDS.map(({ name, form }) => `${name} like ${form}`).join('; ');
    throw RpcError.invalid(`cron '${text}' is not understood: write ${forms}`, { cause: error });
  }
  // Looking for a day that never comes takes a fifth of a second.
  if (isNever(fields)) throw RpcError.invalid(`cron '${text}' never comes: no such day exists`);
  return cron;
}

/** Reason why the text of a field is refused. */
function faultOf(field: Field, text: string): string | undefined {
  if (text.startsWith('+')) return `begins with no +: write ${field.form}`;
  const items = text.split(',');
  if (items.includes(''))
    return `has an empty item: take out the comma, or write what is missing, like ${field.form}`;
  for (const item of items) {
    const fault = itemFault(field, item);
    if (fault !== undefined) return items.length > 1 ? `: '${item}' ${fault}` : fault;
  }
  return undefined;
}

function itemFault(field: Field, item: string): string | undefined {
  const special = field.special?.exec(item);
  if (special) return special[1] === undefined ? undefined : valueFault(field, special[1]);
  const [, all, from, to, step] =
    /^(?:([*?])|(\d+|[a-z]{3})(?:-(\d+|[a-z]{3}))?)(?:\/(\d+))?$/i.exec(item) ?? [];
  if (all === undefined && from === undefined) return `is not understood: write ${field.form}`;
  if (step !== undefined && from !== undefined && to === undefined)
    return `has a step without a range: write ${from}-${field.most}/${step}`;
  const most = field.most - field.least + 1;
  if (step !== undefined && (Number(step) < 1 || Number(step) > most))
    return `has a step that is not between 1 and ${most}`;
  for (const value of [from, to]) {
    const fault = value === undefined ? undefined : valueFault(field, value);
    if (fault !== undefined) return fault;
  }
  if (from !== undefined && to !== undefined && numberOf(field, from) > lastOf(field, to))
    return 'has a range that does not ascend';
  return undefined;
}

function valueFault(field: Field, text: string): string | undefined {
  const { least, most, words, form } = field;
  const number = numberOf(field, text);
  if (Number.isNaN(number)) return `is not understood: write ${form}`;
  if (number >= least && number <= most) return undefined;
  return `is not between ${least} and ${most}${words ? `, nor one of ${words.join(', ')}` : ''}`;
}

/** Number of the end of a range: a week may end with Sunday. */
const lastOf = (field: Field, text: string) =>
  text.toLowerCase() === 'sun' ? field.most : numberOf(field, text);

function numberOf({ least, words = [] }: Field, text: string): number {
  const place = words.indexOf(text.toLowerCase());
  return place < 0 ? Number(text) : place + least;
}

/** Tells whether none of the months has the days of a line that is understood. */
function isNever([, , day = '', month = '', weekday = '']: readonly string[]): boolean {
  if (!['*', '?'].includes(weekday) || /l/i.test(day)) return false;
  const earliest = Math.min(...day.split(',').map((item) => Number.parseInt(item, 10) || 1));
  const numbers = month.toLowerCase().replace(/[a-z]{3}/g, (name) => `${MONTHS.indexOf(name) + 1}`);
  return numbers.split(',').every((item) => {
    const [, from = '1', to = from, step = '1'] = /^(\d+)(?:-(\d+))?(?:\/(\d+))?$/.exec(item) ?? [];
    for (let at = Number(from); at <= Number(to); at += Number(step))
      if ((DAYS[at - 1] ?? 0) >= earliest) return false;
    return true;
  });
}
