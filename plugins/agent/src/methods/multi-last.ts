import {
  type AccessContext,
  type Auth,
  type Methods,
  RpcError,
  type TSchema,
  Type,
  Uuid,
} from '@svc/plugin-sdk';
import { MOST_AGENTS, MOST_WORDS } from '@svc/plugin-sdk/schemas';
import { type FieldWord, type Selection, selectionOf } from '../fields.ts';
import { DYNAMIC, type Kind, STATIC, SUMMARY } from '../kinds.ts';
import { distinct, type MultiLast } from '../multi-last.ts';
import { agents, mayRead } from '../permissions.ts';
import { DynamicField, DynamicRow } from '../schemas/dynamic.ts';
import { StaticField, StaticRow } from '../schemas/static.ts';
import { SummaryField, SummaryRow } from '../schemas/summary.ts';
import { withJsonData } from './read-error.ts';

/** List of agents; front ends ask for the same ones each second. */
const Uuids = Type.Array(Uuid, {
  maxItems: MOST_AGENTS,
  description: 'Agents; those without a report are left out.',
  'x-repeated': true,
});
const Fields = <T extends TSchema>(field: T) =>
  Type.Array(field, { maxItems: MOST_WORDS, description: 'Members of the report that are told.' });

/** `agent_*_multi_last_query` (agent.md §6.2). */
export function addMultiLastMethods(
  methods: Methods,
  kinds: { readonly [K in Kind['name']]: { readonly newest: MultiLast } },
  auth: Auth,
): void {
  methods.add('agent_static_data_multi_last_query', {
    summary: 'The newest static report of each of several agents, in the order asked for.',
    params: { uuids: Uuids, fields: Fields(StaticField) },
    result: Type.Array(StaticRow),
    prepare: (given) => prepared(STATIC, given),
    right: {
      words:
        '`static_monitoring` `read` of each field (of any one, where the list is empty), in the scope `agent_uuid` of each agent; any valid form of a credential for an empty list of agents',
      scopes: [{ agent_uuid: '<uuids>' }],
      permissions: [{ static_monitoring: { read: '<fields>' } }],
    },
    access: { custom: (asked, call) => admit(auth, STATIC, asked, call) },
    mapError: withJsonData,
    handle: ({ uuids, selection }) => kinds.static.newest(uuids, selection),
  });

  methods.add('agent_dynamic_data_multi_last_query', {
    summary: 'The newest full report of each of several agents, in the order asked for.',
    params: { uuids: Uuids, fields: Fields(DynamicField) },
    result: Type.Array(DynamicRow),
    prepare: (given) => prepared(DYNAMIC, given),
    right: {
      words:
        '`dynamic_monitoring` `read` of each field (of any one, where the list is empty), in the scope `agent_uuid` of each agent; any valid form of a credential for an empty list of agents',
      scopes: [{ agent_uuid: '<uuids>' }],
      permissions: [{ dynamic_monitoring: { read: '<fields>' } }],
    },
    access: { custom: (asked, call) => admit(auth, DYNAMIC, asked, call) },
    mapError: withJsonData,
    handle: ({ uuids, selection }) => kinds.dynamic.newest(uuids, selection),
  });

  methods.add('agent_dynamic_summary_multi_last_query', {
    summary: 'The newest summary of each of several agents, in the order asked for.',
    params: { uuids: Uuids, fields: Fields(SummaryField) },
    result: Type.Array(SummaryRow),
    prepare: (given) => prepared(SUMMARY, given),
    right: {
      words:
        '`dynamic_monitoring_summary` `read`, in the scope `agent_uuid` of each agent; any valid form of a credential for an empty list of agents',
      scopes: [{ agent_uuid: '<uuids>' }],
      permissions: [{ dynamic_monitoring_summary: 'read' }],
    },
    access: { custom: (asked, call) => admit(auth, SUMMARY, asked, call) },
    mapError: withJsonData,
    handle: ({ uuids, selection }) => kinds.summary.newest(uuids, selection),
  });
}

interface Asked {
  /** Distinct, canonical, in the order of the request. */
  readonly uuids: readonly string[];
  readonly selection: Selection;
}

interface Given {
  readonly uuids: readonly string[];
  readonly fields: readonly FieldWord[];
}

/** Prepared questions by the list of their agents, which is the same one when the question comes again. */
const preparedBefore = new WeakMap<
  readonly string[],
  { readonly given: Given; readonly asked: Asked }
>();

function prepared(kind: Kind, given: Given): Asked {
  const before = preparedBefore.get(given.uuids);
  if (before?.given.fields === given.fields) return before.asked;
  const asked = { uuids: distinct(given.uuids), selection: selectionOf(kind, given.fields) };
  preparedBefore.set(given.uuids, { given, asked });
  return asked;
}

const rights = { static: mayRead(STATIC), dynamic: mayRead(DYNAMIC), summary: mayRead(SUMMARY) };

const MALFORMED =
  "Failed to parse token: Invalid token format: must be 'key:secret' or 'username|password'";

/** Checks the rights. An empty list is answered before the credential is verified; its form is checked nevertheless. */
async function admit(
  auth: Auth,
  kind: Kind,
  { uuids, selection }: Asked,
  call: AccessContext,
): Promise<void> {
  const { credential, transport } = call;
  const inProcess = transport === 'internal' && credential === '';
  if (!inProcess && !/[:|]/.test(credential)) throw RpcError.parse(MALFORMED);
  if (uuids.length === 0) return;
  const caller = await call.authenticate();
  if (caller.super) return;
  const needed = rights[kind.name](agents(uuids), selection);
  for (const requirement of needed) if (await auth.allows(caller, requirement)) return;
  throw RpcError.denied(needed[0]?.denied ?? 'Permission Denied');
}
