import { type Logger, Type } from '@svc/plugin-sdk';
import { type Fields, isSecretKey, type KeyMarks } from '@svc/plugin-sdk/kernel';
import { hideSecret, secretsIn } from '@svc/plugin-sdk/util';
import type { TObject, TSchema } from 'typebox';
import { CLAIMED } from '../config/claimed.ts';
import { isTable } from '../config/section.ts';
import { MASK } from './mask.ts';

type Table = { readonly [key: string]: unknown };

/** The parts of a schema that tell which keys are known. */
interface Known extends KeyMarks {
  readonly type?: string;
  readonly properties?: { readonly [key: string]: TSchema };
  readonly items?: TSchema;
}

/**
 * Logs what the file says, a record for the top-level keys and one for each table: `configuration [database]`.
 * @param schema of the whole file: of a key that it does not know only the name is logged, because a misspelt `password` holds one
 */
export function logConfiguration(log: Logger, path: string, raw: Table, schema: TSchema): void {
  const shown = shownOf(raw, schema) as Table;
  log.info('configuration', { path, ...keysOf(shown) });
  logTables(log, shown, '');
}

/** The schema of a whole file with the keys that plugins claim, also those that are off. */
export const shownBy = ({ properties }: TObject): TSchema =>
  Type.Object({ ...CLAIMED.properties, ...properties });

function logTables(log: Logger, table: Table, prefix: string): void {
  for (const [key, value] of Object.entries(table)) {
    if (!isTable(value)) continue;
    const name = prefix + key;
    const keys = keysOf(value);
    if (Object.keys(keys).length > 0) log.info(`configuration [${name}]`, keys);
    logTables(log, value, `${name}.`);
  }
}

/** A copy that may be logged. A value of another kind than the schema's counts as unknown, too. */
function shownOf(value: unknown, schema: Known | undefined): unknown {
  if (isTable(value)) {
    const { properties = {} } = schema ?? {};
    const known = (key: string) => (Object.hasOwn(properties, key) ? properties[key] : undefined);
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, shownOf(member, known(key))]),
    );
  }
  if (Array.isArray(value))
    return schema?.items ? value.map((item) => shownOf(item, itemOf(schema))) : MASK;
  if (!schema || schema.type === 'object' || schema.type === 'array') return MASK;
  if (typeof value !== 'string') return value;
  return schema.secret ? hideSecret(value, MASK) : value.replace(QUERY, `$1${MASK}`);
}

/** Texts that no log may show: what stands in secret keys, wherever it turns up again. */
export function secretsOf(value: unknown, schema: Known | undefined, name = ''): string[] {
  if (typeof value === 'string') return isSecretKey(name, schema) ? secretsIn(value) : [];
  const { items, properties = {}, ...marks } = schema ?? {};
  if (Array.isArray(value))
    return value.flatMap((item) => secretsOf(item, items && { ...marks, ...items }, name));
  if (!isTable(value)) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    secretsOf(member, Object.hasOwn(properties, key) ? properties[key] : undefined, key),
  );
}

/** Schema of the items of a list, whose mark holds for them. */
const itemOf = ({ items, secret }: Known): Known =>
  secret === undefined ? { ...items } : { secret, ...items };

/** Query of an address; the mode in which an SQLite file is opened is no secret. */
const QUERY = /(:\/\/[^\s?#]*[?#])(?!mode=(?:ro|rw|rwc|memory)$)\S*/g;

const keysOf = (table: Table): Fields =>
  Object.fromEntries(
    Object.entries(table)
      .filter(([, value]) => !isTable(value))
      .map(([key, value]) => [key, isList(value) ? value.join(', ') : value]),
  );

/** Texts and numbers; an array of tables stays JSON. */
const isList = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.every((item) => typeof item !== 'object');
