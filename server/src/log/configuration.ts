import type { Fields, Logger } from '@svc/plugin-sdk';
import { isTable } from '../config/section.ts';

type Table = { readonly [key: string]: unknown };

/** Logs what the file says, a record for the top-level keys and one for each table: `configuration [database]`. */
export function logConfiguration(log: Logger, path: string, raw: Table): void {
  log.info('configuration', { path, ...keysOf(raw) });
  logTables(log, raw, '');
}

function logTables(log: Logger, table: Table, prefix: string): void {
  for (const [key, value] of Object.entries(table)) {
    if (!isTable(value)) continue;
    const name = prefix + key;
    const keys = keysOf(value);
    if (Object.keys(keys).length > 0) log.info(`configuration [${name}]`, keys);
    logTables(log, value, `${name}.`);
  }
}

const keysOf = (table: Table): Fields =>
  Object.fromEntries(
    Object.entries(table)
      .filter(([, value]) => !isTable(value))
      .map(([key, value]) => [key, isList(value) ? value.join(', ') : value]),
  );

/** Texts and numbers; an array of tables stays JSON. */
const isList = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.every((item) => typeof item !== 'object');
