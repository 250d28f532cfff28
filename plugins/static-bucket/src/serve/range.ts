/** What a `Range` field asks of a representation (RFC 9110 §14): bytes `from` up to and without `to`. */
export type Wanted = 'whole' | 'unsatisfiable' | { readonly from: number; readonly to: number };

/** A field longer than this is not looked at. */
const MAX_LENGTH = 200;

/**
 * Reads one `Range` field. Other units, malformed fields, several ranges, and an empty file's suffix give the whole.
 */
export function parseRange(field: string, size: number): Wanted {
  if (field.length > MAX_LENGTH) return 'whole';
  const set = /^bytes=(.*)$/i.exec(field)?.[1];
  // RFC 9110 §5.6.1.2: empty list elements do not count.
  const specs = (set ?? '')
    .split(',')
    .map((spec) => spec.replace(/^[ \t]+|[ \t]+$/g, ''))
    .filter((spec) => spec !== '');
  const spec = specs.length === 1 ? /^(\d*)-(\d*)$/.exec(specs[0] as string) : null;
  if (!spec) return 'whole';
  const [, first = '', last = ''] = spec;
  if (first === '') return suffix(last, size);
  return slice(first, last, size);
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
