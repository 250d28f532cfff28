import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { canonicalUuid, described, type Methods, RpcError, Type, Uuid } from '@svc/plugin-sdk';
import { wordOf, words } from '@svc/plugin-sdk/schemas';
import { findAgents } from '../agents.ts';
import { DAY_MS } from '../steps.ts';
import type { TrafficDay, TrafficStore } from '../store/traffic.ts';
import { dayOf, monthOf } from './days.ts';
import type { PlanOf } from './plans.ts';

const MOST_AGENTS = 100;
const MOST_DAYS = 800;

const Time = (description: string) =>
  Type.Integer({ minimum: 0, maximum: 4_102_444_800_000, description });

const Period = Type.Object({
  uuid: Uuid,
  begin: Type.Integer({
    description: 'Begin of the day or month, Unix ms; days are those of UTC.',
  }),
  received: Type.Integer({ minimum: 0, description: 'Bytes.' }),
  transmitted: Type.Integer({ minimum: 0, description: 'Bytes.' }),
  quota: Type.Optional(
    Type.Integer({
      description:
        'Of a month: the bytes that the agent may move in it, where a quota is configured.',
    }),
  ),
});
type Period = {
  uuid: string;
  begin: number;
  received: number;
  transmitted: number;
  quota?: number;
};

const params = {
  uuids: Type.Array(Uuid, {
    minItems: 1,
    maxItems: MOST_AGENTS,
    description: `1 to ${MOST_AGENTS} agents.`,
  }),
  from: Time('Unix ms; the day or month of this time is the first.'),
  to: Time('Unix ms; days and months that begin at this time or later lie outside.'),
  by: described(
    words(['day', 'month']),
    'The length of a period. A month begins on the day that the configuration says.',
  ),
};

export interface TrafficMethodParts {
  readonly registry: AgentRegistry;
  readonly store: TrafficStore;
  readonly planOf: PlanOf;
}

/** `agent_query_traffic` (agent.md §6.7). */
export function addTrafficMethods(methods: Methods, parts: TrafficMethodParts): void {
  methods.add('agent_query_traffic', {
    summary: 'Bytes that agents received and transmitted on each UTC day, or in each month.',
    description: `Days and months without a report are left out. Figures are up to five minutes old. A range of at most ${MOST_DAYS} days.`,
    addition: true,
    params,
    result: Type.Array(Period),
    prepare({ uuids, from, to, by }) {
      if (to <= from) throw RpcError.invalid('to must be later than from');
      if (to - from > MOST_DAYS * DAY_MS)
        throw RpcError.invalid(`from and to may be at most ${MOST_DAYS} days apart`);
      const [first, end] = [dayOf(from), Math.ceil(to / DAY_MS)];
      return {
        uuids: [...new Set(uuids.map(canonicalUuid))],
        first,
        end,
        isByMonth: wordOf(by) === 'month',
      };
    },
    access: {
      needs: ({ uuids }) => ({
        scopes: uuids.map((uuid) => ({ agent_uuid: uuid })),
        permissions: [{ dynamic_monitoring_summary: 'read' }],
        denied:
          'Permission Denied: Missing Dynamic Monitoring Summary Read permission for these agents',
      }),
    },
    handle: (asked, { caller, signal }) => answer(parts, asked, { share: caller.id, signal }),
  });
}

interface Asked {
  readonly uuids: readonly string[];
  /** Days since 1970. */
  readonly first: number;
  readonly end: number;
  readonly isByMonth: boolean;
}

async function answer(
  { registry, store, planOf }: TrafficMethodParts,
  { uuids, first, end, isByMonth }: Asked,
  how: { readonly share: string; readonly signal: AbortSignal },
): Promise<Period[]> {
  const agents = await findAgents(registry, uuids);
  // Whole months, also the one in which the first day lies.
  const more = isByMonth ? 31 : 0;
  const range = { first: first - more, end: end + more };
  const ids = agents.map(({ id }) => id);
  const days = await store.days(ids, range, how);
  const byAgent = Map.groupBy(days, ({ id }) => id);
  return agents.flatMap(({ id, uuid }) => {
    const some = byAgent.get(id) ?? [];
    return isByMonth
      ? monthsOf(uuid, some, { first, end, ...planOf(uuid) })
      : some.map((day) => periodOf(uuid, day.day, day));
  });
}

const periodOf = (
  uuid: string,
  day: number,
  { received, transmitted }: Pick<TrafficDay, 'received' | 'transmitted'>,
): Period => ({
  uuid,
  begin: day * DAY_MS,
  received,
  transmitted,
});

export const sumOf = (bytes: readonly number[]): number =>
  Math.min(
    bytes.reduce((sum, some) => sum + some, 0),
    Number.MAX_SAFE_INTEGER,
  );

function monthsOf(
  uuid: string,
  days: readonly TrafficDay[],
  {
    first,
    end,
    monthDay,
    quota,
  }: { first: number; end: number; monthDay: number; quota: number | undefined },
): Period[] {
  const months = Map.groupBy(days, ({ day }) => monthOf(day, monthDay));
  const firstMonth = monthOf(first, monthDay);
  return [...months]
    .filter(([begin]) => begin >= firstMonth && begin < end)
    .map(([begin, some]) => ({
      ...periodOf(uuid, begin, {
        received: sumOf(some.map(({ received }) => received)),
        transmitted: sumOf(some.map(({ transmitted }) => transmitted)),
      }),
      ...(quota !== undefined && { quota }),
    }));
}
