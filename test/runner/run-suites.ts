import { cpuSeconds } from './cpu.ts';
import { failure } from './failure.ts';
import { type Case, collect, type Suite } from './suite.ts';
import type { Tally } from './tally.ts';
import { lacksPostgres } from './without-postgres.ts';

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

/** Imports one test file and runs its suites in order, counting into `tally` as it goes. */
export async function runSuites(url: string, tally: Tally): Promise<void> {
  for (const suite of await collect(() => import(url))) {
    const tests = suite.only.length > 0 ? suite.only : suite.tests;
    tally.skipped += suite.skipped + (suite.only.length > 0 ? suite.tests.length : 0);
    if (tests.length > 0) await runSuite(suite, tests, tally);
  }
}

type Outcome = 'passed' | 'failed' | 'left out';

async function runSuite(suite: Suite, tests: readonly Case[], tally: Tally): Promise<void> {
  const { name, context } = suite;
  const failures: string[] = [];
  const outcomes: Outcome[] = [];
  const attempt = async (what: string, run: () => unknown): Promise<Outcome> => {
    try {
      await timed(`${name}: ${what}`, run);
      return 'passed';
    } catch (error) {
      if (lacksPostgres(error)) return 'left out';
      failures.push(failure(name, what, error));
      return 'failed';
    }
  };
  if (name) process.stdout.write(`${name} `);
  // Where `before` has thrown, the tests cannot run: they share its outcome.
  const ready = await attempt('(before)', () => allOf(suite.before, context));
  for (const test of tests) {
    const outcome =
      ready === 'passed' ? await attempt(test.name, () => around(suite, test)) : ready;
    outcomes.push(outcome);
    process.stdout.write({ passed: '• ', failed: '✘ ', 'left out': '- ' }[outcome]);
  }
  const tidy = await attempt('(after)', () => allOf(suite.after, context));
  // What `before` has not made, `after` cannot end.
  if (tidy === 'failed' && ready === 'left out') failures.pop();
  else if (tidy === 'failed') tally.failed++;
  const count = (wanted: Outcome) => outcomes.filter((outcome) => outcome === wanted).length;
  tally.passed += count('passed');
  tally.failed += count('failed');
  tally.leftOut += count('left out');
  process.stdout.write(` (${count('passed')} / ${tests.length})\n`);
  if (failures.length > 0) process.stdout.write(`\n${failures.join('\n')}\n`);
}

async function around(suite: Suite, { body }: Case): Promise<void> {
  const { context, beforeEach, afterEach } = suite;
  try {
    await allOf(beforeEach, context);
    await body(context);
  } catch (error) {
    await allOf(afterEach, context).catch((second) => {
      // What did not begin cannot be ended.
      if (lacksPostgres(error)) return;
      throw new AggregateError([error, second], 'the test failed, and so did what follows it');
    });
    throw error;
  }
  await allOf(afterEach, context);
}

async function allOf(hooks: Suite['before'], context: unknown): Promise<void> {
  for (const hook of hooks) await hook(context);
}

async function timed(name: string, run: () => unknown): Promise<void> {
  const begun = performance.now();
  const cpu = cpuSeconds();
  try {
    await run();
  } finally {
    const seconds = (performance.now() - begun) / 1000;
    timings.push({ name, seconds, cpu_s: cpuSeconds() - cpu });
  }
}
