import { end, probe, startBench, startProbed } from '../server.ts';
import type { Scenario } from '../types.ts';

const starts = 5;

/** Later starts on an existing database; the first one also creates the tables. */
export const idle: Scenario = {
  name: 'idle',
  about: 'start until the first answer, and memory 5 s later',
  async run() {
    const bench = await startBench('sqlite');
    await bench.end();
    const times: number[] = [];
    const memory: number[] = [];
    for (let n = 0; n < starts; n++) {
      const server = await startProbed(bench.place);
      times.push(server.startup_ms);
      if (n === 0) {
        await new Promise((done) => setTimeout(done, 5000));
        memory.push((await probe(server.child, 'read')).rss_mb);
      }
      await end(server);
    }
    await bench.place.remove();
    times.sort((a, b) => a - b);
    const scenario = 'idle';
    const note = `median of ${starts}; the first start on no database took ${bench.startup_ms.toFixed(0)} ms`;
    const start = times[Math.floor(starts / 2)] ?? Number.NaN;
    return [
      { scenario, figure: 'start', value: start, unit: 'ms', goal: { most: 700 }, note },
      { scenario, figure: 'RSS', value: memory[0] ?? Number.NaN, unit: 'MB', goal: { most: 90 } },
    ];
  },
};
