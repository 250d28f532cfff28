/** Which files a run is made of. */
import { readdirSync, readFileSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import type { Options } from './options.ts';

export interface TestFile {
  /** Path relative to the repository. */
  readonly name: string;
  readonly path: string;
  /** Seconds on an idle machine that the file declares for `npm run proof`; `undefined`: it has no part in it. */
  readonly proof_s: number | undefined;
  /** The file has only a long form. */
  readonly proofOnly: boolean;
  /** From a comment `// watchdog: SECONDS`; default 900 s, many times what any file takes on an idle machine. */
  readonly watchdog_ms: number;
  /** From a comment `// alone`: the file measures what others wait, and none runs beside it. */
  readonly alone: boolean;
  /** The file names Postgres somewhere, so a server has to run. */
  readonly needsPostgres: boolean;
  /** Length of its text: a guess at its duration that nobody has to keep. */
  readonly length: number;
}

/** Comments of a file speak for it: `// proof: SECONDS`, `// proof only: SECONDS`, `// watchdog: SECONDS`, `// alone`. */
function describe(root: string, name: string, { fast, proof }: Options): TestFile {
  const path = join(root, name);
  const source = readFileSync(path, 'utf8');
  const [, only, proof_s] = /^\/\/ proof( only)?: (\d+)$/m.exec(source) ?? [];
  const [, watchdog_s = 900] = /^\/\/ watchdog: (\d+)$/m.exec(source) ?? [];
  return {
    name,
    path,
    proof_s: proof_s === undefined ? undefined : Number(proof_s),
    proofOnly: only !== undefined,
    watchdog_ms: Number(watchdog_s) * 1000,
    alone: /^\/\/ alone$/m.test(source),
    // Suites over `oneDialect` do not name it.
    needsPostgres: proof || (!fast && /postgres/i.test(source)),
    length: source.length,
  };
}

/**
 * The files of a run, the longest first, so that no lane ends with a long one alone. A word that only long loops match
 * brings those.
 * @throws an error that lists the files, when a word matches none
 */
export function selectFiles(root: string, options: Options): TestFile[] {
  const all = allTests(root).map((name) => describe(root, name, options));
  const eligible = all.filter((file) => belongs(file, options));
  const words = options.words.map((word) => (isAbsolute(word) ? relative(root, word) : word));
  const files = words.length === 0 ? eligible : words.flatMap((word) => named(word));
  const length = ({ proof_s = 0, length }: TestFile) => (options.proof ? proof_s : length);
  return [...new Set(files)].sort((one, other) => length(other) - length(one));

  function named(word: string): TestFile[] {
    for (const files of options.proof ? [eligible] : [eligible, all]) {
      const found = files.filter(({ name }) => name.includes(word.replace(/^\.\//, '')));
      if (found.length > 0) return found;
    }
    const list = eligible.map(({ name }) => `  ${name}`).join('\n');
    const none = `No test file${options.proof ? ' with a long form' : ''} has '${word}' in its path.`;
    throw new Error(`${none} There are:\n${list}`);
  }
}

const belongs = ({ proof_s, proofOnly }: TestFile, { proof }: Options): boolean =>
  proof ? proof_s !== undefined : !proofOnly;

/** Every `*.test.ts` below `test/`, in alphabetical order. */
function allTests(root: string): string[] {
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .sort()
    .map((name) => join('test', name));
}
