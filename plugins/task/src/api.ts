import { service } from '@svc/plugin-sdk';
import type { Integer } from '@svc/plugin-sdk/sql';
import type { ReadProbes } from './store/series.ts';
import type { NormalTask } from './type.ts';

export { TASK_KINDS } from './permissions.ts';
export type { ProbeAsk, ProbeBucket, ReadProbes } from './store/series.ts';

export { checkTask, type NormalTask, normaliseTaskType, TaskType } from './type.ts';

/** Tasks of one run of a job. */
export interface TaskOrder {
  /** Lower-case hyphenated; duplicates are kept and get one task each. */
  readonly agents: readonly string[];
  /** Name of the job. */
  readonly cronSource: string;
  /** Unix ms: tells the runs of the job apart. */
  readonly run: Integer;
}

/** The end of one agent's hand-over: the task's id, or why the task was not handed over (its row is gone then). */
export type TaskOutcome =
  | { readonly uuid: string; readonly id: number | bigint; readonly failure?: never }
  | { readonly uuid: string; readonly failure: string; readonly id?: never };

/** A running `web_shell` task. */
export interface ShellTask {
  readonly id: Integer;
  /** Lower-case hyphenated. */
  readonly terminalId: string;
}

/** The task behind an agent's proof. `unknown`: no such task, a wrong token, or a task that has ended. */
export type ShellProof = ShellTask | 'unknown' | 'other type';

/** Tasks for other plugins: no credential, no rights, no agent list. */
export interface Tasks {
  /**
   * Stores one task for each agent and hands them over side by side (crontab.md §3.1).
   * @returns one promise for each agent, in order; they never reject, and take up to 5 s for an agent that does not keep up
   * @throws RpcError 103 when they could not be stored; no task exists then
   */
  createMany(order: TaskOrder, task: NormalTask): Promise<readonly Promise<TaskOutcome>[]>;
  /** Tells whether tasks of this run were stored and not deleted since. @throws RpcError 103 */
  hasRun(cronSource: string, run: Integer): Promise<boolean>;
  /** The running `web_shell` task behind an agent's proof (terminal.md §4). @throws RpcError 103 */
  shell(id: Integer, uuid: string, token: string): Promise<ShellProof>;
  /** The running `web_shell` tasks of this agent that name this terminal. @throws RpcError 103 */
  awaitedShells(uuid: string, terminalId: string): Promise<readonly Integer[]>;
  /** Runs when a task of this agent has ended or was deleted, on whichever server. @returns ends that */
  whenEnded(uuid: string, run: (id: Integer) => void): () => void;
}

export const Tasks = service<Tasks>('task');

/** Loss and latency of probes, as `task_query_series` answers them; no rights are asked. */
export const Probes = service<ReadProbes>('task.probes');
