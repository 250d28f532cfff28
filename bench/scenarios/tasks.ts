import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { type Bench, startBench } from '../server.ts';
import type { Dialect, Figure, Scenario } from '../types.ts';

const CALLS = 2_000;
const BURST = 300;
/** The server holds tasks until the agents of the field listen. */
const HOLD_MS = 1_700;
const CHUNK = Buffer.alloc(8_192, 'x');
const BYTES = 512 * 1024 * 1024;

type Frame = Record<string, any>;
/** A server and the credential of its caller. */
type Target = Pick<Bench, 'socketUrl' | 'token'>;

/** A connection that correlates answers by id and hands on everything else. */
class Client {
  readonly socket: WebSocket;
  readonly #pending = new Map<number, (frame: Frame) => void>();
  #last = 0;

  private constructor(socket: WebSocket, onFrame: (frame: Frame) => void) {
    this.socket = socket;
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data)) as Frame;
      const settle = this.#pending.get(frame['id']);
      if (!settle) return onFrame(frame);
      this.#pending.delete(frame['id']);
      settle(frame);
    });
  }

  static async open(url: string, onFrame: (frame: Frame) => void = () => {}): Promise<Client> {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    const client = new Client(socket, onFrame);
    await once(socket, 'open');
    return client;
  }

  async call(method: string, params: unknown): Promise<any> {
    const id = ++this.#last;
    const answer = new Promise<Frame>((resolve) => this.#pending.set(id, resolve));
    this.socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    const { result, error } = await answer;
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }
}

/** An agent that answers `ip` at once. */
async function instantAgent({
  socketUrl,
  token,
}: Target): Promise<{ uuid: string; client: Client }> {
  const uuid = randomUUID();
  const client = await Client.open(socketUrl, ({ method, params }) => {
    if (method !== 'task_register_task') return;
    const { task_id, task_token } = params.result;
    const done = { task_id, agent_uuid: uuid, task_token, timestamp: Date.now(), success: true };
    const result = { ...done, error_message: null, task_event_result: { ip: [null, null] } };
    client.call('task_upload_task_result', [token, result]).catch((error) => {
      process.stderr.write(`${error}\n`);
    });
  });
  await client.call('task_register_task', [token, uuid]);
  await pause(HOLD_MS);
  return { uuid, client };
}

/** Round trips one after the other: create, notification, upload, answer. */
async function roundTrips({ socketUrl, token }: Target, uuid: string) {
  const caller = await Client.open(socketUrl);
  const times: number[] = [];
  for (let n = 0; n < CALLS; n++) {
    const begun = performance.now();
    await caller.call('task_create_task_blocking', [token, uuid, 'ip', 10_000]);
    times.push(performance.now() - begun);
  }
  caller.socket.close();
  // The first ones find caches and compiled code cold.
  const sorted = times.slice(CALLS / 10).sort((a, b) => a - b);
  return (q: number) => sorted[Math.floor(q * (sorted.length - 1))] as number;
}

/** Tasks created side by side for one agent. @returns stored results and the time until the last one, ms */
async function burst({ socketUrl, token }: Bench, uuid: string) {
  const caller = await Client.open(socketUrl);
  const begun = performance.now();
  const call = ['task_create_task_blocking', [token, uuid, 'ip', 10_000]] as const;
  const answers = await Promise.all(Array.from({ length: BURST }, () => caller.call(...call)));
  const took_ms = performance.now() - begun;
  const ids = new Set(answers.filter(({ success }) => success).map(({ task_id }) => task_id));
  caller.socket.close();
  return { results: ids.size, took_ms };
}

