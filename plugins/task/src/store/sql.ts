import { type Sql, type SqlForms, type SqlValue, whereAll } from '@svc/plugin-sdk/sql';
import type { Filter, State } from '../conditions.ts';

const states: { readonly [S in State]: string } = {
  success: 't.success',
  failure: 'not t.success',
  running: 't.success is null',
  ended: 't.success is not null',
  // Index idx-task-manual.
  manual: 't.cron_source is null',
  scheduled: 't.cron_source is not null',
};

/** `where …` of a filter; rows of the type `without` are left out. */
export function whereOf(filter: Filter, forms: SqlForms, without: string | undefined): Sql {
  const parts: [text: string, ...values: SqlValue[]][] = [];
  for (const id of filter.ids) parts.push(['t.id = ?', id]);
  for (const uuid of filter.uuids) parts.push(['t.uuid = ?', forms.uuid(uuid)]);
  for (const type of filter.types) parts.push(['t.type_name = ?', type]);
  for (const name of filter.cronSources) parts.push(['t.cron_source = ?', name]);
  for (const state of filter.states) parts.push([states[state]]);
  if (filter.from !== undefined) parts.push(['t.timestamp >= ?', filter.from]);
  if (filter.to !== undefined) parts.push(['t.timestamp <= ?', filter.to]);
  if (without !== undefined) parts.push(['t.type_name <> ?', without]);
  return whereAll(parts);
}

/** Running tasks have no timestamp and sort lowest on both databases. */
export const order = {
  newest: 'order by t.timestamp desc nulls last, t.id desc',
  oldest: 'order by t.timestamp asc nulls first, t.id asc',
} as const;
