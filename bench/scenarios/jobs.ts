import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { startBench } from '../server.ts';
import type { Dialect, Figure, Scenario } from '../types.ts';

const AGENTS = 1_000;
/** From the last creation to the second at which all jobs are due. */
const AHEAD_MS = 6_000;
/** Tasks may come this long after that second before they count as lost. */
const PATIENCE_MS = 10_000;

/** 1,000 agents with one job each, all due at the same second: from that second to each task's arrival. */
const jobScenario = (dialect: Dialect): Scenario => ({
  name: `jobs-${dialect}`,
  about: `${AGENTS} jobs for one agent each, due at the same second, on ${dialect}`,
  async run() {
    const bench = await startBench(dialect);
    const arrivals: number[] = [];
    const agents = await Promise.all(
      Array.from({ length: AGENTS }, () => agent(bench.socketUrl, bench.token, arrivals)),
    );
    const due = Math.ceil((Date.now() + AHEAD_MS) / 1_000) * 1_000;
    await createJobs(bench.socketUrl, bench.token, cronAt(due), agents);
    if (Date.now() > due - 1_000) throw new Error('the jobs took too long to create');
    await pause(due - 500 - Date.now());
    await bench.probe('reset');
    while (arrivals.length < AGENTS && Date.now() < due + PATIENCE_MS) await pause(20);
    const { delay_p99_ms, delay_max_ms } = await bench.probe();
    for (const { socket } of agents) socket.terminate();
    await bench.end();
    const [count] = await bench.place.read(
      'select count(*) as n from crontab_result where relative_id is not null',
    );
    await bench.place.remove();
    return figures(`jobs-${dialect}`, {
      late: arrivals.map((time) => time - due).sort((a, b) => a - b),
      records: Number(count?.['n']),
      delay_p99_ms,
      delay_max_ms,
    });
  },
});

interface Measured {
  /** Ascending, ms. */
  readonly late: readonly number[];
  readonly records: number;
  readonly delay_p99_ms: number;
  readonly delay_max_ms: number;
}

function figures(scenario: string, measured: Measured): Figure[] {
  const { late, records, delay_p99_ms, delay_max_ms } = measured;
  const missing = AGENTS - Math.min(late.length, records);
  return [
    {
      scenario,
      figure: 'last task arrived after',
      value: late.at(-1) ?? Number.POSITIVE_INFINITY,
      unit: 'ms',
      goal: { most: 1_000 },
      note: `first ${late[0]} ms, median ${late[late.length >> 1]} ms`,
    },
    { scenario, figure: 'lost', value: missing, unit: 'tasks', goal: { most: 0 } },
    {
      scenario,
      figure: 'event-loop delay p99',
      value: delay_p99_ms,
      unit: 'ms',
      goal: { most: 30 },
      note: `max ${delay_max_ms.toFixed(0)} ms`,
    },
  ];
}

interface Agent {
  readonly uuid: string;
  readonly socket: WebSocket;
}

/** Registers for tasks, and writes down when one arrives. */
async function agent(url: string, token: string, arrivals: number[]): Promise<Agent> {
  const uuid = randomUUID();
  const socket = await open(url);
  const registered = new Promise<void>((done) => {
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as { id?: number; method?: string };
      if (message.id !== undefined) done();
      else if (message.method === 'task_register_task') arrivals.push(Date.now());
    });
  });
  socket.send(request(1, 'task_register_task', [token, uuid]));
  await registered;
  return { uuid, socket };
}

async function createJobs(
  url: string,
  token: string,
  expression: string,
  agents: readonly Agent[],
): Promise<void> {
  const socket = await open(url);
  let left = agents.length;
  const all = new Promise<void>((done, fail) => {
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as { error?: { message: string } };
      if (message.error) fail(new Error(message.error.message));
      if (--left === 0) done();
    });
  });
  for (const [at, { uuid }] of agents.entries()) {
    const type = { agent: [[uuid], { task: { tcp_ping: '127.0.0.1:9' } }] };
    socket.send(request(at, 'crontab_create', [token, `job ${at}`, expression, type]));
  }
  await all;
  socket.terminate();
}

function open(url: string): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    socket.once('open', () => resolve(socket));
    socket.once('error', reject);
  });
}

const request = (id: number, method: string, params: unknown): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

/** Matches this one second of every day. */
function cronAt(time: number): string {
  const date = new Date(time);
  return `${date.getUTCSeconds()} ${date.getUTCMinutes()} ${date.getUTCHours()} * * *`;
}

export const jobScenarios: Scenario[] = (['sqlite', 'postgres'] as const).map(jobScenario);
