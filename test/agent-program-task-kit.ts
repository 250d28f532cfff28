/** Runs single tasks of the agent program. */
import { type Clock, systemClock } from '../agent/src/clock.ts';
import type { AgentConfig } from '../agent/src/config.ts';
import {
  createRuntime,
  type RuntimeOptions,
  type TaskContext,
  type TaskRuntime,
} from '../agent/src/task-context.ts';
import type { TaskKind } from '../agent/src/task-kinds.ts';
import { taskHandlers } from '../agent/src/tasks/index.ts';
import { AGENT, agentConfig, memoryLog, serverConfig, soon } from './agent-program-kit.ts';

export const runtimeFor = (
  clock: Clock,
  config: Partial<AgentConfig> = {},
  extra: Partial<RuntimeOptions> = {},
): TaskRuntime =>
  createRuntime({
    clock,
    config: agentConfig([], config),
    config_path: '/nowhere/agent.toml',
    onRestart: () => {},
    ...extra,
  });

export const contextFor = (extra: Partial<TaskContext> = {}): TaskContext => ({
  task_id: 41,
  task_token: 'q7ZrT0aTxe',
  server: serverConfig('ws://127.0.0.1:1'),
  agent_uuid: AGENT,
  log: memoryLog().log,
  runtime: runtimeFor(systemClock),
  signal: new AbortController().signal,
  ...extra,
});

/** The result of one task, as the server would read it. */
export async function resultOf(
  kind: TaskKind,
  content: unknown,
  extra: Partial<TaskContext> = {},
): Promise<any> {
  const result = await soon(
    `the result of ${kind}`,
    taskHandlers[kind](content, contextFor(extra)),
  );
  return JSON.parse(JSON.stringify(result));
}

/** Why a task failed; `accepted` when it did not. */
export async function failureOf(
  kind: TaskKind,
  content: unknown,
  extra: Partial<TaskContext> = {},
): Promise<string> {
  try {
    await soon(`the failure of ${kind}`, taskHandlers[kind](content, contextFor(extra)));
  } catch (error) {
    return (error as Error).message || (error as NodeJS.ErrnoException).code || '';
  }
  return 'accepted';
}
