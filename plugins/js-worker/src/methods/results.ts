import { described, type Methods, optional, type Principal, RpcError, Type } from '@svc/plugin-sdk';
import { stringifyJson } from '@svc/plugin-sdk/json';
import { Int64, Uint64 } from '@svc/plugin-sdk/schemas';
import type { Components } from '../components.ts';
import { type Filter, filterOf, Query } from '../conditions.ts';
import { mayResult, mayResults, type ResultRight } from '../permissions.ts';
import type { Readable } from '../store/result-sql.ts';

/** Any caller with a credential; what it sees depends on its rights. */
const authenticated = {
  async custom(_params: unknown, call: { authenticate(): Promise<Principal> }) {
    await call.authenticate();
  },
};

const Time = Type.Union([Type.Integer({ description: 'Unix ms.' }), Type.Null()]);
const Row = Type.Object({
  id: Uint64,
  js_worker_id: Uint64,
  js_worker_name: Type.String(),
  run_type: Type.String(),
  start_time: Time,
  finish_time: Time,
  param: Type.Unknown(),
  result: Type.Unknown(),
  error_message: Type.Union([Type.String(), Type.Null()]),
});

/** `js-result_query` and `js-result_delete` (js-worker.md §5.3, §5.4). */
export function addResultMethods(methods: Methods, components: Components): void {
  addQuery(methods, components);
  addDelete(methods, components);
}

/** Workers whose rows the caller reaches. @throws RpcError 102 for a named one that it does not reach */
async function readable(
  { kernel: { auth }, results }: Components,
  caller: Principal,
  { right, names }: { readonly right: ResultRight; readonly names: Filter['names'] },
): Promise<Readable> {
  for (const name of names) {
    const requirement = mayResult(right, name);
    if (!(await auth.allows(caller, requirement))) throw RpcError.denied(requirement.denied);
  }
  if (names.size > 0 || (await auth.allows(caller, mayResults(right)))) return 'all';
  const reached: string[] = [];
  for (const name of await results.names()) {
    if (await auth.allows(caller, mayResult(right, name))) reached.push(name);
  }
  return reached;
}

function addQuery(methods: Methods, components: Components): void {
  const { kernel, results } = components;
  methods.add('js-result_query', {
    summary: 'Results of runs that match, newest first: 1,000, or as `limit` or `last` says.',
    params: { query: described(Query, 'Conditions that a result meets all.') },
    result: Type.Array(Row),
    secret: true,
    prepare: ({ query }) => filterOf(query.condition),
    right: {
      words:
        '`js_result` `read` of each worker that is named, in the scope `js_worker` of it; where none is named, the answer holds what the caller may read',
      scopes: [{ js_worker: '<js_worker_name>' }],
      permissions: [{ js_result: { read: '<js_worker_name>' } }],
    },
    access: authenticated,
    async handle(filter, { caller, signal }) {
      const reached = await readable(components, caller, { right: 'read', names: filter.names });
      const maxBytes = kernel.server.maxResponseBytes();
      return results.query(filter, reached, { maxBytes, signal, share: caller.id });
    },
  });
}

function addDelete(methods: Methods, components: Components): void {
  const { kernel, results } = components;
  methods.add('js-result_delete', {
    summary: 'Deletes results of runs: all that match, or the newest with `limit` or `last`.',
    params: {
      query: described(optional(Query), 'Conditions that a result meets all; instead of `id`.'),
      id: described(optional(Int64), 'Of one result; instead of `query`.'),
    },
    result: Type.Object({
      success: Type.Literal(true),
      deleted: Type.Integer({ description: 'Rows.' }),
      condition_count: Type.Integer(),
    }),
    audit: ({ query, id }) => stringifyJson(query?.condition ?? id ?? null),
    prepare({ query, id }) {
      if (query) return { filter: filterOf(query.condition), count: query.condition.length };
      if (id === undefined || id === null) throw RpcError.params('missing field `query`');
      return { filter: filterOf([{ id }]), count: 1 };
    },
    right: {
      words:
        '`js_result` `delete` of each worker that is named, in the scope `js_worker` of it; where none is named, what the caller may delete is deleted',
      scopes: [{ js_worker: '<js_worker_name>' }],
      permissions: [{ js_result: { delete: '<js_worker_name>' } }],
    },
    access: authenticated,
    async handle({ filter, count }, { caller }) {
      const reached = await readable(components, caller, { right: 'delete', names: filter.names });
      const deleted = await results.remove(filter, reached, () => {
        if (kernel.signal.aborted)
          throw RpcError.other('the server stops; not all rows are deleted');
      });
      return { success: true as const, deleted, condition_count: count };
    },
  });
}
