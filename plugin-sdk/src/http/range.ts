/** Bytes `from` up to and without `to`. */
export interface Slice {
  readonly from: number;
  readonly to: number;
}

/** Part of a representation that a `Range` field asks for (RFC 9110 §14). */
export type Wanted = 'whole' | 'unsatisfiable' | Slice;

/** Characters of the longest field; a longer one is ignored. */
const MAX_LENGTH = 200;

/**
 * Reads a `Range` field of one range. Gives `whole` for another unit, a malformed field, several ranges, and a suffix of
 * an empty file.
 */
export function parseRange(field: string, size: number): Wanted {
  const specs = specsOf(field);
  return specs.length === 1 ? wantedBy(specs[0] as string, size) : 'whole';
}

/**
 * Reads a `Range` field of several ranges: those that can be satisfied, in the order of the field. Gives `whole` when
 * one of them is malformed, or when together they hold more bytes than the file (RFC 9110 §14.2).
 */
export function parseRanges(field: string, size: number): Wanted | readonly Slice[] {
  const wanted = specsOf(field).map((spec) => wantedBy(spec, size));
  if (wanted.length === 0 || wanted.includes('whole')) return 'whole';
  const slices = wanted.filter((one) => typeof one === 'object');
  if (slices.length < 2) return slices[0] ?? 'unsatisfiable';
  const total = slices.reduce((sum, { from, to }) => sum + to - from, 0);
  return total > size ? 'whole' : slices;
}

function specsOf(field: string): string[] {
  const set = field.length > MAX_LENGTH ? undefined : /^bytes=(.*)$/i.exec(field)?.[1];
  // RFC 9110 §5.6.1.2: empty list elements do not count.
  return (set ?? '')
    .split(',')
    .map((spec) => spec.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, ''))
    .filter((spec) => spec !== '');
}

function wantedBy(spec: string, size: number): Wanted {
  const [, first, last] = /^(\d*)-(\d*)$/.exec(spec) ?? [];
  if (first === undefined || last === undefined) return 'whole';
  return first === '' ? suffix(last, size) : slice(first, last, size);
}

function suffix(length: string, size: number): Wanted {
  if (length === '') return 'whole';
  if (!/[1-9]/.test(length)) return 'unsatisfiable';
  return size === 0 ? 'whole' : { from: Math.max(0, size - Number(length)), to: size };
}

function slice(first: string, last: string, size: number): Wanted {
  if (last !== '' && BigInt(last) < BigInt(first)) return 'whole';
  const from = Number(first);
  if (from >= size) return 'unsatisfiable';
  return { from, to: last === '' ? size : Math.min(Number(last) + 1, size) };
}
