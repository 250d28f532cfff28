import type { Channel, Frame } from './channel.ts';
import type { ServerConfig } from './config.ts';
import { objectIn, readDownlink, request } from './rpc.ts';

/** Limit of each of the first two answers. */
const REPLY_LIMIT_MS = 5000;
const LATE = `no answer within ${REPLY_LIMIT_MS} ms`;

/** The server answered the UUID call with another UUID, which it will do again soon. */
export class WrongServer extends Error {}

/** Reason why a registration for tasks failed. */
export interface Refusal {
  /** The code of the server's error, where there is one. */
  readonly code?: unknown;
  readonly message: string;
  /** Tells whether the answer may still come. */
  readonly isOpen?: boolean;
}

/** The `task_register_task` request, first sent here and then repeated by the main loop. */
export const registration = (server: ServerConfig, agent_uuid: string, id = 1): string =>
  request('task_register_task', JSON.stringify([server.token, agent_uuid]), id);

/**
 * Asks the server for its UUID (clients.md §2.4 step 5). Ping frames do not count as the answer. Where the server knows no
 * such method, its names may have the word of a brand: that of the address, `wss://host/WORD/rpc`, is tried then.
 * @throws WrongServer for another UUID, Error for anything but a UUID
 */
export async function checkServerUuid(channel: Channel, server: ServerConfig): Promise<void> {
  let answer: Record<string, unknown> | undefined;
  for (const word of wordsOf(server)) {
    channel.send(request('svc-server_uuid'.replace('svc', word), '[]'));
    answer = await nextObject(channel);
    if (!isUnknownMethod(answer)) break;
  }
  const uuid = answer?.['result'];
  if (typeof uuid !== 'string') {
    const advice = isUnknownMethod(answer)
      ? ' (a server with a brand: write its word as brand)'
      : '';
    throw new Error(`the server did not tell its UUID: ${describe(answer)}${advice}`);
  }
  if (uuid !== server.server_uuid) {
    throw new WrongServer(`the server's UUID is ${uuid.slice(0, 64)}`);
  }
}

function wordsOf({ brand = 'svc', ws_url }: ServerConfig): Set<string> {
  const [, inAddress] = /\/([\w.-]{1,64})\/rpc\/?$/.exec(new URL(ws_url).pathname) ?? [];
  return new Set([brand, ...(inAddress ? [inAddress] : []), 'svc']);
}

const isUnknownMethod = (answer: Record<string, unknown> | undefined): boolean =>
  (answer?.['error'] as { code?: unknown } | undefined)?.code === -32601;

/**
 * Subscribes to tasks (clients.md §2.4 step 6). Pings do not count as the answer, and a task that comes
 * before it waits for the main loop. A binary frame counts as success. Reports do not depend on it, so anything
 * but a result for id 1 is logged and is no error. @throws Error when the connection has ended
 */
export async function registerForTasks(
  channel: Channel,
  server: ServerConfig,
  agent_uuid: string,
): Promise<Refusal | undefined> {
  channel.send(registration(server, agent_uuid));
  const frame = await channel.answer(REPLY_LIMIT_MS, isTask);
  if (frame.kind === 'closed') throw new Error(frame.reason);
  if (frame.kind === 'late') return { message: LATE, isOpen: true };
  return frame.kind === 'text' ? refusalIn(frame.text) : undefined;
}

const isTask = (frame: Frame): boolean =>
  frame.kind === 'text' && readDownlink(frame.text).kind === 'task';

function refusalIn(text: string): Refusal | undefined {
  const message = text.slice(0, 300);
  const answer = objectIn(text);
  if (answer?.['id'] !== 1) return { message: `not an answer: ${message}`, isOpen: true };
  if ('result' in answer && !('error' in answer)) return undefined;
  const error = answer['error'] as { code?: unknown; message?: unknown } | null | undefined;
  return { code: error?.code, message: String(error?.message ?? message) };
}

/** The next frame but pings as an object; undefined for a frame that is not text. */
async function nextObject(channel: Channel): Promise<Record<string, unknown> | undefined> {
  const frame = await channel.answer(REPLY_LIMIT_MS);
  if (frame.kind === 'late') throw new Error(LATE);
  if (frame.kind === 'closed') throw new Error(frame.reason);
  if (frame.kind !== 'text') return undefined;
  const value = objectIn(frame.text);
  if (!value) throw new Error('the answer is no JSON object');
  return value;
}

function describe(answer: Record<string, unknown> | undefined): string {
  return answer === undefined ? 'a binary frame' : JSON.stringify(answer).slice(0, 300);
}
