import { type Sql, type SqlForms, whereAll, withinTimes } from '@svc/plugin-sdk/sql';
import type { Filter, State } from '../conditions.ts';

/** Workers whose results a caller may see: all, or these. */
export type Readable = 'all' | readonly string[];

/** The order of answers. */
export const NEWEST = 'order by r.start_time desc nulls last, r.id desc';

const states: { readonly [state in State]: string } = {
  is_success: '(r.result is not null and r.error_message is null)',
  is_failure: 'r.error_message is not null',
  is_running: '(r.result is null and r.error_message is null)',
};

/** The rows that match and that the caller may see. */
export function whereOf(filter: Filter, readable: Readable, { elementTexts }: SqlForms): Sql {
  const names = `r.js_worker_name in (select value from ${elementTexts} i)`;
  return whereAll([
    ...filter.equals.map(([column, value]) => [`r.${column} = ?`, value] as const),
    ...withinTimes('r.start_time', filter.start),
    ...withinTimes('r.finish_time', filter.finish),
    ...Array.from(filter.states, (state) => [states[state]] as const),
    ...(readable === 'all' ? [] : [[names, JSON.stringify(readable)] as const]),
  ]);
}

/** Tells whether no row can match: no stored text holds these characters, and the databases do not accept them all as a value. */
export const matchesNothing = ({ equals }: Filter): boolean =>
  // One column cannot have two values.
  new Set(equals.map(([column]) => column)).size < equals.length ||
  equals.some(([, value]) => typeof value === 'string' && /[\0\p{Cs}]/u.test(value));

/** Text expression of one row as JSON. */
export function rowJson({ jsonText: text, jsonPlain: plain }: SqlForms): string {
  const members = [
    `'"id":', r.id`,
    `'"js_worker_id":', r.js_worker_id`,
    `'"js_worker_name":', ${text('r.js_worker_name')}`,
    `'"run_type":', ${text('r.run_type')}`,
    `'"start_time":', ${plain('r.start_time')}`,
    `'"finish_time":', ${plain('r.finish_time')}`,
    `'"param":', ${plain('r.param')}`,
    `'"result":', ${plain('r.result')}`,
    `'"error_message":', ${text('r.error_message')}`,
  ];
  return `concat('{', ${members.join(`, ',', `)}, '}')`;
}
