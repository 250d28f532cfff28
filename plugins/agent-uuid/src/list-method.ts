import {
  type Brand,
  canonicalUuid,
  described,
  type Methods,
  optional,
  type Right,
  type TSchema,
  Type,
  Uuid,
} from '@svc/plugin-sdk';
import { jsonRows, RawJson } from '@svc/plugin-sdk/json';
import { MOST_AGENTS } from '@svc/plugin-sdk/schemas';
import type { Tokens } from '@svc/plugin-token/api';
import type { Gatherer, ListedAgent } from './agent-list.ts';
import type { Agent, AgentRegistry } from './api.ts';
import { visibleAgents } from './visibility.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

const Listed = Type.Object({
  uuid: Uuid,
  name: orNull(Type.String({ description: '`metadata_name` of its KV namespace.' })),
  host_name: orNull(
    Type.String({
      description: '`system_host_name` of its newest static report: its name until it has one.',
    }),
  ),
  tags: orNull(Type.Array(Type.String(), { description: '`metadata_tags` of its KV namespace.' })),
  last_seen: orNull(
    Type.Integer({ description: 'Unix ms: its newest summary or full report that is stored.' }),
  ),
  address: orNull(Type.String({ description: 'From which it reported last.' })),
  version: orNull(Type.String({ description: 'As its last answer to a task `version` said.' })),
  connected_for_tasks: orNull(Type.Boolean()),
  tasks_allowed: orNull(
    Type.Boolean({
      description:
        'false: it reports, and has tasks switched off. null: not known while it is away.',
    }),
  ),
  last_refusal: orNull(
    Type.Object({
      time: Type.Integer({ description: 'Unix ms.' }),
      code: Type.Integer(),
      reason: Type.String(),
    }),
  ),
  first_seen: orNull(
    Type.Integer({ description: 'Unix ms: when it was registered. null: by an older program.' }),
  ),
});

const PARAMS = {
  agents: optional(
    Type.Array(Uuid, {
      maxItems: MOST_AGENTS,
      description: 'Only these; those that are unknown or not to be seen are left out.',
    }),
  ),
  after: described(
    optional(Uuid),
    'Agents behind this UUID only: the last one of the page before.',
  ),
  limit: optional(
    Type.Integer({
      minimum: 1,
      maximum: MOST_AGENTS,
      description: `Agents at most. Default: ${MOST_AGENTS}.`,
    }),
  ),
};

const RIGHT: Right = {
  words:
    '`monitoring_uuid` `list` or `svc` `list_all_agent_uuid`, in any scope; the answer holds the agents of those scopes, and of each what other rights open',
  scopes: ['global'],
  permissions: [{ monitoring_uuid: 'list' }],
};

export interface ListParts {
  readonly agents: AgentRegistry;
  readonly gatherer: Gatherer;
  readonly brand: Brand;
  readonly tokens: Tokens | undefined;
  readonly maxBytes: () => number;
}

/** `agent-uuid_list` (agent-uuid.md §7). */
export function addListMethod(methods: Methods, parts: ListParts): void {
  methods.add('agent-uuid_list', {
    summary: 'Agents that are not soft-deleted as people know them, ascending by UUID.',
    description:
      'A member is null where nothing is known, where the plugin that knows it is off, and where the caller lacks the right to it. `after` is the last UUID of the page before.',
    addition: true,
    params: PARAMS,
    result: Type.Array(Listed),
    prepare: ({ agents, after, limit }) => ({
      only: agents ? new Set(agents.map(canonicalUuid)) : undefined,
      after: after ? canonicalUuid(after) : '',
      limit: limit ?? MOST_AGENTS,
    }),
    right: RIGHT,
    // For a credential outside its validity the list methods have error texts of their own (auth.md §6.3).
    access: {
      custom: async (_asked, call) => {
        await call.authenticate();
      },
    },
    async handle({ only, after, limit }, call) {
      const { agents, gatherer, brand, tokens, maxBytes } = parts;
      const sees = visibleAgents(call.caller, tokens, brand.permission);
      const isWanted = ({ uuid, soft_delete }: Agent) =>
        !soft_delete &&
        uuid > after &&
        (!only || only.has(uuid)) &&
        (sees === 'all' || sees.has(uuid));
      const wanted = agents.list().filter(isWanted).slice(0, limit);
      const listed = await gatherer.gather(wanted, call);
      return new RawJson(
        await jsonRows<ListedAgent>(listed, (row) => JSON.stringify(row), maxBytes()),
      );
    },
  });
}
