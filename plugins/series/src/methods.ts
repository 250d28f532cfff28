import type { ReportBuckets } from '@svc/plugin-agent/api';
import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import {
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
import { findAgents } from './agents.ts';
import { FIELDS, type Field, PART_RIGHT } from './fields.ts';
import { MOST_ROWS, type Plan, planOf, type Source } from './plan.ts';
import type { SeriesReader } from './read.ts';
import { floorTo, QUARTER } from './steps.ts';
import type { ReportKind, StateStore } from './store/state.ts';

const MOST_POINTS = 1_500;
const MOST_AGENTS = 100;
/** Reports that are later than this count with the next hour. */
const LATE_MS = 900_000;

const values = () => Type.Array(Type.Union([Type.Number(), Type.Null()]));
const Answer = Type.Object({
  from: Type.Integer({ description: 'Begin of the first bucket, Unix ms.' }),
  step_ms: Type.Integer(),
  source: Type.Enum(['raw', 'minute', 'quarter_hour']),
  series: Type.Array(
    Type.Object({
      uuid: Uuid,
      field: Type.String(),
      name: Type.Optional(
        Type.String({
          description: 'Mount point, interface, or number of the core or graphics card.',
        }),
      ),
      min: values(),
      avg: values(),
      max: values(),
      last: values(),
    }),
  ),
});

const Time = Type.Integer({ minimum: 0, maximum: 4_102_444_800_000, description: 'Unix ms.' });
const params = {
  agents: Type.Array(Uuid, {
    minItems: 1,
    maxItems: MOST_AGENTS,
    description: `1 to ${MOST_AGENTS} agents.`,
  }),
  fields: Type.Array(words(FIELDS.map(({ name }) => name)), {
    minItems: 1,
    maxItems: MOST_WORDS,
    description: 'At least one figure of summaries.',
  }),
  from: Time,
  to: Type.Integer({ ...Time, description: 'Unix ms; this time itself lies outside.' }),
  points: optional(
    Type.Integer({
      minimum: 1,
      maximum: MOST_POINTS,
      description: `Buckets at most. Default: ${MOST_POINTS}.`,
    }),
  ),
  source: described(
    optional(words(['raw', 'minute', 'quarter_hour'])),
    'What is read. Default: the finest that is short enough.',
  ),
};

export interface MethodParts {
  readonly clock: Clock;
  readonly registry: AgentRegistry;
  readonly buckets: ReportBuckets;
  readonly state: StateStore;
  readonly reader: SeriesReader;
  readonly keepMinutes_days: () => number;
}

/** `agent_query_series`. */
export function addMethods(methods: Methods, parts: MethodParts): void {
  methods.add('agent_query_series', {
    summary: 'Least, average, greatest and last values of reports in equal buckets of time.',
    description:
      'Empty buckets are null. Without `source` a range is answered from stored reports where its buckets are shorter than a minute and it holds at most 200,000, else from rollups by the minute or quarter-hour; the newest two hours are always those of stored reports.',
    addition: true,
    params,
    result: Answer,
    prepare: (given): Asked => {
      const { agents, fields, from, to, points, source } = given;
      if (to <= from) throw RpcError.invalid('to must be later than from');
      const names = new Set<string>(fields.map((word) => wordOf(word)));
      return {
        uuids: [...new Set(agents.map(canonicalUuid))],
        fields: FIELDS.filter(({ name }) => names.has(name)),
        range: {
          from,
          to,
          points: Math.min(points ?? MOST_POINTS, to - from),
          source: source ? (wordOf(source) as Source) : undefined,
        },
      };
    },
    access: { needs: (asked) => mayRead(asked) },
    handle: (asked, { caller, signal }) => answer(parts, asked, { share: caller.id, signal }),
  });
}

interface Asked {
  readonly uuids: readonly string[];
  readonly fields: readonly Field[];
  readonly range: Parameters<typeof planOf>[0];
}

/** The rights of the queries: summaries as a whole, full reports by their fields. */
function mayRead({ uuids, fields }: Asked): Requirement {
  const permissions = new Map<string, Permission>();
  for (const { part } of fields) {
    const right = part ? PART_RIGHT[part] : '';
    const permission: Permission = part
      ? { dynamic_monitoring: { read: right } }
      : { dynamic_monitoring_summary: 'read' };
    permissions.set(right, permission);
  }
  return {
    scopes: uuids.map((uuid) => ({ agent_uuid: uuid })),
    permissions: [...permissions.values()],
    denied: 'Permission Denied: Missing monitoring Read permission for these agents and fields',
  };
}

async function answer(
  parts: MethodParts,
  { uuids, fields, range }: Asked,
  how: { readonly share: string; readonly signal: AbortSignal },
) {
  const agents = await findAgents(parts.registry, uuids);
  const plan = await planFor(parts, agents, fields, range);
  return parts.reader.read({ plan, fields, agents, ...how });
}

/** Chooses what is read of these agents. @throws RpcError 103, 108 */
export async function planFor(
  { clock, buckets, state, keepMinutes_days }: Omit<MethodParts, 'registry' | 'reader'>,
  agents: readonly { readonly id: number }[],
  fields: readonly Field[],
  range: Asked['range'],
): Promise<Plan> {
  const ids = agents.map(({ id }) => id);
  const kinds = new Set<ReportKind>(fields.map(({ part }) => (part ? 'dynamic' : 'summary')));
  const rolled = await Promise.all([...kinds].map((kind) => state.rolledTo(kind)));
  const rolledTo = floorTo(Math.min(...rolled.map((time) => time ?? 0)) - LATE_MS, QUARTER.ms);
  const most = MOST_ROWS + 1;
  const count = async (from: number, to: number) => {
    let sum = 0;
    for (const kind of kinds) sum += await buckets.count(kind, ids, { from, to, most });
    return sum;
  };
  return planOf(range, { now: clock.now(), rolledTo, keepMinutes_days: keepMinutes_days(), count });
}
