import {
  canonicalUuid,
  described,
  type Methods,
  optional,
  type Requirement,
  RpcError,
  Type,
  Uuid,
} from '@svc/plugin-sdk';
import { RawJson } from '@svc/plugin-sdk/json';
import { wordOf, words } from '@svc/plugin-sdk/schemas';
import { PROBES, type ProbeAsk, type ProbeBucket, type ReadProbes } from '../store/series.ts';

const MOST_POINTS = 1_500;
const MOST_AGENTS = 100;
/** Buckets of all agents together. */
const MOST_BUCKETS = 50_000;

const Time = Type.Integer({ minimum: 0, maximum: 4_102_444_800_000, description: 'Unix ms.' });
const values = (description: string) =>
  Type.Array(Type.Union([Type.Number(), Type.Null()]), { description });

const params = {
  type: described(words(PROBES), 'Kind of the probes.'),
  agents: Type.Array(Uuid, {
    minItems: 1,
    maxItems: MOST_AGENTS,
    description: `1 to ${MOST_AGENTS} agents.`,
  }),
  from: Time,
  to: Type.Integer({ ...Time, description: 'Unix ms; this time itself lies outside.' }),
  points: optional(
    Type.Integer({
      minimum: 1,
      maximum: MOST_POINTS,
      description: `Buckets at most. Default: ${MOST_POINTS}, fewer with many agents.`,
    }),
  ),
  target: optional(Type.String({ description: 'As the tasks name it.' })),
  cron_source: optional(Type.String({ description: 'Name of the job.' })),
};

const Answer = Type.Object({
  from: Type.Integer({ description: 'Begin of the first bucket, Unix ms.' }),
  step_ms: Type.Integer(),
  series: Type.Array(
    Type.Object({
      uuid: Uuid,
      count: Type.Array(Type.Integer(), { description: 'Probes that ended, lost ones included.' }),
      loss: values('Part that was lost, 0 to 1.'),
      min: values('Latency, ms.'),
      p50: values('Latency, ms.'),
      p95: values('Latency, ms.'),
      p99: values('Latency, ms.'),
      max: values('Latency, ms.'),
    }),
  ),
});

interface Asked extends Pick<ProbeAsk, 'type' | 'from' | 'to' | 'step' | 'target' | 'cronSource'> {
  readonly uuids: readonly string[];
}

/** `task_query_series`. */
export function addSeriesMethod(methods: Methods, probes: ReadProbes): void {
  methods.add('task_query_series', {
    summary: 'Loss and latency of probes in equal buckets of time; null where there was none.',
    addition: true,
    params,
    result: Answer,
    prepare: ({ type, agents, from, to, points, target, cron_source }): Asked => {
      if (to <= from) throw RpcError.invalid('to must be later than from');
      const uuids = [...new Set(agents.map(canonicalUuid))];
      const most = Math.min(MOST_POINTS, Math.floor(MOST_BUCKETS / uuids.length));
      const step = Math.ceil((to - from) / Math.min(points ?? MOST_POINTS, most));
      const named = { target: target ?? undefined, cronSource: cron_source ?? undefined };
      return { type: wordOf(type), uuids, from, to, step, ...named };
    },
    access: { needs: (asked) => mayRead(asked) },
    async handle({ uuids, ...asked }, { caller, signal }) {
      const length = Math.ceil((asked.to - asked.from) / asked.step);
      // Text of each agent: that of a hundred together would hold the event loop.
      const series: string[] = [];
      for (const uuid of uuids) {
        const found = await probes({ ...asked, uuid, signal, share: caller.id });
        series.push(JSON.stringify({ uuid, ...spread(found, length) }));
      }
      return new RawJson(
        `{"from":${asked.from},"step_ms":${asked.step},"series":[${series.join()}]}`,
      );
    },
  });
}

const mayRead = ({ uuids, type }: Asked): Requirement => ({
  scopes: uuids.map((uuid) => ({ agent_uuid: uuid })),
  permissions: [{ task: { read: type } }],
  denied: `Permission Denied: Missing Task Read permission (${type}) in the required scope`,
});

const EMPTY: ProbeBucket = [0, 0, 0, null, null, null, null, null];

function spread(found: readonly ProbeBucket[], length: number) {
  const all = new Array<ProbeBucket>(length).fill(EMPTY);
  for (const bucket of found) all[bucket[0]] = bucket;
  const latency = (which: 3 | 4 | 5 | 6 | 7) => all.map((bucket) => bucket[which]);
  return {
    count: all.map(([, count]) => count),
    loss: all.map(([, count, lost]) => (count > 0 ? lost / count : null)),
    min: latency(3),
    p50: latency(4),
    p95: latency(5),
    p99: latency(6),
    max: latency(7),
  };
}
