import { jsonBoolean, jsonPlain, type SqlForms } from '@svc/plugin-sdk/sql';

/** SQL in the form of SQLite, where databases differ. UUIDs are 16 bytes, booleans 0 and 1. */
export const forms: SqlForms = {
  jsonText: (column) => `json_quote(${column})`,
  jsonPlain,
  jsonBoolean,
  document: 'text',
  uuid: (uuid) => Buffer.from(uuid.replaceAll('-', ''), 'hex'),
  uuidText: hyphenated,
  boolean: Number,
  byteLength: (column) => `length(cast(${column} as blob))`,
  elements: 'json_each(?)',
  elementTexts: 'json_each(?)',
  now: "cast(unixepoch('subsec') * 1000 as integer)",
  takeTurn: undefined,
  holdsZero: true,
};

function hyphenated(column: string): string {
  const part = (from: number, length: number) => `substr(hex(${column}), ${from}, ${length})`;
  const parts = [part(1, 8), part(9, 4), part(13, 4), part(17, 4), part(21, 12)];
  return `lower(${parts.join(` || '-' || `)})`;
}
