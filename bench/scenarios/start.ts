import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { memorySettings } from '../../server/bin/memory.js';
import { startServer } from '../../test/process/server.ts';
import { end, startBench } from '../server.ts';
import type { Figure, Scenario } from '../types.ts';

const STARTS = 7;
/** What the start leaves over is collected in the first calm: three looks of 3 s, the first of them one later. */
const CALM_MS = 15_000;

/** Later starts on an existing database, with every plugin; a Node that does nothing is the yardstick of the same run. */
export const start: Scenario = {
  name: 'start',
  about: 'start until the first answer, and memory 15 s later',
  async run() {
    const bench = await startBench('sqlite');
    await bench.end();
    const times: number[] = [];
    const work: number[] = [];
    let memory = Number.NaN;
    for (let n = 0; n < STARTS; n++) {
      const server = await startServer(bench.place.site, { quiet: true });
      times.push(server.startup_ms);
      work.push(cpu_ms(server.child));
      if (n === STARTS - 1) {
        await pause(CALM_MS);
        memory = rss_mb(server.child);
      }
      await end(server);
    }
    await bench.place.remove();
    const bare = await bareNode();
    const about = `median of ${STARTS}`;
    const first = `the first start, on no database, took ${bench.startup_ms.toFixed(0)} ms`;
    return [
      figure('bare Node: RSS', bare.rss_mb, 'MB'),
      figure('bare Node: start', bare.startup_ms, 'ms'),
      figure('start', median(times), 'ms', { goal: { most: 450 }, note: `${about}; ${first}` }),
      figure('processor time of a start', median(work), 'ms', { note: about }),
      figure('RSS', memory, 'MB', { goal: { most: bare.rss_mb + 45 } }),
    ];
  },
};

const figure = (name: string, value: number, unit: string, more: Partial<Figure> = {}): Figure => ({
  scenario: 'start',
  figure: name,
  value,
  unit,
  ...more,
});

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** With the server's allocator, until it runs code. */
async function bareNode(): Promise<{ rss_mb: number; startup_ms: number }> {
  const begun = performance.now();
  const env = memorySettings(process.env) ?? process.env;
  const idle = "process.stdout.write('.'); setInterval(() => {}, 1e6)";
  const child = spawn(process.execPath, ['-e', idle], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  const startup_ms = performance.now() - begun;
  await pause(1_000);
  const bare = { rss_mb: rss_mb(child), startup_ms };
  child.kill();
  await once(child, 'close');
  return bare;
}

/* From outside: a server that somebody speaks to by a channel does not begin anew with its settings for memory. */

const rss_mb = ({ pid }: ChildProcess): number =>
  (Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096) / 1e6;

/** All threads, in ticks of 10 ms. */
function cpu_ms({ pid }: ChildProcess): number {
  const after = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(after[11]) + Number(after[12])) * 10;
}
