import { createHash } from 'node:crypto';
import type { Values } from './types.ts';

/** Returns the text of a value; empty where there is none. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** Returns a number, whether it was written as one or as a text. */
export function numberOf(value: unknown): number | undefined {
  const text = textOf(value);
  const number = Number(text);
  return text === '' || !Number.isFinite(number) ? undefined : number;
}

/** Tells whether a value says yes: databases have 1, files `true`. */
export const isYes = (value: unknown): boolean =>
  value === true || /^(?:1|true)$/.test(textOf(value));

/** Returns the members of an object; of anything else none. */
export const membersOf = (value: unknown): Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : {};

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Returns what a text of JSON holds; undefined: it is none. */
export function jsonOf(text: unknown): unknown {
  if (typeof text !== 'string') return text ?? undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns members without those that have no value. */
export const present = (values: Values): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value !== ''),
  );

/** Returns a short name that says nothing of the text. */
export const shortHash = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 12);

/** Returns a text as names may be: one line, without spaces at its ends. */
export const lineOf = (value: unknown, most = 80): string =>
  textOf(value)
    .replace(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/gu, ' ')
    .slice(0, most)
    .trim();

/** Returns a number within bounds, and tells where it was another one. */
export function within(
  given: number | undefined,
  bounds: { readonly least: number; readonly most: number; readonly usual: number },
  told: (from: number, to: number) => void,
): number {
  const { least, most, usual } = bounds;
  if (given === undefined) return usual;
  const kept = Math.min(most, Math.max(least, Math.round(given)));
  if (kept !== given) told(given, kept);
  return kept;
}

/** Returns a text as CEL writes it. */
export const quoted = (text: string): string => JSON.stringify(text);

/** Note of what was switched off where it comes from: it stays off. */
export const OFF = 'it was switched off, and stays off';
