import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { report, reportMethod, reportTable } from '../../test/process/reports.ts';
import { type LoadResult, runHttpLoad, runLoad } from '../clients.ts';
import { rawInsert } from '../raw-insert.ts';
import { type Bench, startBench } from '../server.ts';
import { between, type ThreadTimes, threadTimes } from '../threads.ts';
import type { Dialect, Figure, Scenario } from '../types.ts';
import { startYardstick } from '../yardstick.ts';

const NAME = 'cost';
const SECONDS = Number(process.env['SVC_BENCH_SECONDS'] ?? 6);
/** Code of a fresh process is interpreted and compiled at first. */
const WARM_S = 2;
/** Names of parts to measure alone, such as `route` or `multi-last`; all by default. */
const PARTS = process.env['SVC_BENCH_COST']?.split(',');

type Kind = 'summary' | 'dynamic';
type Load = (seconds: number) => Promise<LoadResult>;

interface Cost extends LoadResult {
  /** Processor time of a call, µs, by threads. */
  readonly threads: ThreadTimes;
  readonly cpu_us: number;
}

/** Rates on shared processors mislead, so each call is told by the processor time of the server. */
export const cost: Scenario = {
  name: NAME,
  about: 'server CPU of a call: reports, newest reports, a route, hello (SVC_BENCH_COST=part,…)',
  async run() {
    if (process.platform !== 'linux') return [];
    const figures: Figure[] = [];
    for (const [part, measure] of Object.entries(parts)) {
      if (PARTS && !PARTS.includes(part)) continue;
      figures.push(...(await measure()));
    }
    return figures;
  },
};

const parts: { readonly [part: string]: () => Promise<Figure[]> } = {
  echo: echoes,
  'summary-sqlite': () => reports('summary', 'sqlite'),
  'summary-postgres': () => reports('summary', 'postgres'),
  'dynamic-sqlite': () => reports('dynamic', 'sqlite'),
  'dynamic-postgres': () => reports('dynamic', 'postgres'),
  'multi-last': () => fresh('sqlite', newest),
  hello: () => fresh('sqlite', hello),
  route: () => fresh('sqlite', route),
};

async function fresh<T>(dialect: Dialect, work: (bench: Bench) => Promise<T>): Promise<T> {
  const bench = await startBench(dialect);
  try {
    return await work(bench);
  } finally {
    await bench.end();
    await bench.place.remove();
  }
}

/** The second run counts, the first one warms up. */
async function measure(pid: number, load: Load): Promise<Cost> {
  await load(WARM_S);
  const before = threadTimes(pid);
  const result = await load(SECONDS);
  const after = threadTimes(pid);
  if (!before || !after) throw new Error('the system does not tell the times of threads');
  const calls = result.acked ?? result.ok ?? 1;
  const all = between(before, after);
  const us = (ms: number) => (ms * 1000) / calls;
  const { main, writer, scripts, other } = all;
  return {
    ...result,
    threads: { main: us(main), writer: us(writer), scripts: us(scripts), other: us(other) },
    cpu_us: us(main + writer + scripts + other),
  };
}

const agents = (url: string, token: string, kind: Kind): Load => {
  const options = { url, token, kind, agents: 100, inflight: 4, cores: 8 };
  return (seconds) => runLoad('agentload', { ...options, duration: `${seconds}s` });
};

const calls = (url: string, method: string, params: string, conns: number, inflight = 4): Load => {
  const options = { url, method, params, conns, inflight };
  return (seconds) => runLoad('rpcload', { ...options, duration: `${seconds}s` });
};

async function echoes(): Promise<Figure[]> {
  const echo = await startYardstick('parse-echo');
  const url = `ws://${echo.host}/`;
  const note = 'yardstick: ws, JSON.parse, a short answer';
  const figures = [
    total('echo of a summary', await measure(echo.pid, agents(url, 'x:y', 'summary')), { note }),
    total('echo of a dynamic report', await measure(echo.pid, agents(url, 'x:y', 'dynamic')), {
      note,
    }),
  ];
  echo.stop();
  return figures;
}

/** The goals, µs. */
const most = {
  'summary sqlite': { main: 22, writer: 8 },
  'summary postgres': { total: 28 },
  'dynamic sqlite': { total: 80 },
  'dynamic postgres': { total: 80 },
} as { readonly [what: string]: { readonly [part: string]: number } };

