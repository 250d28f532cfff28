/**
 * The `suite` of the test files. It collects tests and hooks; `run-suites.ts` runs them. Assertions are uvu's:
 * `import * as assert from 'uvu/assert'`.
 */

type Body<T> = (context: T) => unknown;

interface Hook<T> {
  /** Once for the suite. What it throws fails every test of the suite (`before`), or is one more failure (`after`). */
  (hook: Body<T>): void;
  /** Around every test, in the order of their registration; `after.each` also after a test that failed. */
  each(hook: Body<T>): void;
}

/** Registers tests, each a sentence about behaviour. All bodies of a suite share one context. */
export interface Test<T = Record<string, any>> {
  (name: string, body: Body<T>): void;
  /** Of a suite that has such tests, the others are skipped. */
  only(name: string, body: Body<T>): void;
  /** Counts as skipped. */
  skip(name: string, body?: Body<T>): void;
  before: Hook<T>;
  after: Hook<T>;
  /** Hands over what was registered since the last call. Without it the file fails. */
  run(): void;
}

export interface Case<T = any> {
  readonly name: string;
  readonly body: Body<T>;
}

export interface Suite<T = any> {
  readonly name: string;
  readonly context: T;
  readonly tests: Case<T>[];
  readonly only: Case<T>[];
  skipped: number;
  readonly before: Body<T>[];
  readonly after: Body<T>[];
  readonly beforeEach: Body<T>[];
  readonly afterEach: Body<T>[];
}

/** What `collect` is gathering: suites that are to run, and those whose `.run()` is still to come. */
let collected: { readonly ready: Suite[]; readonly waiting: Set<Suite> } | undefined;

/** @throws an error when a suite with tests was left without its `.run()`, or no test was registered at all */
export async function collect(load: () => Promise<unknown>): Promise<Suite[]> {
  const ready: Suite[] = [];
  const waiting = new Set<Suite>();
  collected = { ready, waiting };
  try {
    await load();
  } finally {
    collected = undefined;
  }
  const forgotten = [...waiting].filter((one) => testsOf(one) > 0).map(({ name }) => `'${name}'`);
  if (forgotten.length > 0) throw new Error(`forgotten .run() of ${forgotten.join(', ')}`);
  if (ready.every((one) => testsOf(one) === 0))
    throw new Error(`registered no test (import \`suite\` from ${import.meta.filename})`);
  return ready;
}

const testsOf = ({ tests, only, skipped }: Suite): number => tests.length + only.length + skipped;

/** @throws an error outside of the runner, where nothing would run the tests */
export function suite<T = Record<string, any>>(name = ''): Test<T> {
  const collecting = collected;
  if (!collecting) throw new Error('run test files by the runner: node test/run.ts WORDS');
  let current = begin<T>(name);
  collecting.waiting.add(current);
  const test: Test<T> = (title, body) => current.tests.push({ name: title, body });
  test.only = (title, body) => current.only.push({ name: title, body });
  test.skip = () => {
    current.skipped++;
  };
  const before: Hook<T> = (hook) => current.before.push(hook);
  before.each = (hook) => current.beforeEach.push(hook);
  const after: Hook<T> = (hook) => current.after.push(hook);
  after.each = (hook) => current.afterEach.push(hook);
  test.before = before;
  test.after = after;
  test.run = () => {
    collecting.ready.push(current);
    collecting.waiting.delete(current);
    current = begin(name);
    collecting.waiting.add(current);
  };
  return test;
}

const begin = <T>(name: string): Suite<T> => ({
  name,
  // Hooks fill it in.
  context: {} as T,
  tests: [],
  only: [],
  skipped: 0,
  before: [],
  after: [],
  beforeEach: [],
  afterEach: [],
});
