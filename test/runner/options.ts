/** What the command line of the tests says. */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

export interface Options {
  /** Parts of paths; none: all files. */
  readonly words: readonly string[];
  /** Without Postgres. */
  readonly fast: boolean;
  /** The long form of the files that declare one, and no others. */
  readonly proof: boolean;
  /** Prints processor time beside time. */
  readonly times: boolean;
  readonly lanes: number;
  readonly help: boolean;
}

export const HELP = `npm test [-- WORDS… OPTIONS]

  npm test                    the tests of every change, on SQLite and on Postgres
  npm test -- kv token        the files whose path contains "kv" or "token"
  npm test -- --fast          without a build and without the tests that need Postgres
  npm run proof               what a change does not need each time: browsers, proxies, packages, systemd, and the
                              long loops (kills, many servers, large volumes, many random cases)
  npm run proof -- crash      one of them

  --times      prints the processor seconds of each file beside its seconds, and those of its slowest tests
  --lanes=N    processes side by side; default: one more than there are processor cores
  --help       this text

A file fails when it registers no test, hangs, leaves a server or a process open, or lets an exception escape.
What failed is run once more, alone. A file that passes then is flaky: it is listed with what it printed both times, and
more than two of them fail the run.
Files that use more than 10 s of the processor are listed at the end: a remark and no failure.
SVC_TEST_LOG=1 shows the log of the servers under test. PGHOST names a running Postgres to use instead of an own one.
The last line is "N passed, N failed[, N skipped]".
`;

/** @throws an error that names the option, when there is none of this name */
export function parseOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      fast: { type: 'boolean', default: false },
      proof: { type: 'boolean', default: false },
      times: { type: 'boolean', default: false },
      lanes: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const { lanes, ...flags } = values;
  // One more than there are cores: many tests wait for a time limit, or for Postgres.
  const count = lanes === undefined ? availableParallelism() + 1 : Number(lanes);
  if (!Number.isInteger(count) || count < 1)
    throw new Error(`--lanes=${lanes}: give a number from 1`);
  return { words: positionals, lanes: count, ...flags };
}
