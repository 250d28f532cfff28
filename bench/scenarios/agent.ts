import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type WebSocket, WebSocketServer } from 'ws';
import { selfSigned } from '../../test/agent-program-certificate.ts';
import type { Figure, Scenario } from '../types.ts';

const root = resolve(import.meta.dirname, '../..');
const SERVER_UUID = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
const SECONDS = Number(process.env['SVC_BENCH_AGENT_SECONDS'] ?? 600);
/** Starting is not measured. */
const WARM_UP_S = 15;
const SAMPLE_S = 5;
/** Of `/proc/PID/stat`, on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/**
 * The agent as one file, as it is installed, reporting once a second over TLS, beside a Node that only holds such a
 * connection. Both are looked at in the same moments.
 */
export const agent: Scenario = {
  name: 'agent',
  about: `memory, processor time and switches of an agent, over ${SECONDS} s (SVC_BENCH_AGENT_SECONDS)`,
  async run() {
    if (process.platform !== 'linux') return [];
    const dir = mkdtempSync(join(tmpdir(), 'svc-bench-'));
    const server = await startServer();
    const programs = [
      startIdle(`wss://127.0.0.1:${server.port}/`),
      startAgent(bundled(), dir, server.port),
    ];
    try {
      await wait(WARM_UP_S);
      const [idle, own] = await watch(programs.map(({ pid }) => pid ?? 0));
      if (server.reports() < SECONDS) throw new Error(`only ${server.reports()} reports came`);
      return figures(idle!, own!);
    } finally {
      for (const program of programs) program.kill('SIGKILL');
      server.stop();
      rmSync(dir, { recursive: true, force: true });
    }
  },
};

interface Watched {
  readonly mean_mb: number;
  readonly most_mb: number;
  readonly cpu_percent: number;
  /** Times a second that one of its threads waited. */
  readonly switches: number;
}

async function watch(pids: readonly number[]): Promise<Watched[]> {
  const seen = pids.map((pid) => ({
    ...{ pid, ticks: ticks(pid), switched: switches(pid), rss: [] as number[] },
  }));
  const begun = performance.now();
  for (let s = 0; s < SECONDS; s += SAMPLE_S) {
    await wait(SAMPLE_S);
    for (const { pid, rss } of seen) rss.push(rssMb(pid));
  }
  const seconds = (performance.now() - begun) / 1000;
  return seen.map(({ pid, ticks: before, switched, rss }) => ({
    mean_mb: rss.reduce((sum, mb) => sum + mb, 0) / rss.length,
    most_mb: Math.max(...rss),
    cpu_percent: ((ticks(pid) - before) / TICKS_PER_SECOND / seconds) * 100,
    switches: (switches(pid) - switched) / seconds,
  }));
}

function figures(idle: Watched, own: Watched): Figure[] {
  const scenario = 'agent';
  const note = `at most ${own.most_mb.toFixed(1)}, the idle connection ${idle.most_mb.toFixed(1)}`;
  return [
    { scenario, figure: 'RSS of an idle connection', value: idle.mean_mb, unit: 'MB' },
    { scenario, figure: 'RSS of the agent', value: own.mean_mb, unit: 'MB', note },
    {
      ...{ scenario, figure: 'RSS above the idle one', unit: 'MB', goal: { most: 10 } },
      value: own.mean_mb - idle.mean_mb,
    },
    {
      ...{ scenario, figure: 'share of a core', unit: '%', goal: { most: 0.5 } },
      value: own.cpu_percent,
      note: `over ${SECONDS} s; the idle one ${idle.cpu_percent.toFixed(2)} %`,
    },
    {
      ...{ scenario, figure: 'switches of its threads', unit: '/s', goal: { most: 12 } },
      value: own.switches,
      note: `the idle one ${idle.switches.toFixed(1)}`,
    },
  ];
}

/** Resident memory in MB of 10^6 bytes, as in the other scenarios. */
function rssMb(pid: number): number {
  const text = readFileSync(`/proc/${pid}/status`, 'latin1');
  return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1]) * 1024) / 1e6;
}

function ticks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

function switches(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return tasks.reduce((sum, task) => {
    const text = readFileSync(`/proc/${pid}/task/${task}/status`, 'latin1');
    return sum + Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(text)?.[1]);
  }, 0);
}

const wait = (seconds: number) => new Promise((done) => setTimeout(done, seconds * 1000));

/** Programs without the settings of the bench itself. */
const spawned = (args: string[]): ChildProcess =>
  spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'], cwd: root });

const startIdle = (address: string): ChildProcess =>
  spawned([join(import.meta.dirname, '..', 'idle-socket.mjs'), address]);

function startAgent(program: string, dir: string, port: number): ChildProcess {
  const config = join(dir, 'agent.toml');
  writeFileSync(
    config,
    `log_level = "warn"
agent_uuid = "0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411"
ntp_server = ""
[[server]]
name = "bench"
server_uuid = "${SERVER_UUID}"
token = "key:secret"
ws_url = "wss://127.0.0.1:${port}/svc/rpc"
ignore_cert = true
`,
  );
  return spawned([program, '-c', config]);
}

/** The agent in one file, as machines get it. */
function bundled(): string {
  const folder = join(root, 'plugins', 'enrol');
  const { status } = spawnSync(process.execPath, [join(folder, 'build.mjs')], { stdio: 'inherit' });
  if (status !== 0) throw new Error('the agent was not bundled');
  return join(folder, 'public', 'svc-agent.mjs');
}

/** Answers as a server does: the agent's work includes reading the answers. */
async function startServer() {
  const http = createServer(selfSigned('localhost'));
  let count = 0;
  const answer = (socket: WebSocket, text: string) => {
    const { id, method } = JSON.parse(text) as { id: unknown; method: string };
    const isUuid = method === 'svc-server_uuid';
    if (!isUuid) count += 1;
    const result = isUuid ? SERVER_UUID : { status: 'buffered' };
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, result }));
  };
  const sockets = new WebSocketServer({ server: http });
  sockets.on('connection', (socket) => socket.on('message', (data) => answer(socket, `${data}`)));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  const stop = () => {
    http.closeAllConnections();
    http.close();
  };
  return { port, stop, reports: () => count };
}
