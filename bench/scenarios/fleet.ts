import { runLoad } from '../clients.ts';
import { startBench } from '../server.ts';
import type { Scenario } from '../types.ts';

const agents = 5000;

/** The probe is reset once the connections are made, and read while the fleet still reports. */
export const fleet: Scenario = {
  name: 'fleet',
  about: '5,000 agents that report a summary every second, on sqlite',
  async run() {
    const bench = await startBench('sqlite');
    const { socketUrl: url, token } = bench;
    const running = runLoad('agentload', {
      url,
      token,
      agents,
      inflight: 4,
      kind: 'summary',
      interval: '1s',
      duration: '25s',
    });
    await pause(10_000);
    const before = await bench.probe('reset');
    await pause(15_000);
    const { rss_mb, delay_p99_ms, delay_max_ms, cpu_ms } = await bench.probe();
    const result = await running;
    await bench.end();
    const rows = await bench.place.read('select count(*) as n from dynamic_monitoring_summary');
    await bench.place.remove();
    const lost = Math.max(0, (result.acked ?? 0) - Number(rows[0]?.['n']));
    const scenario = 'fleet';
    const cpu = ((cpu_ms - before.cpu_ms) / 15_000) * 100;
    return [
      { scenario, figure: 'RSS', value: rss_mb, unit: 'MB', goal: { most: 200 } },
      { scenario, figure: 'lost', value: lost, unit: 'rows', goal: { most: 0 } },
      {
        scenario,
        figure: 'event-loop delay p99',
        value: delay_p99_ms,
        unit: 'ms',
        goal: { most: 30 },
        note: `max ${delay_max_ms.toFixed(0)} ms, ${cpu.toFixed(0)} % of a core, answers p99 ${result.p99_ms.toFixed(0)} ms`,
      },
      { scenario, figure: 'reports', value: result.rate, unit: '/s' },
    ];
  },
};

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
