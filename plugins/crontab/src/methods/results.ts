import { described, type Methods, Type } from '@svc/plugin-sdk';
import { stringifyJson } from '@svc/plugin-sdk/json';
import { Uint64 } from '@svc/plugin-sdk/schemas';
import { filterOf, Query } from '../conditions.ts';
import type { Crontab } from '../crontab.ts';
import { mayList } from '../permissions.ts';

const Row = Type.Object({
  id: Uint64,
  cron_id: Uint64,
  cron_name: Type.String(),
  relative_id: Type.Union([Uint64, Type.Null()], { description: 'Id of the task or of the run.' }),
  run_time: Type.Union([Type.Integer({ description: 'Unix ms.' }), Type.Null()]),
  success: Type.Union([Type.Boolean(), Type.Null()]),
  message: Type.Union([Type.String(), Type.Null()]),
});

/** `crontab-result_*` (crontab.md §6). */
export function addResultMethods(methods: Methods, crontab: Crontab): void {
  const { results, maxBytes, proceed } = crontab;

  methods.add('crontab-result_query', {
    summary: 'Records of runs that match, newest first: 1,000, or as `limit` or `last` says.',
    params: { query: described(Query, 'Conditions that a record meets all.') },
    result: Type.Array(Row),
    prepare: ({ query }) => filterOf(query.condition),
    access: { needs: (filter) => mayList('read', filter) },
    handle: (filter, { caller, signal }) =>
      results.query(filter, { maxBytes: maxBytes(), signal, share: caller.id }),
  });

  methods.add('crontab-result_delete', {
    summary: 'Deletes records of runs: all that match, or the newest with `limit` or `last`.',
    params: { query: described(Query, 'Conditions that a record meets all.') },
    result: Type.Object({
      success: Type.Literal(true),
      deleted: Type.Integer({ description: 'Rows.' }),
      condition_count: Type.Integer(),
    }),
    audit: ({ query }) => stringifyJson(query.condition),
    prepare: ({ query: { condition } }) => ({
      filter: filterOf(condition),
      count: condition.length,
    }),
    access: { needs: ({ filter }) => mayList('delete', filter) },
    async handle({ filter, count }) {
      const deleted = await results.remove(filter, proceed);
      return { success: true as const, deleted, condition_count: count };
    },
  });
}
