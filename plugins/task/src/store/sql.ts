import { type Database, RpcError, type SqlValue } from '@svc/plugin-sdk';
import type { Knex } from 'knex';
import type { Filter, State } from '../conditions.ts';

/** A piece of SQL with the values of its placeholders. */
export interface Sql {
  readonly text: string;
  readonly params: readonly SqlValue[];
}

/** How the two databases hold UUIDs and booleans. */
export interface Forms {
  /** Value of the `uuid` column. */
  readonly uuid: (uuid: string) => SqlValue;
  /** Text expression of the `uuid` column: lower-case hyphenated. */
  readonly uuidText: string;
  readonly boolean: (value: boolean) => SqlValue;
  /** JSON text expression of a text column, `null` included. */
  readonly quoted: (column: string) => string;
}

export const formsOf = ({ dialect }: Database): Forms => (dialect === 'sqlite' ? sqlite : postgres);

const sqlite: Forms = {
  uuid: (uuid) => Buffer.from(uuid.replaceAll('-', ''), 'hex'),
  uuidText: hyphenated('t.uuid'),
  boolean: Number,
  quoted: (column) => `json_quote(${column})`,
};

const postgres: Forms = {
  uuid: (uuid) => uuid,
  uuidText: 'cast(t.uuid as text)',
  boolean: (value) => value,
  quoted: (column) => `coalesce(cast(to_json(${column}) as text), 'null')`,
};

/** Text of a 16-byte blob on SQLite. */
function hyphenated(column: string): string {
  const part = (from: number, length: number) => `substr(hex(${column}), ${from}, ${length})`;
  const texts = [part(1, 8), part(9, 4), part(13, 4), part(17, 4), part(21, 12)];
  return `lower(${texts.join(` || '-' || `)})`;
}

const states: { readonly [S in State]: string } = {
  success: 't.success',
  failure: 'not t.success',
  running: 't.success is null',
  ended: 't.success is not null',
};

/** `where …` of a filter; `without` names a type whose rows are left out. */
export function whereOf(filter: Filter, forms: Forms, without: string | undefined): Sql {
  const parts: [text: string, ...values: SqlValue[]][] = [];
  for (const id of filter.ids) parts.push(['t.id = ?', id]);
  for (const uuid of filter.uuids) parts.push(['t.uuid = ?', forms.uuid(uuid)]);
  for (const type of filter.types) parts.push(['t.type_name = ?', type]);
  for (const name of filter.cronSources) parts.push(['t.cron_source = ?', name]);
  for (const state of filter.states) parts.push([states[state]]);
  if (filter.from !== undefined) parts.push(['t.timestamp >= ?', filter.from]);
  if (filter.to !== undefined) parts.push(['t.timestamp <= ?', filter.to]);
  if (without !== undefined) parts.push(['t.type_name <> ?', without]);
  return {
    text: `where ${parts.map(([text]) => text).join(' and ') || 'true'}`,
    params: parts.flatMap(([, ...values]) => values),
  };
}

/** Running tasks have no timestamp and sort lowest on both databases. */
export const order = {
  newest: 'order by t.timestamp desc nulls last, t.id desc',
  oldest: 'order by t.timestamp asc nulls first, t.id asc',
} as const;

/** Rows of a statement with `returning`, run where writes run. */
export async function returning<Row>(
  on: Knex | Knex.Transaction,
  { text, params }: Sql,
): Promise<Row[]> {
  const result: unknown = await on.raw(text, params as never);
  return Array.isArray(result) ? result : (result as { rows: Row[] }).rows;
}

export const marks = (count: number): string => Array.from({ length: count }, () => '?').join(', ');

/** Runs database work; a failure of the driver becomes 103 with a neutral text. */
export async function guarded<T>(detail: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof RpcError && cause.code !== DATABASE) throw cause;
    throw RpcError.database(detail, { cause });
  }
}

const DATABASE = 103;
