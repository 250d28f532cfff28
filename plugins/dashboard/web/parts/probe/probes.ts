import type { Methods } from '@svc/client';
import { type Resource, usePoll } from '../../frame/resources.ts';
import { useServer } from '../../frame/server.ts';
import { isDenied } from '../error-note.tsx';

export const KINDS = ['ping', 'tcp_ping', 'http_ping'] as const;
export type Kind = (typeof KINDS)[number];

/** One target that agents measure the way to. */
export interface Probe {
  readonly kind: Kind;
  readonly target: string;
  readonly agents: readonly string[];
  /** Jobs that make it. */
  readonly jobs: readonly string[];
}

export const keyOfProbe = ({ kind, target }: Pick<Probe, 'kind' | 'target'>): string =>
  `${kind} ${target}`;

const EVERY_MS = 60_000;
/** Tasks of a kind that are looked at, to find what no job names. */
const LIMIT = 500;

/** Agents of a token without the right to all; more find what jobs name. */
const MOST_AGENTS = 20;

type Job = Methods['crontab_get']['result'][number];
type Task = Methods['task_query']['result'][number];

/** Everything that is probed: what jobs name, and what was probed lately. With `uuid`: by this agent. */
export function useProbes(uuid?: string): Resource<readonly Probe[]> {
  const { client, has, covers, holds, agents } = useServer();
  const seesJobs = has('crontab') && holds('crontab', 'read');
  const load = async (): Promise<readonly Probe[]> => {
    const may = (type: Kind, one: string) => has('task') && covers('task', 'read', one, type);
    const query = (type: Kind, one?: string) =>
      [
        'task_query',
        {
          task_data_query: {
            condition: [{ type }, { limit: LIMIT }, ...(one ? [{ uuid: one }] : [])],
          },
        },
      ] as const;
    const queries = KINDS.flatMap((type) => {
      if (uuid !== undefined) return may(type, uuid) ? [query(type, uuid)] : [];
      if (may(type, '')) return [query(type)];
      const mine = agents.filter((one) => may(type, one));
      return mine.slice(0, MOST_AGENTS).map((one) => query(type, one));
    });
    const [jobs, ...tasks] = (await client.batch([
      seesJobs ? ['crontab_get'] : ['token_get'],
      ...queries,
    ] as never[])) as unknown as PromiseSettledResult<never>[];
    const denied = tasks.find((one) => one.status === 'rejected');
    if (denied?.status === 'rejected' && tasks.every((one) => one.status === 'rejected'))
      throw denied.reason;
    for (const one of tasks)
      if (one.status === 'rejected' && !isDenied(one.reason)) throw one.reason;
    const rows = tasks.flatMap((one) => (one.status === 'fulfilled' ? (one.value as Task[]) : []));
    const known = seesJobs && jobs?.status === 'fulfilled' ? (jobs.value as Job[]) : [];
    return collected(known, rows, uuid);
  };
  return usePoll(`probes ${uuid ?? ''}`, load, { every_ms: EVERY_MS });
}

function collected(jobs: readonly Job[], tasks: readonly Task[], uuid?: string): Probe[] {
  const found = new Map<
    string,
    { kind: Kind; target: string; agents: Set<string>; jobs: Set<string> }
  >();
  const add = (type: unknown, agents: readonly string[], job: string | null) => {
    const probe = probeOf(type);
    const mine = uuid === undefined ? agents : agents.filter((one) => one === uuid);
    if (!probe || mine.length === 0) return;
    const key = keyOfProbe(probe);
    const old = found.get(key) ?? { ...probe, agents: new Set(), jobs: new Set() };
    for (const one of mine) old.agents.add(one);
    if (job !== null) old.jobs.add(job);
    found.set(key, old);
  };
  for (const { name, enable, cron_type } of jobs)
    if (enable && 'agent' in cron_type) add(cron_type.agent[1].task, cron_type.agent[0], name);
  for (const { uuid: agent, task_event_type, cron_source } of tasks)
    add(task_event_type, [agent], cron_source);
  return [...found.values()]
    .map(({ agents, jobs: names, ...rest }) => ({ ...rest, agents: [...agents], jobs: [...names] }))
    .sort((a, b) => a.target.localeCompare(b.target, undefined, { numeric: true }));
}

/** Returns what is probed; undefined: the task is no probe. */
export function probeOf(type: unknown): { kind: Kind; target: string } | undefined {
  if (typeof type !== 'object' || type === null) return undefined;
  const [[kind, target] = ['', '']] = Object.entries(type);
  const found = KINDS.find((one) => one === kind);
  return found && typeof target === 'string' ? { kind: found, target } : undefined;
}
