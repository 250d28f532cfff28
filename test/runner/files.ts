import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

export interface TestFile {
  /** Path relative to the repository. */
  readonly name: string;
  readonly path: string;
  /** From a comment `// watchdog: SECONDS`; default 420 s, several times what any file takes on a machine that does nothing else. */
  readonly watchdog_ms: number;
  /** The file names Postgres somewhere, so a server has to run. */
  readonly needsPostgres: boolean;
}

/** The files named on the command line, else every `*.test.ts` below `test/`, in alphabetical order. */
export function testFiles(root: string, names: readonly string[]): TestFile[] {
  const paths =
    names.length > 0 ? names.map((name) => resolve(name)) : allTests(join(root, 'test'));
  return paths.map((path) => {
    const source = readFileSync(path, 'utf8');
    const seconds = Number(/^\/\/ watchdog: (\d+)$/m.exec(source)?.[1] ?? 420);
    return {
      name: relative(root, path),
      path,
      watchdog_ms: seconds * 1000,
      needsPostgres: /postgres/i.test(source),
    };
  });
}

function allTests(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .sort()
    .map((name) => join(folder, name));
}
