import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import {
  type Auth,
  type Clock,
  canonicalUuid,
  described,
  type Methods,
  optional,
  type Permission,
  type Requirement,
  RpcError,
  Type,
  Uuid,
} from '@svc/plugin-sdk';
import { MOST_WORDS, wordOf, words } from '@svc/plugin-sdk/schemas';
import { DAY_MS, dayOf } from './sightings.ts';
import { type EventKind, KINDS, type Store } from './store.ts';

const MOST_AGENTS = 100;
const MOST_EVENTS = 10_000;
const DEFAULT_EVENTS = 1_000;
const DEFAULT_DAYS = 30;
const MOST_DAYS = 400;

const Time = (description: string) =>
  optional(Type.Integer({ minimum: 0, maximum: 4_102_444_800_000, description }));

const Event = Type.Object({
  time: Type.Integer({ description: 'Unix ms.' }),
  kind: Type.Enum([...KINDS]),
  uuid: Type.Optional(Uuid),
  reason: Type.Optional(Type.String({ description: 'Of a refusal.' })),
  code: Type.Optional(Type.Integer({ description: 'Of the error that refused.' })),
  address: Type.Optional(Type.String()),
  old_address: Type.Optional(Type.String()),
  version: Type.Optional(Type.String({ description: 'Of the server that started.' })),
});

export interface MethodParts {
  readonly auth: Auth;
  readonly clock: Clock;
  readonly registry: AgentRegistry;
  readonly store: Store;
  readonly maxBytes: () => number;
}

/** `agent_events` and `agent_query_uptime`. */
export function addMethods(methods: Methods, parts: MethodParts): void {
  addEvents(methods, parts);
  addUptime(methods, parts);
}

function addEvents(methods: Methods, parts: MethodParts): void {
  const { auth, clock, registry, store, maxBytes } = parts;
  methods.add('agent_events', {
    summary: 'What happened to agents, the newest first.',
    description:
      'Agents came, went, were refused or changed their address. Without `agents` it tells of all agents and of starts of servers, and needs the right in the scope `global`. Addresses are told only to those who may also read results of tasks `ip` of these agents.',
    addition: true,
    params: {
      agents: described(
        optional(Type.Array(Uuid, { minItems: 1, maxItems: MOST_AGENTS })),
        `At most ${MOST_AGENTS} agents. Absent: all, and the starts of servers.`,
      ),
      kinds: described(
        optional(Type.Array(words([...KINDS]), { minItems: 1, maxItems: MOST_WORDS })),
        'Kinds of events. Absent: all.',
      ),
      from: Time('Unix ms. Default: the oldest event.'),
      to: Time('Unix ms; this time itself lies outside. Default: now.'),
      limit: optional(
        Type.Integer({
          minimum: 1,
          maximum: MOST_EVENTS,
          description: `Events at most. Default: ${DEFAULT_EVENTS}.`,
        }),
      ),
    },
    result: Type.Array(Event),
    prepare: ({ agents, kinds, from, to, limit }) => ({
      uuids: agents ? canonical(agents) : undefined,
      kinds: kinds?.map((word) => wordOf(word) as EventKind),
      from: from ?? 0,
      to: to ?? clock.now() + 1,
      limit: limit ?? DEFAULT_EVENTS,
    }),
    access: { needs: ({ uuids }) => mayRead(uuids) },
    async handle({ uuids, kinds = KINDS, ...asked }, { caller, signal }) {
      const ids = uuids && (await idsOf(registry, uuids));
      const visibleKinds = (await auth.allows(caller, mayRead(uuids, ADDRESSES)))
        ? kinds
        : kinds.filter((kind) => kind !== 'address_changed');
      if (visibleKinds.length === 0) return [];
      const how = { maxBytes: maxBytes(), share: caller.id, signal };
      return store.events({ ids, kinds: visibleKinds, ...asked }, how);
    },
  });
}

function addUptime(methods: Methods, { clock, registry, store, maxBytes }: MethodParts): void {
  methods.add('agent_query_uptime', {
    summary: 'For how long agents were seen on each UTC day.',
    description: `Days without a report are left out. Today's figure is up to five minutes old. A range of at most ${MOST_DAYS} days.`,
    addition: true,
    params: {
      agents: Type.Array(Uuid, {
        minItems: 1,
        maxItems: MOST_AGENTS,
        description: `1 to ${MOST_AGENTS} agents.`,
      }),
      from: Time(`Unix ms; its UTC day is the first. Default: ${DEFAULT_DAYS} days before \`to\`.`),
      to: Time('Unix ms; days that begin at this time or later lie outside. Default: now.'),
    },
    result: Type.Array(
      Type.Object({
        uuid: Uuid,
        day: Type.Integer({ description: 'Begin of the UTC day, Unix ms.' }),
        seconds: Type.Integer({ minimum: 0, maximum: 86_400 }),
      }),
    ),
    prepare({ agents, from, to }) {
      const end = Math.ceil((to ?? clock.now() + 1) / DAY_MS);
      const first = typeof from === 'number' ? dayOf(from) : Math.max(0, end - DEFAULT_DAYS);
      if (first >= end) throw RpcError.invalid('to must be later than from');
      if (end - first > MOST_DAYS + 1) {
        throw RpcError.invalid(`from and to may be ${MOST_DAYS} days apart`);
      }
      return { uuids: canonical(agents), first, end };
    },
    access: { needs: ({ uuids }) => mayRead(uuids) },
    async handle({ uuids, first, end }, { caller, signal }) {
      const ids = await idsOf(registry, uuids);
      const how = { maxBytes: maxBytes(), share: caller.id, signal };
      return store.uptime({ ids, first, end }, how);
    },
  });
}

const canonical = (agents: readonly string[]) => [...new Set(agents.map(canonicalUuid))];

const SUMMARIES = { dynamic_monitoring_summary: 'read' };
/** A visitor of a public page reads summaries, too. `agent-uuid_list` asks the same. */
const ADDRESSES = { task: { read: 'ip' } };

/** The right to these agents; undefined: to every one. */
const mayRead = (
  uuids: readonly string[] | undefined,
  permission: Permission = SUMMARIES,
): Requirement => ({
  scopes: uuids ? uuids.map((uuid) => ({ agent_uuid: uuid })) : ['global'],
  permissions: [permission],
  denied: 'Permission Denied: Missing Dynamic Monitoring Summary Read permission for these agents',
});

async function idsOf(registry: AgentRegistry, uuids: readonly string[]): Promise<number[]> {
  const ids: number[] = [];
  for (const uuid of uuids) {
    const agent = await registry.find(uuid);
    if (!agent) throw RpcError.uuid(uuid);
    ids.push(agent.id);
  }
  return ids;
}