const scenario = (dialect: Dialect): Scenario => ({
  name: `tasks-${dialect}`,
  about: `blocking tasks against an agent that answers at once, and ${BURST} at once, on ${dialect}`,
  async run(): Promise<Figure[]> {
    const bench = await startBench(dialect);
    const { uuid, client } = await instantAgent(bench);
    const at = await roundTrips(bench, uuid);
    const { results, took_ms } = await burst(bench, uuid);
    client.socket.close();
    await bench.end();
    await bench.place.remove();
    const scenario = `tasks-${dialect}`;
    return [
      {
        scenario,
        figure: 'blocking task p50',
        value: at(0.5),
        unit: 'ms',
        goal: { most: 3 },
        note: `p99 ${at(0.99).toFixed(1)} ms, ${CALLS} one after the other`,
      },
      {
        scenario,
        figure: `results of ${BURST} at once`,
        value: results,
        unit: 'results',
        goal: { least: BURST },
        note: `all within ${took_ms.toFixed(0)} ms`,
      },
    ];
  },
});

/** Output of a shell through the proxy; then the same to a user who does not read. */
const terminal: Scenario = {
  name: 'terminal',
  about: 'terminal output through the proxy, and memory when the user stops reading',
  async run(): Promise<Figure[]> {
    const bench = await startBench('sqlite');
    const { shell, person } = await openTerminal(bench);
    const before = await bench.probe('reset');
    const rate = await throughput(shell, person);
    const after = await bench.probe();
    person.pause();
    await pushFor(shell, 2_000);
    const { rss_mb } = await bench.probe();
    person.resume();
    shell.terminate();
    person.terminate();
    await bench.end();
    await bench.place.remove();
    const scenario = 'terminal';
    const cpu = (after.cpu_ms - before.cpu_ms) / (BYTES / 1e6);
    return [
      {
        scenario,
        figure: 'output',
        value: rate,
        unit: 'MB/s',
        goal: { least: 50 },
        note: `8 KiB messages, ${cpu.toFixed(2)} ms of server CPU a MB`,
      },
      {
        scenario,
        figure: 'RSS growth, user not reading',
        value: Math.max(0, rss_mb - after.rss_mb),
        unit: 'MB',
        goal: { most: 32 },
      },
    ];
  },
};

async function openTerminal({ socketUrl, token }: Target) {
  const agent_uuid = randomUUID();
  const terminal_id = randomUUID();
  let arrived: (item: Frame) => void = () => {};
  const item = new Promise<Frame>((resolve) => {
    arrived = resolve;
  });
  const agent = await Client.open(socketUrl, ({ params }) => arrived(params.result));
  await agent.call('task_register_task', [token, agent_uuid]);
  const web_shell = { url: `${socketUrl}auto_gen`, terminal_id };
  await agent.call('task_create_task', [token, agent_uuid, { web_shell }]);
  const { task_id, task_token } = await item;
  const side = async (query: Record<string, string>): Promise<WebSocket> => {
    const text = new URLSearchParams({ agent_uuid, terminal_id, ...query });
    const socket = new WebSocket(`${socketUrl}terminal?${text}`, { perMessageDeflate: false });
    await once(socket, 'open');
    return socket;
  };
  const shell = await side({ task_id: `${task_id}`, task_token });
  const person = await side({ token });
  return { shell, person };
}

async function throughput(shell: WebSocket, person: WebSocket) {
  let received = 0;
  const all = new Promise<void>((resolve) => {
    person.on('message', (data: Buffer) => {
      received += data.length;
      if (received >= BYTES) resolve();
    });
  });
  const begun = performance.now();
  const total = BYTES / CHUNK.length;
  let sent = 0;
  const pump = () => {
    while (sent < total && shell.bufferedAmount < 1 << 20) {
      sent++;
      shell.send(CHUNK, sent % 64 === 0 || sent === total ? pump : undefined);
    }
  };
  pump();
  await all;
  return BYTES / 1e6 / ((performance.now() - begun) / 1000);
}

/** Sends as much as is taken. */
async function pushFor(shell: WebSocket, ms: number): Promise<void> {
  const until = performance.now() + ms;
  while (performance.now() < until) {
    while (shell.bufferedAmount < 1 << 20) shell.send(CHUNK);
    await pause(5);
  }
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

export const taskScenarios = [scenario('sqlite'), scenario('postgres'), terminal];
