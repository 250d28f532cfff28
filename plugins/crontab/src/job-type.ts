import { canonicalUuid, RpcError, type Static, Type, Uuid } from '@svc/plugin-sdk';
import { parseJson, stringifyJson } from '@svc/plugin-sdk/json';
import { MOST_AGENTS, withoutBounds } from '@svc/plugin-sdk/schemas';
import { Compile } from '@svc/plugin-sdk/typebox';
import { type NormalTask, normaliseTaskType, TaskType } from '@svc/plugin-task/api';

const only = { additionalProperties: false } as const;

/** Description of the parameter. */
export const TYPE_WORDS =
  'What a fire does: a task for each of these agents, or the run of a script.';
const ForWorker = Type.Object(
  {
    server: Type.Object(
      { js_worker: Type.Tuple([Type.String(), Type.Unknown({ description: 'Parameters.' })]) },
      only,
    ),
  },
  only,
);
const typeFor = (mostAgents: number) =>
  Type.Union([
    Type.Object(
      {
        agent: Type.Tuple([
          Type.Array(Uuid, { maxItems: mostAgents }),
          Type.Object({ task: TaskType }, only),
        ]),
      },
      only,
    ),
    ForWorker,
  ]);

/** Work of a job, as callers write it (crontab.md §3). */
export const CronType = typeFor(MOST_AGENTS);
/** Type that a job is changed to: one from before the bound may name more agents, as many as its texts let it. */
export const ChangedCronType = typeFor(131_072);
const StoredCronType = withoutBounds(CronType);
/** Compiled by the first job: uncompiled, the check of one with 10,000 agents takes 25 ms. */
let stored: ReturnType<typeof Compile<typeof StoredCronType>> | undefined;
export type CronType = Static<typeof CronType>;

/** One task for each listed agent. */
export interface AgentType {
  readonly kind: 'agent';
  /** Lower-case hyphenated, as listed: duplicates are kept. */
  readonly agents: readonly string[];
  readonly task: NormalTask;
  /** JSON text of the whole type, normalised. */
  readonly text: string;
}

/** One run of a script worker. */
export interface WorkerType {
  readonly kind: 'worker';
  readonly worker: string;
  /** JSON text. */
  readonly params: string;
  readonly text: string;
}

export type JobType = AgentType | WorkerType;

/** The normal form of a value that passed `CronType`. @throws RpcError -32602 for a URL that is not absolute */
export function jobTypeOf(given: CronType): JobType {
  if ('agent' in given) {
    const [listed, { task: type }] = given.agent;
    const agents = listed.map(canonicalUuid);
    const task = normaliseTaskType(type);
    const text = `{"agent":[${JSON.stringify(agents)},{"task":${task.text}}]}`;
    return { kind: 'agent', agents, task, text };
  }
  const [worker, value] = given.server.js_worker;
  const params = stringifyJson(value);
  const text = `{"server":{"js_worker":[${JSON.stringify(worker)},${params}]}}`;
  return { kind: 'worker', worker, params, text };
}

/**
 * A job has at most `MOST_AGENTS`. One that has more, from an earlier version, may have fewer from now on.
 * @throws RpcError -32602
 */
export function refuseMoreAgents(next: JobType, stored: string): void {
  const count = agentsIn(next);
  if (count <= MOST_AGENTS) return;
  const most = Math.max(MOST_AGENTS, agentsIn(storedJobType(stored)));
  if (count > most)
    throw RpcError.params(
      `invalid length: ${count} entries, expected at most ${most} entries, at cron_type.agent.0`,
    );
}

const agentsIn = (type: JobType | undefined): number =>
  type?.kind === 'agent' ? type.agents.length : 0;

/** The type in a stored row; undefined when the row was written by hand and holds no valid type. */
export function storedJobType(text: string): JobType | undefined {
  try {
    const value = parseJson(text);
    stored ??= Compile(StoredCronType);
    return stored.Check(value) ? jobTypeOf(value) : undefined;
  } catch {
    // Not JSON, or a URL that this server refuses: both count as unreadable.
    return undefined;
  }
}
