import { isZone } from '@svc/plugin-sdk/util';
import { Clock, spanOf } from '../words/clock.ts';
import { type Language, wordsOf } from '../words/language.ts';

export interface TemplateOptions {
  readonly language: Language;
  readonly zone: string;
}

type Value = string | number;

export interface Filter {
  apply(value: Value, argument: string, options: TemplateOptions): Value;
  /** Returns what is wrong with an argument; undefined: nothing. */
  fault?(argument: string): string | undefined;
}

/** The six filters. */
export const FILTERS: { readonly [name: string]: Filter } = {
  upper: { apply: (value) => `${value}`.toUpperCase() },
  lower: { apply: (value) => `${value}`.toLowerCase() },
  /** A time, in the zone that is named or that of the channel. */
  date: {
    apply: (value, zone, options) =>
      typeof value === 'number'
        ? new Clock(wordsOf(options.language), zone || options.zone, value).long(value)
        : value,
    fault: (zone) =>
      zone === '' || isZone(zone)
        ? undefined
        : `'|date:${zone.slice(0, 40)}' names no time zone: write one such as Europe/Berlin`,
  },
  duration: {
    apply: (value, _argument, { language }) =>
      typeof value === 'number' ? spanOf(value, wordsOf(language)) : value,
  },
  /** A JSON string, with its quotes. */
  json: { apply: (value) => JSON.stringify(value) },
  default: { apply: (value, argument) => (value === '' ? argument : value) },
};
