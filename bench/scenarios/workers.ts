import { randomUUID } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import { report, reportMethod } from '../../test/process/reports.ts';
import { type Bench, startBench } from '../server.ts';
import type { Figure, Scenario } from '../types.ts';
import { hasWrk, wrk } from '../wrk.ts';
import { startYardstick } from '../yardstick.ts';

const NAME = 'workers';
const MANY = 500;
/** Limit of the loops, ms. */
const LIMIT_MS = 1_000;
const ROUNDS = 6;
const CONNECTIONS = 16;
const SETTLE_MS = 5_000;

const OK = `export default { onRoute: () => new Response('ok') };`;
/** Bundled scripts of the field have some tens of kilobytes: functions and constants. */
const LARGE = `${Array.from(
  { length: 420 },
  (_, n) =>
    `const part${n} = { name: 'part ${n}', run(input, more = []) { return [...more, input?.value ?? ${n}].map((x) => x * 2); } };`,
)
  .join('\n')
  .slice(0, 45_100)
  .replace(/[^\n]*$/, '')}${OK}`;
/** The engine polls in the first, and never in the second. */
const LOOPS = {
  'busy loop': 'export default { onRoute() { for (;;); } };',
  'native loop':
    'export default { onRoute: () => new Response(String(Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1))) };',
};

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Status of one request, and how long it took, ms. */
function get(url: string): Promise<{ status: number; ms: number }> {
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { agent }, (response) => {
      response.resume();
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, ms: performance.now() - begun });
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}

class Workers {
  readonly bench: Bench;
  readonly url: string;

  constructor(bench: Bench) {
    this.bench = bench;
    this.url = bench.socketUrl.replace('ws', 'http');
  }

  async call(method: string, params: Record<string, unknown>): Promise<any> {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method,
        params: { token: this.bench.token, ...params },
      }),
    });
    const { result, error } = (await response.json()) as any;
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  write(method: 'create' | 'update', name: string, script: string, more = {}): Promise<unknown> {
    const js_script_base64 = Buffer.from(script).toString('base64');
    return this.call(`js-worker_${method}`, { name, js_script_base64, route_name: name, ...more });
  }

  route = (name: string): string => `${this.url}svc/worker-route/${name}`;

  /** The first request of a worker, ms. */
  async first(name: string): Promise<number> {
    const { status, ms } = await get(this.route(name));
    if (status !== 200) throw new Error(`${name} answered ${status}`);
    return ms;
  }
}

/** What scripts cost: throughput of a route, the first call, memory of many, and loops that are stopped. */
export const workers: Scenario = {
  name: NAME,
  about: `script workers: a route over ${CONNECTIONS} connections (wrk), cold calls, ${MANY} workers, endless loops`,
  async run() {
    const idle = await fresh((side) => pause(SETTLE_MS).then(() => rss(side)));
    const figures = [
      ...(await fresh(throughput)),
      ...(await fresh(cold)),
      ...(await fresh((side) => memory(side, idle))),
      ...(await fresh(loops)),
    ];
    agent.destroy();
    return figures;
  },
};

async function fresh<T>(work: (side: Workers) => Promise<T>): Promise<T> {
  const bench = await startBench('sqlite');
  try {
    return await work(new Workers(bench));
  } finally {
    await bench.end();
    await bench.place.remove();
  }
}

const rss = async ({ bench }: Workers): Promise<number> => (await bench.probe()).rss_mb;

async function throughput(side: Workers): Promise<Figure[]> {
  if (!(await hasWrk())) {
    process.stderr.write(`${NAME}: route skipped, wrk is not installed\n`);
    return [];
  }
  await side.write('create', 'ok', OK);
  const bare = await startBare();
  const best = {
    route: await wrk(side.route('ok'), CONNECTIONS),
    bare: await wrk(bare.url, CONNECTIONS),
  };
  for (let turn = 1; turn < 3; turn++) {
    const route = await wrk(side.route('ok'), CONNECTIONS);
    const other = await wrk(bare.url, CONNECTIONS);
    if (route.rate > best.route.rate) best.route = route;
    if (other.rate > best.bare.rate) best.bare = other;
  }
  bare.stop();
  const { route, bare: yard } = best;
  const ratio = `${((100 * route.rate) / yard.rate).toFixed(0)} % of the bare handler`;
  return [
    line('bare handler', yard.rate, '/s', undefined, `yardstick; p99 ${yard.p99_ms} ms`),
    line('route "ok"', route.rate, '/s', { least: 4_000 }, ratio),
    line('route "ok", p99', route.p99_ms, 'ms', { most: 20 }),
  ];
}

