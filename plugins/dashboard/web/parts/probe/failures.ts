import type { Methods } from '@svc/client';
import { usePoll } from '../../frame/resources.ts';
import { useServer } from '../../frame/server.ts';
import { plain } from '../plain.ts';
import { keyOfProbe, type Probe, probeOf } from './probes.ts';

/** Reason why a machine gets no answer from a target. */
export interface Failure {
  /** Text of the agent. */
  readonly text: string;
  /** Time of the last answer, Unix ms, to five minutes where that is long ago; undefined: not in the last day. */
  readonly answeredAt: number | undefined;
}
/** Failures by UUID. */
export type Failures = ReadonlyMap<string, Failure>;

type Task = Methods['task_query']['result'][number];
type Series = Methods['task_query_series']['result'];

const EVERY_MS = 30_000;
const STEP_MS = 300_000;
const DAY = 86_400_000;
/** Tasks of one machine and kind among which the newest of the target is looked for: of those that failed, and of those that were answered. */
const LIMIT = 50;
const ENDS = ['is_failure', 'is_success'] as const;
/** Machines that are asked about. */
const MOST = 12;

/** Failures of these machines whose newest answer within the last `ms` was one; of no more than twelve. */
export function useFailures(probe: Probe, uuids: readonly string[], ms: number): Failures {
  const { client } = useServer();
  const some = uuids.slice(0, MOST);
  const { kind, target } = probe;
  const { data } = usePoll<Failures>(
    `failures ${keyOfProbe(probe)} ${some.join()} ${ms}`,
    async () => {
      if (some.length === 0) return new Map();
      const to = Date.now();
      const span = { from: to - DAY, to, points: DAY / STEP_MS };
      const [day, ...tasks] = (await client.batch([
        ['task_query_series', { type: kind, target, agents: [...some], ...span }],
        ...some.flatMap((uuid) =>
          ENDS.map((end) => {
            const from = { timestamp_from: to - ms };
            const condition = [{ uuid }, { type: kind }, end, from, { limit: LIMIT }];
            return ['task_query', { task_data_query: { condition } }];
          }),
        ),
      ] as never[])) as unknown as PromiseSettledResult<unknown>[];
      const series = day?.status === 'fulfilled' ? (day.value as Series) : undefined;
      const newest = (answer: PromiseSettledResult<unknown> | undefined): Task | undefined =>
        (answer?.status === 'fulfilled' ? (answer.value as Task[]) : []).find(
          (one) => probeOf(one.task_event_type)?.target === target,
        );
      const found = new Map<string, Failure>();
      for (const [at, uuid] of some.entries()) {
        const [failed, answered] = ENDS.map((_, nth) => newest(tasks[ENDS.length * at + nth]));
        if (!failed || endOf(answered) > endOf(failed)) continue;
        const text = plain(failed.error_message ?? '');
        const answeredAt = answered?.timestamp ?? (series && lastAnswer(series, uuid));
        found.set(uuid, { text, answeredAt });
      }
      return found;
    },
    { every_ms: EVERY_MS },
  );
  return data ?? new Map();
}

const endOf = (task: Task | undefined): number => Number(task?.timestamp ?? 0);

/** Begin of the last bucket in which something was answered. */
function lastAnswer({ from, step_ms, series }: Series, uuid: string): number | undefined {
  const mine = series.find((one) => one.uuid === uuid);
  const at = mine?.p50.findLastIndex((value) => value !== null) ?? -1;
  return at < 0 ? undefined : from + at * step_ms;
}

/** Texts of agents and systems, and what helps; the first that fits. */
const REMEDIES = [
  ['missing', /ping is not installed/],
  ['forbidden', /Task not allowed/],
  ['noRight', /EPERM|EACCES|operation not permitted|permission denied|socktype/i],
  ['noName', /no address for|ENOTFOUND|EAI_AGAIN|look-up took longer/],
  ['refused', /ECONNREFUSED/],
  ['noWay', /ENETUNREACH|EHOSTUNREACH|unreachable/i],
  ['certificate', /certificate|CERT_|self.signed|altname/i],
  ['noAnswer', /no answer|took longer|timed? ?out|100% packet loss/i],
] as const;
export type Remedy = (typeof REMEDIES)[number][0];

/** Returns what helps against a failure with this text; undefined: not known. */
export const remedyOf = (text: string): Remedy | undefined =>
  REMEDIES.find(([, form]) => form.test(text))?.[0];
