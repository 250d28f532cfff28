import { UserError } from '../errors.ts';

/** The table `[database]` of the configuration, the address included. */
export type GivenOptions = { readonly [key: string]: unknown };

/** Keys of `[database]` that every driver knows; times in ms. */
export interface PoolOptions {
  readonly connect_timeout_ms: number;
  readonly acquire_timeout_ms: number;
  readonly idle_timeout_ms: number;
  readonly max_lifetime_ms: number;
  readonly max_connections: number;
}

/** @throws UserError that names the key */
export const poolOptions = (given: GivenOptions): PoolOptions => ({
  connect_timeout_ms: timeOption(given, 'connect_timeout_ms', { minimum: 1, fallback: 3_000 }),
  acquire_timeout_ms: timeOption(given, 'acquire_timeout_ms', { minimum: 1, fallback: 3_000 }),
  idle_timeout_ms: timeOption(given, 'idle_timeout_ms', { minimum: 0, fallback: 3_000 }),
  max_lifetime_ms: timeOption(given, 'max_lifetime_ms', { minimum: 0, fallback: 30_000 }),
  max_connections: numberOption(given, 'max_connections', { minimum: 1, fallback: 10 }),
});

/** Timers, and settings of databases, count in 32 bits: a longer time is cut to this. */
const MAX_TIME_MS = 2 ** 31 - 1;

/** A time in ms. @throws UserError that names the key */
export const timeOption = (given: GivenOptions, key: string, rule: NumberRule): number =>
  Math.min(numberOption(given, key, rule), MAX_TIME_MS);

export interface NumberRule {
  readonly minimum: number;
  /** Value of a key that is not given. */
  readonly fallback: number;
}

/** A whole number. @throws UserError that names the key */
export function numberOption(
  given: GivenOptions,
  key: string,
  { minimum, fallback }: NumberRule,
): number {
  const value = given[key] ?? fallback;
  if (typeof value === 'number' && Number.isInteger(value) && value >= minimum) return value;
  throw new UserError(`database.${key}: must be a whole number of at least ${minimum}`);
}

/** One of some words, the first of which is the default. @throws UserError that names the key */
export function wordOption<Word extends string>(
  given: GivenOptions,
  key: string,
  words: readonly [Word, ...Word[]],
): Word {
  const value = given[key] ?? words[0];
  const found = words.find((word) => word === value);
  if (found !== undefined) return found;
  throw new UserError(`database.${key}: must be one of ${words.join(', ')}`);
}
