import { equalTo, type Sql, type SqlForms, whereAll, withinTimes } from '@svc/plugin-sdk/sql';
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
  return whereAll([
    ...equalTo('t.id', filter.ids),
    ...equalTo(
      't.uuid',
      Array.from(filter.uuids, (uuid) => forms.uuid(uuid)),
    ),
    ...equalTo('t.type_name', filter.types),
    ...equalTo('t.cron_source', filter.cronSources),
    ...Array.from(filter.states, (state) => [states[state]] as const),
    ...withinTimes('t.timestamp', filter),
    ...(without === undefined ? [] : [['t.type_name <> ?', without] as const]),
  ]);
}

/** Running tasks have no timestamp and sort lowest on both databases. */
export const order = {
  newest: 'order by t.timestamp desc nulls last, t.id desc',
  oldest: 'order by t.timestamp asc nulls first, t.id asc',
} as const;
