import { parseJson, stringifyJson } from '@svc/plugin-sdk/json';

/** JSON text of one row. */
export function rowText(row: { readonly [column: string]: unknown }): string {
  const cells = Object.entries(row).map(([column, value]) => [column, jsonCell(value)]);
  // Not by assignment: a column may be called `__proto__`.
  return stringifyJson(Object.fromEntries(cells));
}

/** One stored value as JSON (svc-server.md §12). */
export function jsonCell(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (value instanceof Uint8Array) return jsonBytes(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (Array.isArray(value)) return value.map(jsonCell);
  return value;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The JSON value that the bytes spell, else lower-case hex. */
function jsonBytes(bytes: Uint8Array): unknown {
  try {
    return parseJson(utf8.decode(bytes));
  } catch {
    // Not UTF-8, or not JSON: both mean "show the bytes".
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
  }
}
