import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import type { WebSocket } from 'ws';
import { type Fleet, startFleet } from '../../test/process/fleet.ts';
import { runLoad } from '../clients.ts';
import { ensurePostgres } from '../postgres.ts';
import type { Figure, Scenario } from '../types.ts';
import {
  instantAgent,
  openTerminal,
  pushFor,
  roundTrips,
  type Target,
  throughput,
} from './tasks.ts';

const scenario = 'servers';
const seconds = Number(process.env['SVC_BENCH_SECONDS'] ?? 8) / 2;
const AGENTS = 100;
const TERMINAL_BYTES = 64 * 1024 * 1024;
const KEYS = 500;
/** Two servers, Postgres and the load client want a core each before a second server can help. */
const enoughCores = cpus().length >= 4;

/** A process runs its first seconds slower; two do so twice. */
const WARM_UP = '2s';

const quiet = '[logging]\nlog_filter = "warn"';

/** Servers on one new database, for the length of `use`. */
async function withServers<T>(
  count: number,
  use: (targets: Target[], fleet: Fleet) => Promise<T>,
): Promise<T> {
  await ensurePostgres();
  const fleet = await startFleet(count, { tables: quiet });
  try {
    const targets = fleet.members.map(({ site }) => ({
      socketUrl: `${site.url.replace('http', 'ws')}/`,
      token: fleet.superToken,
    }));
    return await use(targets, fleet);
  } finally {
    await fleet.remove();
  }
}

/** Summaries of 100 agents × 4 in flight, divided among so many servers. @returns stored per second, and lost rows */
const reports = (count: number) =>
  withServers(count, async (targets, fleet) => {
    const load = (duration: string) =>
      Promise.all(
        targets.map(({ socketUrl: url, token }) => {
          const agents = AGENTS / count;
          const load = { url, token, agents, inflight: 4, kind: 'summary', cores: 8, duration };
          return runLoad('agentload', load);
        }),
      );
    const warm = await load(WARM_UP);
    const results = await load(`${seconds}s`);
    const rows = await fleet.read('select count(*) as n from dynamic_monitoring_summary');
    const acked = [...warm, ...results].reduce((sum, result) => sum + (result.acked ?? 0), 0);
    const rate = results.reduce((sum, result) => sum + result.rate, 0);
    return { rate, lost: Math.max(0, acked - Number(rows[0]?.['n'])) };
  });

async function storing(): Promise<Figure[]> {
  const rate = { 1: 0, 2: 0 };
  let lost = 0;
  // In this order, so that a machine that grows slower or faster meanwhile favours neither.
  for (const count of [1, 2, 2, 1] as const) {
    const round = await reports(count);
    rate[count] += round.rate / 2;
    lost += round.lost;
  }
  const each = `one ${rate[1].toFixed(0)}/s, two ${rate[2].toFixed(0)}/s`;
  const note = enoughCores ? each : `${each}; with less than 4 cores no loss is the goal`;
  const goal = { least: enoughCores ? 1.7 : 0.9 };
  const figure = 'two servers against one';
  return [
    { scenario, figure, value: rate[2] / rate[1], unit: 'x', goal, note },
    { scenario, figure: 'lost', value: lost, unit: 'rows', goal: { most: 0 } },
  ];
}

const tasks = () =>
  withServers(2, async ([here, there]) => {
    const { uuid, client } = await instantAgent(here as Target);
    const at = await roundTrips(there as Target, uuid);
    client.socket.close();
    const note = `p99 ${at(0.99).toFixed(1)} ms; the caller is at another server than the agent`;
    const goal = { most: 15 };
    const figure = 'blocking task across servers p50';
    return [{ scenario, figure, value: at(0.5), unit: 'ms', goal, note }];
  });

/** Time of one key press to the shell and its echo back, ms. */
async function echo(shell: WebSocket, person: WebSocket): Promise<number> {
  const answer = (data: Buffer) => shell.send(data);
  shell.on('message', answer);
  const times: number[] = [];
  for (let n = 0; n < KEYS; n++) {
    const begun = performance.now();
    const back = once(person, 'message');
    person.send('x');
    await back;
    times.push(performance.now() - begun);
  }
  shell.off('message', answer);
  return times.sort((a, b) => a - b)[KEYS >> 1] as number;
}

const terminal = () =>
  withServers(2, async ([here, there], fleet) => {
    const { shell, person } = await openTerminal(here as Target, (there as Target).socketUrl);
    const echo_ms = await echo(shell, person);
    const rate = await throughput(shell, person, TERMINAL_BYTES);
    const before = memoryOf(fleet);
    person.pause();
    await pushFor(shell, 2_000);
    const grown = Math.max(0, memoryOf(fleet) - before);
    shell.terminate();
    person.terminate();
    const figures: Figure[] = [
      {
        scenario,
        figure: 'terminal across servers',
        value: rate,
        unit: 'MB/s',
        note: '8 KiB messages',
      },
      { scenario, figure: 'key and echo across servers p50', value: echo_ms, unit: 'ms' },
      {
        scenario,
        figure: 'RSS growth of both, user not reading',
        value: grown,
        unit: 'MB',
        goal: { most: 64 },
      },
    ];
    return figures;
  });

/** RSS of all servers, MB; 0 where there is no /proc. */
function memoryOf({ members }: Fleet): number {
  if (process.platform !== 'linux') return 0;
  const of = (pid: number) =>
    Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  return members.reduce((sum, { process: running }) => sum + of(running?.child.pid ?? 0), 0);
}

/** What a second server on the same Postgres brings and costs. */
export const servers: Scenario = {
  name: scenario,
  about: 'two servers on one Postgres: reports stored, tasks and terminals across servers',
  run: async () => [...(await storing()), ...(await tasks()), ...(await terminal())],
};
