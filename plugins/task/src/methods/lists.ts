import {
  type Auth,
  type CallContext,
  type Methods,
  type TSchema,
  Type,
  Uuid,
} from '@svc/plugin-sdk';
import { stringifyJson } from '@svc/plugin-sdk/json';
import { Uint64 } from '@svc/plugin-sdk/schemas';
import type { Completions } from '../completions.ts';
import { Conditions, type Filter, filterOf } from '../conditions.ts';
import { mayList, mayListUnlisted, UNLISTED_TYPE } from '../permissions.ts';
import { TaskResult } from '../result.ts';
import type { ListStore } from '../store/lists.ts';
import { TaskType } from '../type.ts';
import { withJsonData } from './list-error.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Row = Type.Object({
  task_id: Uint64,
  uuid: Uuid,
  cron_source: orNull(Type.String({ description: 'Name of the job that made it.' })),
  timestamp: orNull(Type.Integer({ description: 'Unix ms of the result; null: none so far.' })),
  success: orNull(Type.Boolean()),
  error_message: orNull(Type.String()),
  task_event_type: TaskType,
  task_event_result: orNull(TaskResult),
});

export interface ListOptions {
  readonly auth: Auth;
  readonly store: ListStore;
  readonly completions: Completions;
  readonly maxBytes: () => number;
  /** Throws when the server stops. */
  readonly proceed: () => void;
}

/** `task_query` and `task_delete` (task.md §4.6, §4.7). */
export function addListMethods(methods: Methods, options: ListOptions): void {
  addQuery(methods, options);
  addDelete(methods, options);
}

function addQuery(methods: Methods, { auth, store, maxBytes }: ListOptions): void {
  methods.add('task_query', {
    summary: 'Tasks that match: the oldest 1,000, or the newest with `limit` or `last`.',
    secret: true,
    params: {
      task_data_query: Type.Object(
        { condition: Conditions },
        { description: 'Conditions that a task meets all.' },
      ),
    },
    result: Type.Array(Row),
    prepare: ({ task_data_query }) => filterOf(task_data_query.condition),
    access: { needs: (filter) => mayList('read', filter) },
    mapError: withJsonData,
    async handle(filter, call) {
      const without = await leftOut('read', filter, { auth, call });
      const { caller, signal } = call;
      return store.query(filter, { without, maxBytes: maxBytes(), signal, share: caller.id });
    },
  });
}

function addDelete(methods: Methods, { auth, store, completions, proceed }: ListOptions): void {
  methods.add('task_delete', {
    summary: 'Deletes tasks that match: all, or the newest ones with `limit` or `last`.',
    params: { conditions: Conditions },
    result: Type.Object({
      success: Type.Literal(true),
      deleted: Type.Integer({ description: 'Rows.' }),
      condition_count: Type.Integer(),
    }),
    audit: ({ conditions }) => stringifyJson(conditions),
    prepare: ({ conditions }) => ({ filter: filterOf(conditions), count: conditions.length }),
    access: { needs: ({ filter }) => mayList('delete', filter) },
    mapError: withJsonData,
    async handle({ filter, count }, call) {
      const without = await leftOut('delete', filter, { auth, call });
      const deleted = await store.remove(filter, {
        without,
        proceed(running) {
          completions.ended(running);
          proceed();
        },
      });
      return { success: true as const, deleted, condition_count: count };
    },
  });
}

interface Asked {
  readonly auth: Auth;
  readonly call: CallContext;
}

/** The type whose rows are left out: the right to all types does not cover it, and the caller lacks its own right. */
async function leftOut(verb: 'read' | 'delete', filter: Filter, { auth, call }: Asked) {
  if (filter.types.size > 0) return undefined;
  const allowed = await auth.allows(call.caller, mayListUnlisted(verb, filter));
  return allowed ? undefined : UNLISTED_TYPE;
}
