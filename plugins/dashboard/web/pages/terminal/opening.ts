import { RpcError } from '@svc/client';
import type { Server } from '../../frame/index.ts';
import { NOT_ALLOWED } from '../../parts/allow.tsx';
import { errorText } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';

/**
 * End of a terminal. `exit`: its shell has ended. `over`: it was cut off. `refused`: there was none. `never`: the machine
 * did not come, so the address that it was given may be wrong. `off`: its configuration file says no.
 */
export interface Ending {
  readonly how: 'exit' | 'over' | 'refused' | 'never' | 'off';
  readonly why: string;
}

/** Returns what the address of a terminal shows in place of the reader's credential (terminal.md §10). */
export async function passFor(server: Server, agent_uuid: string): Promise<string> {
  try {
    const { key, secret } = await server.call('terminal_pass', { agent_uuid });
    return `${key}:${secret}`;
  } catch (error) {
    // A server without passes knows no other way.
    if (error instanceof RpcError && error.code === -32601) return server.credential();
    throw error;
  }
}

const DENIED = 102;
const NOT_CONNECTED = 104;
/** Value of `data` in 104 (task.md §4.3). */
const TASKS_OFF = 'tasks are switched off on this agent';

/** Returns why no shell could be asked for. */
export function endingOf(error: unknown): Ending {
  const code = error instanceof RpcError ? error.code : undefined;
  if (code === DENIED) return { how: 'refused', why: t.terminal.forbidden };
  if (code !== NOT_CONNECTED) return { how: 'refused', why: errorText(error) };
  if ((error as RpcError).data === TASKS_OFF) return { how: 'off', why: t.terminal.tasksOff };
  return { how: 'refused', why: t.terminal.away };
}

/** Returns why no shell came: in the machine's own words, where the token may read them, else in the server's. */
export async function neverOpened(
  server: Server,
  uuid: string,
  { task_id, refusal }: { readonly task_id: number; readonly refusal: string },
): Promise<Ending> {
  const never = { how: 'never', why: refusal } as const;
  if (!server.covers('task', 'read', uuid, 'web_shell')) return never;
  try {
    const condition = [{ task_id }];
    const [task] = await server.call('task_query', { task_data_query: { condition } });
    if (!task?.error_message) return never;
    if (task.error_message === NOT_ALLOWED) return { how: 'off', why: t.terminal.shellsOff };
    return { how: 'refused', why: task.error_message };
  } catch (error) {
    console.info('the task of a terminal', error);
    return never;
  }
}
