import { runLoad } from '../clients.ts';
import { startBench } from '../server.ts';
import type { Figure, Scenario } from '../types.ts';

const SECONDS = 15;
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

/** Read once the connections are made, and while the fleet still reports. The delay of the event loop comes last: looking costs. */
export const fleet: Scenario = {
  name: 'fleet',
  about: '1,000 and 5,000 agents that report a summary every second, on sqlite',
  async run() {
    const figures: Figure[] = [];
    for (const size of sizes) figures.push(...(await measure(size)));
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
    duration: `${10 + SECONDS + DELAY_S}s`,
  });
  await pause(10_000);
  const before = await bench.probe();
  await pause(SECONDS * 1000);
  const { rss_mb, cpu_ms } = await bench.probe();
  await bench.probe('reset');
  await pause(DELAY_S * 1000);
  const { delay_p99_ms, delay_max_ms } = await bench.probe();
  const result = await running;
  await bench.end();
  const rows = await bench.place.read('select count(*) as n from dynamic_monitoring_summary');
  await bench.place.remove();
  const lost = Math.max(0, (result.acked ?? 0) - Number(rows[0]?.['n']));
  const cpu = ((cpu_ms - before.cpu_ms) / 1000) * (60 / SECONDS);
  const figure = (name: string, value: number, unit: string, more: Partial<Figure> = {}) => ({
    scenario: 'fleet',
    figure: `${agents} agents: ${name}`,
    value,
    unit,
    ...more,
  });
  return [
    figure('RSS', rss_mb, 'MB', { goal: { most } }),
    figure(
      'processor time a minute',
      cpu,
      's',
      cpu_s_a_minute ? { goal: { most: cpu_s_a_minute } } : {},
    ),
    figure('lost', lost, 'rows', { goal: { most: 0 } }),
    figure('event-loop delay p99', delay_p99_ms, 'ms', {
      goal: { most: 30 },
      note: `max ${delay_max_ms.toFixed(0)} ms, answers p99 ${result.p99_ms.toFixed(0)} ms`,
    }),
    figure('reports', result.rate, '/s'),
  ];
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
