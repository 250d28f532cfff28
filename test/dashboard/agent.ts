/** The real agent program beside the server of a dashboard test: it takes every kind of task. */
import type { TestApp } from '@svc/plugin-sdk/testing';
import { TASK_KINDS } from '../../agent/src/task-kinds.ts';
import { loadPty } from '../../agent/src/terminal/pty.ts';
import { AGENT } from '../agent-program-kit.ts';
import { type Running, startAgent, until } from '../agent-program-process.ts';

export { AGENT };

/** False where the optional package that makes terminals is not installed. */
export const hasPty = await loadPty().then(
  () => true,
  () => false,
);

interface TaskAgent {
  /** Kinds that its file allows; its token writes results of all. */
  readonly kinds?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Resolves when the agent takes tasks. Its shell is bash, which says where its prompt is. */
export async function startTaskAgent(
  app: TestApp,
  uuid = AGENT,
  { kinds = TASK_KINDS, env = {} }: TaskAgent = {},
): Promise<Running> {
  const rights = [
    {
      scopes: [{ agent_uuid: uuid }],
      permissions: [
        { static_monitoring: 'write' },
        { dynamic_monitoring: 'write' },
        { dynamic_monitoring_summary: 'write' },
        { task: 'listen' },
        ...TASK_KINDS.map((kind) => ({ task: { write: kind } })),
      ],
    },
  ];
  const agent = await startAgent(app, await app.token(rights), {
    uuid,
    env,
    head: 'terminal_shell = "bash"',
    server: `allow_task = true\nallow_task_type = ${JSON.stringify(kinds)}`,
  });
  const ask = () => app.call('agent-uuid_list', [app.superToken]);
  const isReady = (list: { uuid: string; connected_for_tasks: boolean }[]) =>
    list.some((one) => one.uuid === uuid && one.connected_for_tasks);
  await until('the agent', ask, isReady);
  return agent;
}
