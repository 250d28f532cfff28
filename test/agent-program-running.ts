/** Runs the agent program's link to one scripted server. */
import * as assert from 'uvu/assert';
import type { ServerConfig } from '../agent/src/config.ts';
import { Link } from '../agent/src/link.ts';
import type { Spool } from '../agent/src/spool.ts';
import {
  AGENT,
  FakeClock,
  memoryLog,
  type Peer,
  ScriptedServer,
  soon,
  TOKEN,
} from './agent-program-kit.ts';
import { runtimeFor } from './agent-program-task-kit.ts';

export interface Setup {
  clock: FakeClock;
  link: Link;
  lines: string[];
}

/** Runs a link for the length of `use`; the random part of every wait is the middle of its range. */
export async function withLink(
  server: ServerConfig,
  use: (setup: Setup) => Promise<void>,
  { random = 0.5, spool }: { random?: number; spool?: Spool } = {},
): Promise<void> {
  const clock = new FakeClock();
  const { log, lines } = memoryLog();
  const link = new Link({
    server,
    agent_uuid: AGENT,
    connect_timeout_ms: 1000,
    clock,
    time: () => clock.now(),
    log,
    runtime: runtimeFor(clock),
    random: () => random,
    spool,
  });
  const stop = new AbortController();
  const running = link.run(stop.signal);
  try {
    await use({ clock, link, lines });
  } finally {
    stop.abort();
    // The peer's goodbye is not waited for: its time-out is moved past.
    await clock.advance(2000);
    await soon('the end of the link', running);
  }
}

export async function withServer(
  use: (server: ScriptedServer) => Promise<void>,
  options: Parameters<typeof ScriptedServer.open>[0] = {},
): Promise<void> {
  const server = await ScriptedServer.open(options);
  try {
    await use(server);
  } finally {
    await server.stop();
  }
}

export const REPORT = '{"uuid":"u","time":1}';

/** What a working main loop is known by: a posted report arrives. */
export async function worksWith(peer: Peer, link: Link, data = REPORT): Promise<void> {
  link.post('agent_report_dynamic', data);
  assert.equal(await peer.next(), {
    jsonrpc: '2.0',
    id: 1,
    method: 'agent_report_dynamic',
    params: [TOKEN, JSON.parse(data)],
  });
}

let reads = 0;

/** Waits until the agent has read all that was sent to it so far: it logs this answer, and a connection keeps the order. */
export async function hasRead(peer: Peer, lines: readonly string[]): Promise<void> {
  const code = 900_000 + ++reads;
  peer.send({ jsonrpc: '2.0', id: 1, error: { code, message: 'read' } });
  let isOver = false;
  const look = async () => {
    while (!isOver && !lines.some((line) => line.includes(` code=${code} `))) {
      await new Promise((wake) => setImmediate(wake));
    }
  };
  await soon('the reading of a message', look()).finally(() => {
    isOver = true;
  });
}

/** A task notification. */
export const task = (task_id: unknown, task_event_type: unknown = 'ip') => ({
  jsonrpc: '2.0',
  method: 'task_register_task',
  params: { subscription: 7, result: { task_id, task_token: 'q7ZrT0aTxe', task_event_type } },
});
