import { type CallContext, type Methods, Type } from '@svc/plugin-sdk';
import { filterOf } from '../conditions.ts';
import { type FieldWord, selectionOf } from '../fields.ts';
import { DYNAMIC, type Kind, STATIC, SUMMARY } from '../kinds.ts';
import { mayRead, scopesOf } from '../permissions.ts';
import type { Query } from '../queries.ts';
import { type Condition, Conditions } from '../schemas/conditions.ts';
import { DynamicField, DynamicRow } from '../schemas/dynamic.ts';
import { StaticField, StaticRow } from '../schemas/static.ts';
import { SummaryField, SummaryRow } from '../schemas/summary.ts';
import { withJsonData } from './read-error.ts';

/** `agent_query_*` (agent.md §6.1). */
export function addQueryMethods(
  methods: Methods,
  kinds: { readonly [K in Kind['name']]: { readonly query: Query } },
  maxBytes: () => number,
): void {
  methods.add('agent_query_static', {
    summary: 'Stored static reports that match.',
    params: {
      static_data_query: Type.Object({ fields: Type.Array(StaticField), condition: Conditions }),
    },
    result: Type.Array(StaticRow),
    access: { anyOf: ({ static_data_query }) => needed(STATIC, static_data_query) },
    mapError: withJsonData,
    handle: ({ static_data_query }, call) => run(STATIC, static_data_query, call),
  });

  methods.add('agent_query_dynamic', {
    summary: 'Stored full reports that match.',
    params: {
      dynamic_data_query: Type.Object({ fields: Type.Array(DynamicField), condition: Conditions }),
    },
    result: Type.Array(DynamicRow),
    access: { anyOf: ({ dynamic_data_query }) => needed(DYNAMIC, dynamic_data_query) },
    mapError: withJsonData,
    handle: ({ dynamic_data_query }, call) => run(DYNAMIC, dynamic_data_query, call),
  });

  methods.add('agent_query_dynamic_summary', {
    summary: 'Stored summaries that match; `cpu_usage` and the loads are divided by ten.',
    params: {
      query: Type.Object({ fields: Type.Array(SummaryField), condition: Conditions }),
    },
    result: Type.Array(SummaryRow),
    access: { anyOf: ({ query }) => needed(SUMMARY, query) },
    mapError: withJsonData,
    handle: ({ query }, call) => run(SUMMARY, query, call),
  });

  function run(kind: Kind, { fields, condition }: Asked, { signal }: CallContext) {
    const options = { maxBytes: maxBytes(), signal };
    return kinds[kind.name].query(filterOf(condition), selectionOf(kind, fields), options);
  }
}

interface Asked {
  readonly fields: readonly FieldWord[];
  readonly condition: readonly Condition[];
}

const rights = { static: mayRead(STATIC), dynamic: mayRead(DYNAMIC), summary: mayRead(SUMMARY) };

const needed = (kind: Kind, { fields, condition }: Asked) =>
  rights[kind.name](scopesOf(filterOf(condition)), selectionOf(kind, fields));
