import { type Methods, Type } from '@svc/plugin-sdk';
import { stringifyJson } from '@svc/plugin-sdk/json';
import type { Erase } from '../api.ts';
import { type Filter, filterOf, matchesAll } from '../conditions.ts';
import { DYNAMIC, type Kind, STATIC, SUMMARY } from '../kinds.ts';
import { mayDelete, scopesOf } from '../permissions.ts';
import type { Delete } from '../queries.ts';
import { type Condition, Conditions } from '../schemas/conditions.ts';

const Deleted = Type.Object({
  success: Type.Literal(true),
  deleted: Type.Integer({ description: 'Rows.' }),
  condition_count: Type.Integer(),
});

/** `agent_delete_*` (agent.md §7). */
export function addDeleteMethods(
  methods: Methods,
  kinds: { readonly [K in Kind['name']]: { readonly remove: Delete } },
  erased: Erase,
): void {
  const deleteStatic = mayDelete(STATIC);
  const deleteDynamic = mayDelete(DYNAMIC);
  const deleteSummary = mayDelete(SUMMARY);

  methods.add('agent_delete_static', {
    summary: 'Deletes static reports that match: all, or the newest ones with `limit` or `last`.',
    params: { conditions: Conditions },
    result: Deleted,
    audit: ({ conditions }) => stringifyJson(conditions),
    prepare: deletionOf,
    access: { needs: ({ filter }) => deleteStatic(scopesOf(filter)) },
    handle: (deletion) => run(kinds.static.remove, deletion),
  });

  methods.add('agent_delete_dynamic', {
    summary: 'Deletes full reports that match: all, or the newest ones with `limit` or `last`.',
    params: { conditions: Conditions },
    result: Deleted,
    audit: ({ conditions }) => stringifyJson(conditions),
    prepare: deletionOf,
    access: { needs: ({ filter }) => deleteDynamic(scopesOf(filter)) },
    handle: (deletion) => run(kinds.dynamic.remove, deletion, (uuid) => erased('dynamic', uuid)),
  });

  methods.add('agent_delete_dynamic_summary', {
    summary: 'Deletes summaries that match: all, or the newest ones with `limit` or `last`.',
    params: { conditions: Conditions },
    result: Deleted,
    audit: ({ conditions }) => stringifyJson(conditions),
    prepare: deletionOf,
    access: { needs: ({ filter }) => deleteSummary(scopesOf(filter)) },
    handle: (deletion) => run(kinds.summary.remove, deletion, (uuid) => erased('summary', uuid)),
  });
}

interface Deletion {
  readonly filter: Filter;
  readonly condition_count: number;
}

const deletionOf = ({ conditions }: { conditions: readonly Condition[] }): Deletion => ({
  filter: filterOf(conditions),
  condition_count: conditions.length,
});

async function run(
  remove: Delete,
  { filter, condition_count }: Deletion,
  erased?: (uuid: string | undefined) => Promise<void>,
) {
  const deleted = await remove(filter);
  if (matchesAll(filter)) await erased?.(filter.uuids[0]);
  return { success: true as const, deleted, condition_count };
}
