import { type Methods, Type } from '@svc/plugin-sdk';
import { filterOf, Query } from '../conditions.ts';
import type { CrontabParts } from '../parts.ts';
import { mayList } from '../permissions.ts';

/** `crontab-result_*` (crontab.md §6). */
export function addResultMethods(methods: Methods, parts: CrontabParts): void {
  const { results, maxBytes, proceed } = parts;

  methods.add('crontab-result_query', {
    summary: 'Records of runs that match, newest first: 1,000, or as `limit` or `last` says.',
    params: { query: Query },
    result: Type.Array(Type.Unknown()),
    access: { needs: ({ query }) => mayList('read', filterOf(query.condition)) },
    handle: ({ query }, { signal }) =>
      results.query(filterOf(query.condition), { maxBytes: maxBytes(), signal }),
  });

  methods.add('crontab-result_delete', {
    summary: 'Deletes records of runs: all that match, or the newest with `limit` or `last`.',
    params: { query: Query },
    result: Type.Object({
      success: Type.Literal(true),
      deleted: Type.Integer({ description: 'Rows.' }),
      condition_count: Type.Integer(),
    }),
    access: { needs: ({ query }) => mayList('delete', filterOf(query.condition)) },
    async handle({ query }) {
      const deleted = await results.remove(filterOf(query.condition), proceed);
      return { success: true as const, deleted, condition_count: query.condition.length };
    },
  });
}
