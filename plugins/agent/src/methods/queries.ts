import { type CallContext, type Methods, type TSchema, Type } from '@svc/plugin-sdk';
import { MOST_WORDS } from '@svc/plugin-sdk/schemas';
import { type Filter, filterOf } from '../conditions.ts';
import { type FieldWord, type Selection, selectionOf } from '../fields.ts';
import { DYNAMIC, type Kind, STATIC, SUMMARY } from '../kinds.ts';
import { mayRead, scopesOf } from '../permissions.ts';
import type { Query } from '../queries.ts';
import { type Condition, Conditions } from '../schemas/conditions.ts';
import { DynamicField, DynamicRow } from '../schemas/dynamic.ts';
import { StaticField, StaticRow } from '../schemas/static.ts';
import { SummaryField, SummaryRow } from '../schemas/summary.ts';
import { withJsonData } from './read-error.ts';

const QueryOf = <T extends TSchema>(field: T) =>
  Type.Object(
    { fields: Type.Array(field, { maxItems: MOST_WORDS }), condition: Conditions },
    { description: 'Members of a report that are told, and conditions that it meets all.' },
  );

/** `agent_query_*` (agent.md §6.1). */
export function addQueryMethods(
  methods: Methods,
  kinds: { readonly [K in Kind['name']]: { readonly query: Query } },
  maxBytes: () => number,
): void {
  methods.add('agent_query_static', {
    summary: 'Stored static reports that match.',
    params: {
      static_data_query: QueryOf(StaticField),
    },
    result: Type.Array(StaticRow),
    prepare: ({ static_data_query }) => prepared(STATIC, static_data_query),
    access: { anyOf: (asked) => needed(STATIC, asked) },
    mapError: withJsonData,
    handle: (asked, call) => run(STATIC, asked, call),
  });

  methods.add('agent_query_dynamic', {
    summary: 'Stored full reports that match.',
    params: {
      dynamic_data_query: QueryOf(DynamicField),
    },
    result: Type.Array(DynamicRow),
    prepare: ({ dynamic_data_query }) => prepared(DYNAMIC, dynamic_data_query),
    access: { anyOf: (asked) => needed(DYNAMIC, asked) },
    mapError: withJsonData,
    handle: (asked, call) => run(DYNAMIC, asked, call),
  });

  methods.add('agent_query_dynamic_summary', {
    summary: 'Stored summaries that match; `cpu_usage` and the loads are divided by ten.',
    params: {
      query: QueryOf(SummaryField),
    },
    result: Type.Array(SummaryRow),
    prepare: ({ query }) => prepared(SUMMARY, query),
    access: { anyOf: (asked) => needed(SUMMARY, asked) },
    mapError: withJsonData,
    handle: (asked, call) => run(SUMMARY, asked, call),
  });

  function run(kind: Kind, { filter, selection }: Asked, { caller, signal }: CallContext) {
    const options = { maxBytes: maxBytes(), signal, share: caller.id };
    return kinds[kind.name].query(filter, selection, options);
  }
}

interface Asked {
  readonly filter: Filter;
  readonly selection: Selection;
}

interface Given {
  readonly fields: readonly FieldWord[];
  readonly condition: readonly Condition[];
}

const prepared = (kind: Kind, { fields, condition }: Given): Asked => ({
  filter: filterOf(condition),
  selection: selectionOf(kind, fields),
});

const rights = { static: mayRead(STATIC), dynamic: mayRead(DYNAMIC), summary: mayRead(SUMMARY) };

const needed = (kind: Kind, { filter, selection }: Asked) =>
  rights[kind.name](scopesOf(filter), selection);
