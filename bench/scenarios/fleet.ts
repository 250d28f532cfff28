import { runLoad } from '../clients.ts';
import { startBench } from '../server.ts';
import type { Figure, Scenario } from '../types.ts';

/** Measured after the start, in which connections are made and code is compiled. */
const MINUTES = Number(process.env['SVC_BENCH_MINUTES'] ?? 1);
/** One fleet alone, of so many agents; by default all. */
const AGENTS = process.env['SVC_BENCH_AGENTS'];
const START_S = 10;
const DELAY_S = 5;

/** A fleet of this size, and what it may cost. */
interface Size {
  readonly agents: number;
  readonly rss_mb: number;
  /** Of all threads. */
  readonly cpu_s_a_minute?: number;
}

const sizes: readonly Size[] = [
  { agents: 1000, rss_mb: 115, cpu_s_a_minute: 5 },
  { agents: 5000, rss_mb: 200 },
];

/** Read after each minute, while the fleet still reports. The delay of the event loop comes last: looking costs. */
export const fleet: Scenario = {
  name: 'fleet',
  about:
    '1,000 and 5,000 agents that report a summary every second, on sqlite (SVC_BENCH_MINUTES=10 SVC_BENCH_AGENTS=1000: for so long, of so many alone)',
  async run() {
    const figures: Figure[] = [];
    for (const size of sizes)
      if (!AGENTS || Number(AGENTS) === size.agents) figures.push(...(await measure(size)));
    return figures;
  },
};

async function measure({ agents, rss_mb: most, cpu_s_a_minute }: Size): Promise<Figure[]> {
  const bench = await startBench('sqlite');
  const { socketUrl: url, token } = bench;
  const running = runLoad('agentload', {
    url,
    token,
    agents,
    inflight: 4,
    kind: 'summary',
    interval: '1s',
    duration: `${START_S + MINUTES * 60 + DELAY_S}s`,
  });
  await pause(START_S * 1000);
  const looks = [await bench.probe()];
  for (let minute = 0; minute < MINUTES; minute++) {
    await pause(60_000);
    looks.push(await bench.probe());
  }
  const used_s = looks.map(({ cpu_ms }) => cpu_ms / 1000);
  const minutes_s = used_s.slice(1).map((used, minute) => used - (used_s[minute] ?? 0));
  await bench.probe('reset');
  await pause(DELAY_S * 1000);
  const { delay_p99_ms, delay_max_ms } = await bench.probe();
  const result = await running;
  await bench.end();
  const rows = await bench.place.read('select count(*) as n from dynamic_monitoring_summary');
  await bench.place.remove();
  const lost = Math.max(0, (result.acked ?? 0) - Number(rows[0]?.['n']));
  const rss = looks.slice(1).map(({ rss_mb }) => rss_mb);
  const each = (values: readonly number[], digits: number) =>
    values.map((value) => value.toFixed(digits)).join(', ');
  const figure = (name: string, value: number, unit: string, more: Partial<Figure> = {}) => ({
    scenario: 'fleet',
    figure: `${agents} agents: ${name}`,
    value,
    unit,
    ...more,
  });
  return [
    figure('RSS', Math.max(...rss), 'MB', { goal: { most }, note: `by minutes ${each(rss, 0)}` }),
    figure('processor time a minute', minutes_s.reduce((sum, s) => sum + s, 0) / MINUTES, 's', {
      ...(cpu_s_a_minute && { goal: { most: cpu_s_a_minute } }),
      note: `by minutes ${each(minutes_s, 1)}`,
    }),
    figure('lost', lost, 'rows', { goal: { most: 0 } }),
    figure('event-loop delay p99', delay_p99_ms, 'ms', {
      goal: { most: 30 },
      note: `max ${delay_max_ms.toFixed(0)} ms, answers p99 ${result.p99_ms.toFixed(0)} ms`,
    }),
    figure('reports', result.rate, '/s'),
  ];
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
