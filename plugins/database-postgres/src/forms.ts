import { jsonBoolean, jsonPlain, type SqlForms } from '@svc/plugin-sdk/sql';

/** SQL in the form of Postgres, where databases differ. */
export const forms: SqlForms = {
  jsonText: (column) => `coalesce(cast(to_json(${column}) as text), 'null')`,
  jsonPlain,
  jsonBoolean,
  document: 'jsonb',
  uuid: (uuid) => uuid,
  uuidText: (column) => `cast(${column} as text)`,
  boolean: (value) => value,
  byteLength: (column) => `octet_length(${column})`,
  elements: 'json_array_elements(cast(? as json))',
  elementTexts: 'json_array_elements_text(cast(? as json))',
  now: 'cast(extract(epoch from clock_timestamp()) * 1000 as bigint)',
  takeTurn: 'select pg_advisory_xact_lock(cast(? as integer), cast(? as integer))',
  holdsZero: false,
};
