import { cpuSeconds } from './cpu.ts';
import type { Tally } from './tally.ts';

/** What uvu keeps of one `test.run()`: errors as text (`true`: none), passed, skipped, total. */
type SuiteRun = () => Promise<
  [errors: string | true, passed: number, skips: number, total: number]
>;

declare global {
  var UVU_DEFER: number | undefined;
  var UVU_INDEX: number | undefined;
  var SVC_RUNNER: { timed: typeof timed; chosen: typeof chosen } | undefined;
  var UVU_QUEUE: (null | SuiteRun)[][] | undefined;
}

// uvu collects suites under UVU_INDEX instead of running them on the next tick.
globalThis.UVU_DEFER = 1;
const queue: (null | SuiteRun)[][] = [];
globalThis.UVU_QUEUE = queue;
globalThis.SVC_RUNNER = { timed, chosen };

/** A test or a hook that has run. */
export interface Timed {
  readonly name: string;
  readonly seconds: number;
  readonly cpu_s: number;
}

const timings: Timed[] = [];

/** The slowest tests and hooks since the last call, those that took `least_s` or longer. */
export function takeSlowest(least_s: number): Timed[] {
  return timings
    .splice(0)
    .filter(({ seconds }) => seconds >= least_s)
    .sort((one, other) => other.seconds - one.seconds);
}

async function timed(suite: string, test: string, run: () => unknown): Promise<void> {
  const begun = performance.now();
  const cpu = cpuSeconds();
  try {
    await run();
  } finally {
    const seconds = (performance.now() - begun) / 1000;
    timings.push({ name: `${suite}: ${test}`, seconds, cpu_s: cpuSeconds() - cpu });
  }
}

/** Tests of the file under way, those left out included. */
let registered = 0;

/** Imports one test file and runs its suites in order, counting into `tally` as it goes. */
export async function runSuites(url: string, tally: Tally): Promise<void> {
  const group: (null | SuiteRun)[] = [];
  globalThis.UVU_INDEX = queue.push(group) - 1;
  await import(url);
  registered = 0;
  for (const run of group) {
    if (!run) continue;
    const [errors, passed, skips, tests] = await run();
    registered += skips;
    tally.passed += passed;
    tally.skipped += skips;
    // A hook that threw leaves its suite's remaining tests unrun: they count as failed.
    tally.failed += Math.max(tests - passed, errors === true ? 0 : 1);
    if (errors !== true) process.stdout.write(`\n${errors}\n`);
  }
  if (registered === 0) throw new Error('registered no test (forgotten `.run()`?)');
}

/** What uvu runs of a suite. `--fast` has no Postgres: suites and tests that need one have it in their name. */
function chosen<T extends { readonly name: string }>(suite: string, tests: readonly T[]): T[] {
  registered += tests.length;
  if (process.env['SVC_TEST_FAST'] !== '1') return [...tests];
  return tests.filter(({ name }) => !/postgres/i.test(`${suite} ${name}`));
}
