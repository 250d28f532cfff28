import type { TSchema } from 'typebox';
import { Type } from '../typebox.ts';
import type { Integer, SqlValue } from './statements.ts';

/** Options of the schema of a condition with a value: an object of exactly one member. */
export const ONE_MEMBER = { additionalProperties: false } as const;

/** Conditions of one list at most. All must be met, so more than one of each kind say nothing new. */
const MOST_CONDITIONS = 1_000;

/** A list of conditions. */
export const conditionsOf = <T extends TSchema>(condition: T) =>
  Type.Array(condition, {
    maxItems: MOST_CONDITIONS,
    description: 'Conditions, combined with AND. The list may be empty.',
  });

/** Value of a flag such as `is_success`: `null` or `true` mean the flag, `false` means its opposite. */
export const Flag = Type.Union([Type.Null(), Type.Boolean()]);

/** One of two states: the one that a flag with this value means. */
export const flagged = <S>(value: unknown, state: S, opposite: S): S =>
  value === false ? opposite : state;

/** A filter while its condition list is being read: members can be set, sets can grow. */
export type Building<Filter> = {
  -readonly [K in keyof Filter]: Filter[K] extends ReadonlySet<infer T> ? Set<T> : Filter[K];
};

/** Bounds of one column of times, both ends included; undefined is open. */
export interface TimeRange {
  readonly from: Integer | undefined;
  readonly to: Integer | undefined;
}

/** The one member of each element of a condition list; a bare word is a member without a value. */
export const membersOf = (
  conditions: readonly (string | object)[],
): [name: string, value: unknown][] =>
  conditions.map((condition) => {
    const [member] = typeof condition === 'string' ? [] : Object.entries(condition);
    return member ?? [String(condition), null];
  });

/** Bounds that a condition named `…_from_to`, `…_from` or `…_to` gives. */
export function timesOf(name: string, value: unknown): TimeRange {
  if (name.endsWith('_from_to')) {
    const [from, to] = value as [Integer, Integer];
    return { from, to };
  }
  const time = value as Integer;
  return name.endsWith('_from') ? { from: time, to: undefined } : { from: undefined, to: time };
}

/** Keeps what lies in both. */
export function narrow(bounds: Building<TimeRange>, { from, to }: TimeRange): void {
  if (from !== undefined && (bounds.from === undefined || from > bounds.from)) bounds.from = from;
  if (to !== undefined && (bounds.to === undefined || to < bounds.to)) bounds.to = to;
}

/** Tells whether no time lies between the bounds. */
export const isEmptyRange = ({ from, to }: TimeRange): boolean =>
  from !== undefined && to !== undefined && from > to;

/** SQL condition with its values, as `whereAll` joins them. */
export type Term = readonly [text: string, ...values: SqlValue[]];

/** Terms that a column has these values: of two distinct ones, none matches. */
export const equalTo = (column: string, values: Iterable<SqlValue>): Term[] =>
  Array.from(values, (value) => [`${column} = ?`, value]);

/** Terms that a column of times lies between the bounds. */
export const withinTimes = (column: string, { from, to }: TimeRange): Term[] => [
  ...(from === undefined ? [] : [[`${column} >= ?`, from] as const]),
  ...(to === undefined ? [] : [[`${column} <= ?`, to] as const]),
];