/** First calls after create, after update, and of contexts that had to go. */
async function cold(side: Workers): Promise<Figure[]> {
  const times: { [what: string]: number[] } = { created: [], updated: [], small: [] };
  // The first script starts the threads.
  await side.write('create', 'warm', OK);
  await side.first('warm');
  await pause(1_000);
  for (let n = 0; n < 30; n++) {
    await side.write('create', `large-${n}`, LARGE);
    times['created']?.push(await side.first(`large-${n}`));
    await side.write('update', `large-${n}`, `${LARGE}\n`);
    times['updated']?.push(await side.first(`large-${n}`));
  }
  for (let n = 0; n < 100; n++) await side.write('create', `small-${n}`, OK);
  // Only the latest ones are still loaded.
  for (let n = 0; n < 30; n++) {
    times['small']?.push(await side.first(`small-${n}`));
    await pause(30);
  }
  const kb = `${(LARGE.length / 1_000).toFixed(0)} kB`;
  const one = (figure: string, given: number[] = []) =>
    line(
      figure,
      at(given, 0.5),
      'ms',
      { most: 15 },
      `median; p95 ${at(given, 0.95).toFixed(1)} ms`,
    );
  return [
    one(`first call after create, ${kb}`, times['created']),
    one(`first call after update, ${kb}`, times['updated']),
    one('first call of a context that had gone', times['small']),
  ];
}

async function memory(side: Workers, idle: number): Promise<Figure[]> {
  for (let n = 0; n < MANY; n++) await side.write('create', `w${n}`, OK);
  for (let n = 0; n < MANY; n++) await side.first(`w${n}`);
  await pause(SETTLE_MS);
  const { total_workers } = await side.call('js-worker_get_rt_pool', {});
  const more = (await rss(side)) - idle;
  const note = `above ${idle.toFixed(0)} MB without scripts; ${total_workers} contexts stay loaded`;
  return [line(`${MANY} workers called once`, more, 'MB', { most: 100 }, note)];
}

/** Endless loops beside reports, calls and another worker. */
async function loops(side: Workers): Promise<Figure[]> {
  await side.write('create', 'ok', OK);
  for (const [name, script] of Object.entries(LOOPS))
    await side.write('create', name.replace(' ', '-'), script, { max_run_time: LIMIT_MS });
  await side.first('ok');
  await pause(1_000);
  const others = { call: [], report: [], route: [] } as Others;
  const stop = keepBusy(side, others);
  await side.bench.probe('reset');
  const late: { [name: string]: number[] } = {};
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of Object.keys(LOOPS)) {
      const { status, ms } = await get(side.route(name.replace(' ', '-')));
      if (status !== 504) throw new Error(`${name} answered ${status}`);
      late[name] = [...(late[name] ?? []), ms - LIMIT_MS];
    }
  }
  const { delay_p99_ms, delay_max_ms } = await side.bench.probe();
  await stop();
  const seen = Object.entries(others).map(
    ([what, times]) => `${what} ${times.length}, p99 ${at(times, 0.99).toFixed(0)} ms`,
  );
  return [
    ...Object.entries(late).map(([name, times]) =>
      line(`${name} stopped after its limit`, Math.max(...times), 'ms', { most: 50 }, 'the worst'),
    ),
    line('event-loop delay p99 meanwhile', delay_p99_ms, 'ms', { most: 30 }, seen.join('; ')),
    line('event-loop delay max meanwhile', delay_max_ms, 'ms'),
  ];
}

interface Others {
  readonly call: number[];
  readonly report: number[];
  readonly route: number[];
}

/** Calls, reports and requests to another worker, one of each at a time. */
function keepBusy(side: Workers, times: Others): () => Promise<void> {
  let going = true;
  const uuid = randomUUID();
  const forever = async (into: number[], work: () => Promise<unknown>) => {
    while (going) {
      const begun = performance.now();
      await work();
      into.push(performance.now() - begun);
      await pause(5);
    }
  };
  const send = () => side.call(reportMethod.summary, { data: report('summary', uuid, Date.now()) });
  const all = [
    forever(times.call, () => side.call('token_list_all_tokens', {})),
    forever(times.report, send),
    forever(times.route, () => side.first('ok')),
  ];
  return async () => {
    going = false;
    await Promise.all(all);
  };
}

function line(
  figure: string,
  value: number,
  unit: string,
  goal?: Figure['goal'],
  note?: string,
): Figure {
  return { scenario: NAME, figure, value, unit, ...(goal && { goal }), ...(note && { note }) };
}

const at = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * share)] ?? Number.NaN;

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

async function startBare() {
  const { host, stop } = await startYardstick('bytes', '2');
  return { url: `http://${host}/`, stop };
}
