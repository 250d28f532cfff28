import { once } from 'node:events';
import { request } from 'node:http';
import type { TestApp } from '@svc/plugin-sdk/testing';
import { WebSocket } from 'ws';
import { A, type Item, type SimAgent } from './task-kit.ts';
import { eventually } from './token-kit.ts';

export const PLUGINS = ['token', 'agent-uuid', 'task', 'terminal'];
export const T = '7d0b2f4e-3c1a-4a55-9d52-0b6f2e6f9a10';
export const T2 = '8d0b2f4e-3c1a-4a55-9d52-0b6f2e6f9a10';

/** One side of a terminal: everything it received, and how it ended. */
export interface Side {
  readonly socket: WebSocket;
  /** Text as text, bytes as `Buffer`. */
  readonly messages: (string | Buffer)[];
  readonly closed: Promise<{ code: number; reason: string }>;
  received(count: number): Promise<(string | Buffer)[]>;
  /** What was received, joined. */
  text(): string;
}

export type Query = { readonly [name: string]: string | number | undefined };

export const queryOf = (query: Query): string => {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) params.set(name, `${value}`);
  }
  return params.toString();
};

export const agentQuery = ({ task_id, task_token }: Item, over: Query = {}): Query => ({
  agent_uuid: A,
  task_id,
  task_token,
  terminal_id: T,
  ...over,
});

export const userQuery = (app: TestApp, over: Query = {}): Query => ({
  agent_uuid: A,
  terminal_id: T,
  token: app.superToken,
  ...over,
});

/** Opens `/terminal`. @throws HttpFailure when it is refused before the upgrade */
export async function side(app: TestApp, query: Query | string): Promise<Side> {
  const text = typeof query === 'string' ? query : queryOf(query);
  const socket = new WebSocket(`${app.url.replace('http', 'ws')}/terminal?${text}`, {
    perMessageDeflate: false,
  });
  const messages: (string | Buffer)[] = [];
  socket.on('message', (data: Buffer, binary) => messages.push(binary ? data : String(data)));
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: String(reason) }));
  });
  const refused = new Promise<never>((_resolve, reject) => {
    socket.once('unexpected-response', async (_request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      reject(
        new HttpFailure(response.statusCode ?? 0, String(Buffer.concat(chunks)), response.headers),
      );
      socket.terminate();
    });
    socket.on('error', reject);
  });
  refused.catch(() => {});
  await Promise.race([once(socket, 'open'), refused]);
  return {
    socket,
    messages,
    closed,
    async received(count) {
      await eventually(() => {
        if (messages.length < count)
          throw new Error(`${messages.length} of ${count} messages came`);
      });
      return messages;
    },
    text: () => messages.map(String).join(''),
  };
}

/** A round trip to the server and back: what was sent before has been dealt with. */
export async function roundTrip({ socket }: Side): Promise<void> {
  const pong = once(socket, 'pong', { signal: AbortSignal.timeout(30_000) });
  socket.ping();
  await pong;
}

/** Refused before the upgrade. */
export class HttpFailure extends Error {
  readonly status: number;
  readonly body: string;
  readonly headers: { readonly [name: string]: unknown };

  constructor(status: number, body: string, headers: { readonly [name: string]: unknown }) {
    super(`${status} ${body}`);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** The agent's side. The server may notice the end of the terminal before later than those who were at it. */
export async function shellSide(app: TestApp, query: Query): Promise<Side> {
  let shell: Side | undefined;
  await eventually(async () => {
    shell = await side(app, query);
  });
  return shell as Side;
}

/** How an agent's side is refused: `<status> <error_id>`; one that is accepted gives its place away again. */
export const agentRefusal = (app: TestApp, query: Query): Promise<string> =>
  side(app, query).then(
    async ({ socket, closed }) => {
      socket.terminate();
      await closed;
      return 'accepted';
    },
    (error: HttpFailure) => `${error.status} ${JSON.parse(error.body).error_id}`,
  );

/** How a user's side is refused: `<error_id> <close code>`. */
export async function userRefusal(app: TestApp, query: Query): Promise<string> {
  const user = await side(app, query);
  const { code } = await user.closed;
  if (user.messages.length !== 1) return `${user.messages.length} messages ${code}`;
  const { error_id, error_message } = JSON.parse(String(user.messages[0]));
  if (typeof error_message !== 'string') return 'no text';
  return `${error_id} ${code}`;
}

/** Creates a `web_shell` task and waits until the agent has it. */
export async function shellTask(app: TestApp, agent: SimAgent, terminal_id = T): Promise<Item> {
  const { length } = agent.items;
  const type = { web_shell: { url: 'ws://127.0.0.1/auto_gen', terminal_id } };
  await app.call('task_create_task', [app.superToken, agent.uuid, type]);
  await agent.received(length + 1);
  return agent.items.at(-1)!;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: { readonly [name: string]: unknown };
  readonly body: string;
}

/** A request as an HTTP client sends it, upgrade headers included. */
export function rawRequest(
  app: TestApp,
  method: string,
  path: string,
  headers: { readonly [name: string]: string },
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const call = request(app.url + path, { method, headers, agent: false }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      const body = String(Buffer.concat(chunks));
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
    });
    call.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ status: 101, headers: response.headers, body: '' });
    });
    call.on('error', reject);
    call.end();
  });
}
