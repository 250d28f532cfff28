import type { Clock } from '@svc/plugin-sdk';
import type { TestApp, TestSocket } from '@svc/plugin-sdk/testing';
import { eventually } from './token-kit.ts';

export const A = '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411';
export const B = 'c01d3a7e-11f2-4b1c-8a55-0f6f2f1a9e20';
/** Never connected. */
export const ABSENT = '99999999-7a35-4d0e-9c1b-52d3a8e0f411';
export const PLUGINS = ['token', 'agent-uuid', 'task'];

export interface Item {
  readonly task_id: number;
  readonly task_token: string;
  readonly task_event_type: any;
}

/** An agent of the field, as far as tasks go: one connection, everything it receives in order. */
export interface SimAgent {
  readonly socket: TestSocket;
  readonly uuid: string;
  /** Every frame that is no answer to `socket.call`, in order. */
  readonly frames: any[];
  /** Tasks received so far. */
  readonly items: Item[];
  /** Registers (again). @returns the subscription id */
  register(): Promise<number>;
  /** Waits until so many tasks have come in all. */
  received(count: number): Promise<Item[]>;
  answer(item: Item, result: unknown, over?: Record<string, unknown>): Promise<any>;
}

/** A result that fits each type. */
export const RESULTS: { readonly [type: string]: any } = {
  ping: { ping: 18.402 },
  tcp_ping: { tcp_ping: 7.9 },
  http_ping: { http_ping: 61.25 },
  ip: { ip: ['198.51.100.23', null] },
  execute: { execute: 'captured' },
  web_shell: { web_shell: true },
  read_config: { read_config: 'log_level = "info"' },
  edit_config: { edit_config: true },
  self_update: { self_update: true },
  dns: { dns: [{ record_type: 'mx', time: 11.8, data: '10 mx1.example.net.' }] },
};

export const typeOf = ({ task_event_type: type }: Item): string =>
  typeof type === 'string' ? type : (Object.keys(type)[0] as string);

/** Connects; registers nothing yet. */
export async function simAgent(app: TestApp, uuid = A, token = app.superToken): Promise<SimAgent> {
  const socket = await app.connect();
  const frames: any[] = [];
  const items: Item[] = [];
  socket.raw.on('message', (data: Buffer) => {
    const frame = JSON.parse(String(data));
    if (typeof frame.id !== 'string') frames.push(frame);
    if (frame.method === 'task_register_task') items.push(frame.params.result);
  });
  return {
    socket,
    uuid,
    frames,
    items,
    register: () => socket.call('task_register_task', [token, uuid]),
    async received(count) {
      await eventually(() => {
        if (items.length < count) throw new Error(`${items.length} of ${count} tasks came`);
      });
      return items;
    },
    answer: (item, result, over = {}) =>
      socket.call('task_upload_task_result', [token, response(uuid, item, result, over)]),
  };
}

/** What an agent uploads for a task. */
export const response = (
  agent_uuid: string,
  { task_id, task_token }: Item,
  task_event_result: unknown,
  over: Record<string, unknown> = {},
): any => ({
  task_id,
  agent_uuid,
  task_token,
  timestamp: 1781234567890,
  success: true,
  error_message: null,
  task_event_result,
  ...over,
});

/** An agent that is registered and past the hold after its registration. Needs a fake clock. */
export async function readyAgent(app: TestApp, uuid = A, token?: string): Promise<SimAgent> {
  const agent = await simAgent(app, uuid, token);
  await agent.register();
  await app.clock.advance(1_500);
  return agent;
}

/** Answers every task at once with a result that fits. */
export function answerAll(agent: SimAgent): void {
  agent.socket.raw.on('message', (data: Buffer) => {
    const frame = JSON.parse(String(data));
    if (frame.method === 'task_register_task') void upload(agent, frame.params.result);
  });
}

async function upload(agent: SimAgent, item: Item): Promise<void> {
  try {
    await agent.answer(item, RESULTS[typeOf(item)]);
  } catch (error) {
    agent.frames.push({ failed: (error as Error).message });
  }
}

/** Messages that an agent of the field holds; one more costs the oldest (clients.md §2.5). */
const RING = 32;

/** An agent of the field that keeps what the server sends in a ring, and takes one message out of it at a time. */
export interface SlowAgent {
  /** Tasks that fell out of the ring, and reports without an answer. */
  lost: number;
  /** Tasks whose results were stored. */
  answered: number;
  /** Tasks taken so far, in order. */
  readonly taken: Item[];
  /** For each task that came: the messages that lay in the ring before it. */
  readonly before: Map<number, number>;
  /** Takes the oldest message. A task is answered then; pings are never (the agent may not send ICMP), and sleeps go on. */
  take(): void;
}

const isUnanswered = (item: Item): boolean =>
  typeOf(item) === 'ping' || item.task_event_type.execute?.cmd === 'sleep';

/** Reads as an agent of the field does: the answers to the agent's own reports and uploads go through its ring, too. */
export function readThroughRing(agent: SimAgent, report: () => Promise<unknown>): SlowAgent {
  const ring: any[] = [];
  let takes = 0;
  const taskOf = (frame: any): Item | undefined =>
    frame?.method === 'task_register_task' ? frame.params.result : undefined;
  const slow: SlowAgent = {
    lost: 0,
    answered: 0,
    taken: [],
    before: new Map(),
    take() {
      if (takes++ % REPORT_EVERY === 0) report().catch(() => slow.lost++);
      const item = taskOf(ring.shift());
      if (!item) return;
      slow.taken.push(item);
      if (!isUnanswered(item)) void upload(agent, item).then(() => slow.answered++);
    },
  };
  agent.socket.raw.on('message', (data: Buffer) => {
    const frame = JSON.parse(String(data));
    // The answer to a call of the test itself.
    if (frame.error?.code === -32601) return;
    const item = taskOf(frame);
    if (item) slow.before.set(item.task_id, ring.length);
    if (ring.push(frame) > RING && taskOf(ring.shift())) slow.lost++;
  });
  return slow;
}

/** It reports once a second, and takes a message each 25 ms. */
const REPORT_EVERY = 40;

/**
 * Resolves when the server has begun to wait for so long; asked for before that. Time that is moved earlier does not
 * count for it, and an answer of the database comes when it comes. One at a time.
 */
export async function timerOf({ clock }: TestApp, delay_ms: number): Promise<void> {
  const watched = clock as unknown as { timeout: Clock['timeout'] };
  const { timeout } = watched;
  let hasBegun = false;
  watched.timeout = (run, delay) => {
    hasBegun ||= delay === delay_ms;
    return timeout(run, delay);
  };
  try {
    await eventually(() => {
      if (!hasBegun) throw new Error(`the server does not wait for ${delay_ms} ms`);
    });
  } finally {
    watched.timeout = timeout;
  }
}

/** The result, or an error as `<code> <message>`. */
export const outcome = (call: Promise<unknown>): Promise<any> =>
  call.catch((error) => `${error.code} ${error.message}`);

/** Rows of the table, oldest first. */
export const rows = (app: TestApp, ...condition: unknown[]): Promise<any[]> =>
  app.call('task_query', [app.superToken, { condition }]);

/** A token with these task permissions in one scope. */
export const taskToken = (
  app: TestApp,
  permissions: readonly (string | { readonly [verb: string]: string })[],
  scope: unknown = { agent_uuid: A },
  extra: Record<string, unknown> = {},
): Promise<string> =>
  app.token([{ scopes: [scope], permissions: permissions.map((task) => ({ task })) }], extra);
