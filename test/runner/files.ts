/** Which files a run is made of. */
import { readdirSync, readFileSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { FAST_SECONDS, goneFrom, secondsOf, startsPrograms } from './budgets.ts';
import type { Options } from './options.ts';

export interface TestFile {
  /** Path relative to the repository. */
  readonly name: string;
  readonly path: string;
  /** So many seconds it may take on an idle machine, in this kind of run. */
  readonly budget_s: number;
  /** The file has only a long form. */
  readonly proofOnly: boolean;
  /** From a comment `// watchdog: SECONDS`; default 420 s, several times what any file takes on an idle machine. */
  readonly watchdog_ms: number;
  /** From a comment `// alone`: the file measures what others wait, and none runs beside it. */
  readonly alone: boolean;
  /** The file names Postgres somewhere, so a server has to run. */
  readonly needsPostgres: boolean;
}

/** Comments of a file speak for it: `// proof: SECONDS`, `// proof only: SECONDS`, `// watchdog: SECONDS`, `// alone`. */
function describe(root: string, name: string, { proof, fast }: Options): TestFile {
  const path = join(root, name);
  const source = readFileSync(path, 'utf8');
  const [, only, loop_s] = /^\/\/ proof( only)?: (\d+)$/m.exec(source) ?? [];
  const [, watchdog_s = 420] = /^\/\/ watchdog: (\d+)$/m.exec(source) ?? [];
  return {
    name,
    path,
    budget_s: proof ? Number(loop_s ?? 0) : secondsOf(name),
    proofOnly: only !== undefined,
    watchdog_ms: Number(watchdog_s) * 1000,
    alone: /^\/\/ alone$/m.test(source),
    needsPostgres: proof || (!fast && /postgres/i.test(source)),
  };
}

/**
 * The files of a run, the longest first, so that no lane ends with a long one alone.
 * @throws an error that lists the files, when a word matches none, or names a file of the budgets that is gone
 */
export function selectFiles(root: string, options: Options): TestFile[] {
  const names = allTests(root);
  const gone = goneFrom(names);
  if (gone.length > 0)
    throw new Error(`test/runner/budgets.ts names files that are not there: ${gone.join(', ')}`);
  const all = names.map((name) => describe(root, name, options));
  const eligible = all.filter((file) => belongs(file, options));
  const words = options.words.map((word) => (isAbsolute(word) ? relative(root, word) : word));
  for (const word of words) {
    if (eligible.some(({ name }) => matches(name, word))) continue;
    throw new Error(`${unmatched(all, word, options)}\n${list(eligible)}`);
  }
  return eligible
    .filter(({ name }) => words.length === 0 || words.some((word) => matches(name, word)))
    .sort((one, other) => other.budget_s - one.budget_s);
}

function belongs({ name, budget_s, proofOnly }: TestFile, { proof, fast }: Options): boolean {
  if (proof) return budget_s > 0;
  if (fast && (startsPrograms(name) || budget_s > FAST_SECONDS)) return false;
  return !proofOnly;
}

const matches = (name: string, word: string): boolean => name.includes(word.replace(/^\.\//, ''));

function unmatched(all: readonly TestFile[], word: string, { proof, fast }: Options): string {
  const leftOut = all.some(({ name }) => matches(name, word));
  if (leftOut && proof)
    return `'${word}' has no long form (npm test runs it). These files have one:`;
  if (leftOut && fast) return `'${word}' is not part of --fast. These files are:`;
  if (leftOut) return `'${word}' is a part of npm run proof only. npm test has these files:`;
  return `No test file has '${word}' in its path. There are:`;
}

const list = (files: readonly TestFile[]): string =>
  files.map(({ name }) => `  ${name}`).join('\n');

/** Every `*.test.ts` below `test/`, in alphabetical order. */
function allTests(root: string): string[] {
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .sort()
    .map((name) => join('test', name));
}
