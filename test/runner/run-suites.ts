import { cpuSeconds } from './cpu.ts';
import { failure } from './failure.ts';
import { type Case, collect, type Suite } from './suite.ts';
import type { Tally } from './tally.ts';

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
    const tests = chosen(suite);
    tally.skipped += suite.skipped + (suite.only.length > 0 ? suite.tests.length : 0);
    if (tests.length > 0) await runSuite(suite, tests, tally);
  }
}

/** `--fast` has no Postgres: suites and tests that need one have it in their name. */
function chosen({ name: suite, tests, only }: Suite): readonly Case[] {
  const all = only.length > 0 ? only : tests;
  if (process.env['SVC_TEST_FAST'] !== '1') return all;
  return all.filter(({ name }) => !/postgres/i.test(`${suite} ${name}`));
}

async function runSuite(suite: Suite, tests: readonly Case[], tally: Tally): Promise<void> {
  const { name, context } = suite;
  const failures: string[] = [];
  let passed = 0;
  if (name) process.stdout.write(`${name} `);
  const attempt = async (what: string, run: () => unknown): Promise<boolean> => {
    try {
      await timed(`${name}: ${what}`, run);
      return true;
    } catch (error) {
      failures.push(failure(name, what, error));
      return false;
    }
  };
  const allOf = async (hooks: Suite['before']) => {
    for (const hook of hooks) await hook(context);
  };
  // The tests of a suite whose `before` has thrown cannot run: they have failed.
  const ready = await attempt('(before)', () => allOf(suite.before));
  for (const test of ready ? tests : []) {
    const ok = await attempt(test.name, () => around(test));
    process.stdout.write(ok ? '• ' : '✘ ');
    if (ok) passed++;
  }
  const tidy = await attempt('(after)', () => allOf(suite.after));
  tally.passed += passed;
  tally.failed += tests.length - passed + (tidy ? 0 : 1);
  process.stdout.write(` (${passed} / ${tests.length})\n`);
  if (failures.length > 0) process.stdout.write(`\n${failures.join('\n')}\n`);

  async function around({ body }: Case): Promise<void> {
    try {
      await allOf(suite.beforeEach);
      await body(context);
    } catch (error) {
      await allOf(suite.afterEach).catch((second) => {
        throw new AggregateError([error, second], 'the test failed, and so did what follows it');
      });
      throw error;
    }
    await allOf(suite.afterEach);
  }
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
