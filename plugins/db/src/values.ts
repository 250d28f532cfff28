/** JSON text of one row. */
export function rowText(row: { readonly [column: string]: unknown }): string {
  const members: string[] = [];
  for (const column in row) members.push(`${JSON.stringify(column)}:${cellText(row[column])}`);
  return `{${members.join(',')}}`;
}

/** JSON text of one stored value, by its storage class (db.md §4.6, "Result values"). */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return realText(value);
  if (typeof value === 'string') return JSON.stringify(value);
  return bytesText(value as Uint8Array);
}

/** `2.0` keeps its fraction; a number that JSON cannot write is null. */
function realText(value: number): string {
  if (!Number.isFinite(value)) return 'null';
  const text = Object.is(value, -0) ? '-0' : String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The JSON value that the bytes spell, else lower-case hex. */
function bytesText(bytes: Uint8Array): string {
  try {
    const text = utf8.decode(bytes);
    if (isPortable(JSON.parse(text))) return text;
  } catch {
    // Not UTF-8, or not JSON: both mean "show the bytes".
  }
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
  return `"${hex}"`;
}

const MAX_DEPTH = 128;
const half = /\p{Surrogate}/u;

/** Strict readers refuse a whole answer for one number that no double holds, half a surrogate pair or deep nesting. */
function isPortable(value: unknown, depth = 0): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value === 'string') return !half.test(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth === MAX_DEPTH) return false;
  const members = Array.isArray(value) ? value : [...Object.keys(value), ...Object.values(value)];
  return members.every((member) => isPortable(member, depth + 1));
}
