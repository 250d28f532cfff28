import { randomUUID } from 'node:crypto';
import { RpcError } from '@svc/client';
import { loginFor } from '../credentials.ts';
import { Complaint } from '../io.ts';
import { machineOf } from '../machines.ts';
import type { Session } from '../session.ts';
import { howToAllow, NOT_ALLOWED } from '../task-kinds.ts';
import { attach } from '../terminal.ts';

/** `svc sh AGENT`: a terminal there, until its shell ends or Ctrl-] is pressed. @returns the shell's status where the agent reports it. @throws Complaint where the connection or the agent was lost */
export async function shell(session: Session): Promise<number> {
  const agent_uuid = await machineOf(session, session.word(0, 'AGENT'));
  const { url, token } = loginFor(session.io, session.flags.server);
  const address = new URL(url);
  address.protocol = address.protocol.replace(/^http/, 'ws');
  const terminal_id = randomUUID();
  // The only way of the protocol to a terminal takes the credential in its address, where a proxy may log it.
  const pass = (await passFor(session, agent_uuid)) ?? token;
  // A marker that agents know: they connect to the host of this address.
  const web_shell = { url: new URL('/auto_gen', address).href, terminal_id };
  const task = { target_uuid: agent_uuid, task_type: { web_shell } };
  const { id } = await session.client.call('task_create_task', task);
  const terminal = new URL('/terminal', address);
  terminal.search = new URLSearchParams({ agent_uuid, terminal_id, token: pass }).toString();
  const { refusal, fault, status } = await attach(session, new WebSocket(terminal));
  if (refusal !== undefined) throw new Complaint((await reasonOf(session, id)) ?? refusal);
  if (fault !== undefined) throw new Complaint(fault);
  return status;
}

/** Creates a pass; undefined for a server without passes. */
async function passFor({ client }: Session, agent_uuid: string): Promise<string | undefined> {
  try {
    const { key, secret } = await client.call('terminal_pass', { agent_uuid });
    return `${key}:${secret}`;
  } catch (error) {
    if (error instanceof RpcError && error.code === -32601) return undefined;
    throw error;
  }
}

/** The answer of the agent to the task; undefined where there is none, or none that this caller may read. */
async function reasonOf({ client }: Session, task_id: number): Promise<string | undefined> {
  const query = { task_data_query: { condition: [{ task_id }] } };
  const [task] = await client.call('task_query', query).catch((error: unknown) => {
    if (error instanceof RpcError) return [];
    throw error;
  });
  if (task?.error_message !== NOT_ALLOWED) return task?.error_message ?? undefined;
  return `this agent allows no terminals (web_shell): ${howToAllow('web_shell')}`;
}
