import { cpuSeconds } from './cpu.ts';
import type { Tally } from './tally.ts';

/** What uvu keeps of one `test.run()`: errors as text (`true`: none), passed, skipped, total. `suiteName` comes from uvu-hook.ts. */
type SuiteRun = {
  (): Promise<[errors: string | true, passed: number, skips: number, total: number]>;
  readonly suiteName: string;
};

declare global {
  var UVU_DEFER: number | undefined;
  var UVU_INDEX: number | undefined;
  var SVC_TIMED: typeof timed | undefined;
  var UVU_QUEUE: (null | SuiteRun)[][] | undefined;
}

// uvu collects suites under UVU_INDEX instead of running them on the next tick.
globalThis.UVU_DEFER = 1;
const queue: (null | SuiteRun)[][] = [];
globalThis.UVU_QUEUE = queue;
globalThis.SVC_TIMED = timed;

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

/** Imports one test file and runs its suites in order, counting into `tally` as it goes. */
export async function runSuites(url: string, tally: Tally): Promise<void> {
  const group: (null | SuiteRun)[] = [];
  globalThis.UVU_INDEX = queue.push(group) - 1;
  await import(url);
  let registered = 0;
  for (const run of group) {
    if (!run) continue;
    if (isLeftOut(run.suiteName)) {
      registered++;
      continue;
    }
    const [errors, passed, skips, tests] = await run();
    registered += tests + skips;
    tally.passed += passed;
    tally.skipped += skips;
    // A hook that threw leaves its suite's remaining tests unrun: they count as failed.
    tally.failed += Math.max(tests - passed, errors === true ? 0 : 1);
    if (errors !== true) process.stdout.write(`\n${errors}\n`);
  }
  if (registered === 0) throw new Error('registered no test (forgotten `.run()`?)');
}

/** `npm test -- --fast` has no Postgres: suites that need one say so in their name, as `… (postgres)`. */
const isLeftOut = (suiteName: string): boolean =>
  process.env['SVC_TEST_FAST'] === '1' && /postgres/i.test(suiteName);
