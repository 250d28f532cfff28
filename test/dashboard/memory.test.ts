// proof only: 90
/**
 * The fleet page under tenfold traffic: what it holds does not grow. `SVC_MEMORY_S` sets for how long, seconds:
 * `SVC_MEMORY_S=600 node test/run.ts --proof --lanes=1 dashboard/memory`.
 */

import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { missing, startKit } from './kit.ts';

const MACHINES = 100;
/** Machines report once a second; these report ten times. */
const PERIOD_MS = 100;
const WARM_MS = 20_000;
const MEASURED_MS = 1_000 * Number(process.env['SVC_MEMORY_S'] ?? 40);
const MOST_GROWTH = 5 * 1024 * 1024;

const suiteOf = suite('dashboard memory');
const test = missing ? suiteOf.skip : suiteOf;
if (missing) process.stdout.write(`  skipped: ${missing}\n`);

test('tenfold traffic leaves at most 5 MB behind', async () => {
  const kit = await startKit({ machines: MACHINES });
  let round = 0;
  const beat = setInterval(() => {
    round++;
    for (const [at, machine] of kit.machines.entries())
      void machine.report({ cpu_usage: 100 + ((at * 37 + round * 11) % 400) });
  }, PERIOD_MS);
  try {
    const { page, context, problems } = await kit.open();
    await page.locator('.fleet-card').first().waitFor();
    const debuggerOf = await context.newCDPSession(page);
    const held = async () => {
      await debuggerOf.send('HeapProfiler.collectGarbage');
      return (await debuggerOf.send('Runtime.getHeapUsage')).usedSize;
    };
    await page.waitForTimeout(WARM_MS);
    const before = await held();
    await page.waitForTimeout(MEASURED_MS);
    const grown = (await held()) - before;
    process.stdout.write(
      `  grown by ${Math.round(grown / 1024)} kB from ${Math.round(before / 1024)} kB\n`,
    );
    assert.ok(grown <= MOST_GROWTH, `${grown} bytes`);
    assert.equal(problems, []);
  } finally {
    clearInterval(beat);
    await kit.stop();
  }
});

suiteOf.run();
