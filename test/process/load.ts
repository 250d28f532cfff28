import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';
import { type Kind, report, reportMethod } from './reports.ts';

/** One report that the server answered with `buffered`. */
export interface Acknowledged {
  readonly kind: Kind;
  readonly uuid: string;
  readonly time: number;
}

/** What a load has seen so far; filled while it runs. */
export interface Load {
  readonly acknowledged: Acknowledged[];
  /** Error answers, as text. */
  readonly refused: string[];
  /** Close codes, one per closed connection. */
  readonly closes: number[];
  /** Stops sending, waits up to 30 s for outstanding answers, and closes. */
  stop(): Promise<void>;
}

export interface LoadOptions {
  readonly url: string;
  readonly token: string;
  readonly agents: number;
  /** Unanswered reports per agent. */
  readonly inFlight: number;
  /** Sent in turn. */
  readonly kinds: readonly Kind[];
  /** Connect again, 50 ms after a connection was lost. */
  readonly reconnect?: boolean;
}

interface Agent {
  readonly uuid: string;
  readonly outstanding: Map<number, Acknowledged>;
  socket: WebSocket | undefined;
  sent: number;
}

/** Agents that report as fast as answers come, each with its own UUID and strictly rising times. */
export async function startLoad(options: LoadOptions): Promise<Load> {
  const load = { acknowledged: [], refused: [], closes: [], stopping: false } as State;
  const base = Date.now();
  const agents = Array.from({ length: options.agents }, (): Agent => {
    return { uuid: randomUUID(), outstanding: new Map(), socket: undefined, sent: 0 };
  });
  await Promise.all(agents.map((agent) => connect(agent, base, options, load)));
  return { ...load, stop: () => stop(agents, load) };
}

interface State {
  readonly acknowledged: Acknowledged[];
  readonly refused: string[];
  readonly closes: number[];
  stopping: boolean;
}

/** Resolves when the connection is open or lost. */
function connect(agent: Agent, base: number, options: LoadOptions, load: State): Promise<void> {
  const socket = new WebSocket(`${options.url.replace('http', 'ws')}/`);
  agent.socket = socket;
  agent.outstanding.clear();
  const fill = () => {
    while (!load.stopping && agent.outstanding.size < options.inFlight) {
      send(agent, base, options, socket);
    }
  };
  return new Promise((done) => {
    socket.on('open', () => {
      fill();
      done();
    });
    socket.on('message', (data) => {
      settle(agent, String(data), load);
      fill();
    });
    // A lost connection is what these tests are about; 'close' follows and is recorded.
    socket.on('error', () => done());
    socket.on('close', (code) => {
      load.closes.push(code);
      done();
      if (!options.reconnect || load.stopping) return;
      setTimeout(() => load.stopping || void connect(agent, base, options, load), 50);
    });
  });
}

function send(agent: Agent, base: number, options: LoadOptions, socket: WebSocket): void {
  const id = agent.sent++;
  const kind = options.kinds[id % options.kinds.length]!;
  const time = base + id;
  agent.outstanding.set(id, { kind, uuid: agent.uuid, time });
  const params = [options.token, report(kind, agent.uuid, time)];
  socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: reportMethod[kind], params }));
}

function settle(agent: Agent, text: string, load: State): void {
  const answer = JSON.parse(text);
  const sent = agent.outstanding.get(answer.id);
  if (!sent) return;
  agent.outstanding.delete(answer.id);
  if (answer.result?.status === 'buffered') load.acknowledged.push(sent);
  else load.refused.push(text);
}

async function stop(agents: readonly Agent[], load: State): Promise<void> {
  load.stopping = true;
  const deadline = Date.now() + 30_000;
  const waiting = () =>
    agents.some((a) => a.socket?.readyState === WebSocket.OPEN && a.outstanding.size > 0);
  while (waiting() && Date.now() < deadline) await pause(5);
  const open = () => agents.some((a) => a.socket && a.socket.readyState !== WebSocket.CLOSED);
  for (const agent of agents) agent.socket?.close();
  while (open() && Date.now() < deadline) await pause(5);
  for (const agent of agents) agent.socket?.terminate();
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
