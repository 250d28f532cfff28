import { type Methods, Type } from '@svc/plugin-sdk';
import { filterOf } from '../conditions.ts';
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
): void {
  const deleteStatic = mayDelete(STATIC);
  const deleteDynamic = mayDelete(DYNAMIC);
  const deleteSummary = mayDelete(SUMMARY);

  methods.add('agent_delete_static', {
    summary: 'Deletes static reports that match: all, or the newest ones with `limit` or `last`.',
    params: { conditions: Conditions },
    result: Deleted,
    access: { needs: ({ conditions }) => deleteStatic(scopesOf(filterOf(conditions))) },
    handle: ({ conditions }) => run(kinds.static.remove, conditions),
  });

  methods.add('agent_delete_dynamic', {
    summary: 'Deletes full reports that match: all, or the newest ones with `limit` or `last`.',
    params: { conditions: Conditions },
    result: Deleted,
    access: { needs: ({ conditions }) => deleteDynamic(scopesOf(filterOf(conditions))) },
    handle: ({ conditions }) => run(kinds.dynamic.remove, conditions),
  });

  methods.add('agent_delete_dynamic_summary', {
    summary: 'Deletes summaries that match: all, or the newest ones with `limit` or `last`.',
    params: { conditions: Conditions },
    result: Deleted,
    access: { needs: ({ conditions }) => deleteSummary(scopesOf(filterOf(conditions))) },
    handle: ({ conditions }) => run(kinds.summary.remove, conditions),
  });
}

async function run(remove: Delete, conditions: readonly Condition[]) {
  const deleted = await remove(filterOf(conditions));
  return { success: true as const, deleted, condition_count: conditions.length };
}