async function reports(kind: Kind, dialect: Dialect): Promise<Figure[]> {
  const bench = await startBench(dialect);
  const cost = await measure(bench.pid, agents(bench.socketUrl, bench.token, kind));
  const { rss_mb } = await bench.probe();
  await bench.end();
  const what = `${kind} ${dialect}`;
  const goals = most[what] ?? {};
  const { main, writer, other } = cost.threads;
  const figures = [
    total(what, cost, { note: `${times(cost)}, ${rss_mb.toFixed(0)} MB`, most: goals['total'] }),
    figure(`${what}, main thread`, main, goals['main']),
    ...(dialect === 'sqlite' ? [figure(`${what}, writer`, writer, goals['writer'])] : []),
    figure(`${what}, other threads`, other),
  ];
  if (dialect === 'sqlite') {
    const { rate, cpu_us } = rawInsert(join(bench.place.site.dir, 'svc.db'), reportTable[kind]);
    const note = `yardstick: prepared, 500 rows a transaction; ${rate.toFixed(0)}/s`;
    figures.push(figure(`${what}, raw insert`, cpu_us, undefined, note));
  }
  await bench.place.remove();
  return figures;
}

const SEVEN =
  'cpu_usage,used_memory,total_memory,load_one,uptime,receive_speed,transmit_speed'.split(',');

/** While nothing is reported: every answer is made of what is known already. */
async function newest({ socketUrl, token, pid }: Bench): Promise<Figure[]> {
  const uuids = Array.from({ length: 1000 }, () => randomUUID());
  for (const uuid of uuids) {
    await post(socketUrl, reportMethod.summary, {
      token,
      data: report('summary', uuid, Date.now()),
    });
  }
  const figures: Figure[] = [];
  for (const [count, inflight, p99] of [
    [100, 4, undefined],
    [1000, 1, 8],
  ] as const) {
    const params = JSON.stringify({ token, uuids: uuids.slice(0, count), fields: SEVEN });
    const method = 'agent_dynamic_summary_multi_last_query';
    const cost = await measure(pid, calls(socketUrl, method, params, 4, inflight));
    const what = `multi-last of ${count}`;
    figures.push(total(what, cost, { note: times(cost) }));
    figures.push({ ...figure(`${what}, p99`, cost.p99_ms, p99), unit: 'ms' });
  }
  return figures;
}

async function hello({ socketUrl, pid }: Bench): Promise<Figure[]> {
  const cost = await measure(pid, calls(socketUrl, 'svc-server_hello', '[]', 16));
  return [total('hello', cost, { note: times(cost) })];
}

async function route({ socketUrl, token, pid }: Bench): Promise<Figure[]> {
  const bare = await startYardstick('bytes', '2');
  const yard = await measure(bare.pid, (seconds) =>
    runHttpLoad(`http://${bare.host}/`, 16, seconds),
  );
  bare.stop();
  const script = `export default { onRoute: () => new Response('ok') };`;
  const js_script_base64 = Buffer.from(script).toString('base64');
  const named = { token, name: 'ok', route_name: 'ok' };
  await post(socketUrl, 'js-worker_create', { ...named, js_script_base64 });
  const url = `${socketUrl.replace('ws', 'http')}svc/worker-route/ok`;
  const cost = await measure(pid, (seconds) => runHttpLoad(url, 16, seconds));
  return [
    total('bare handler', yard, { note: `yardstick; ${times(yard)}` }),
    total('route "ok"', cost, { note: times(cost) }),
    figure('route "ok", main thread', cost.threads.main),
    figure('route "ok", thread of the script', cost.threads.scripts),
    { ...figure('route "ok", rate', cost.rate), unit: '/s' },
    { ...figure('route "ok", p99', cost.p99_ms, 15), unit: 'ms' },
  ];
}

async function post(socketUrl: string, method: string, params: object): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json' };
  const url = socketUrl.replace('ws', 'http');
  const response = await fetch(url, { method: 'POST', headers, body });
  const { error } = (await response.json()) as { error?: { message: string } };
  if (error) throw new Error(`${method}: ${error.message}`);
}

const times = ({ rate, p50_ms, p99_ms }: Cost): string =>
  `${rate.toFixed(0)}/s, p50 ${p50_ms.toFixed(1)} ms, p99 ${p99_ms.toFixed(1)} ms`;

const total = (
  what: string,
  { cpu_us }: Cost,
  { note, most }: { readonly note?: string; readonly most?: number | undefined } = {},
): Figure => figure(what, cpu_us, most, note);

function figure(what: string, value: number, most?: number, note?: string): Figure {
  return {
    ...{ scenario: NAME, figure: what, value, unit: 'µs' },
    ...(most !== undefined && { goal: { most } }),
    ...(note && { note }),
  };
}
