/** What the command line of the tests says. */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

export interface Options {
  /** Parts of paths; none: all files. */
  readonly words: readonly string[];
  /** SQLite only, and no file that starts programs. */
  readonly fast: boolean;
  /** The long form of the files that declare one, and no others. */
  readonly proof: boolean;
  /** Prints processor time beside time. */
  readonly times: boolean;
  readonly lanes: number;
  readonly help: boolean;
}

export const HELP = `npm test [-- WORDS… OPTIONS]

  npm test                    all tests, on SQLite and on Postgres
  npm test -- kv token        the files whose path contains "kv" or "token"
  npm test -- --fast          SQLite only, without the files that start programs, databases or real clients, and
                              without those that take longer than 5 s
  npm run proof               the long loops: kills, many servers, large volumes, many random cases
  npm run proof -- crash      one of them

  --times      prints the processor seconds of each file beside its seconds, and those of its slowest tests
  --lanes=N    processes side by side; default: one per processor core (proof: 1)
  --help       this text

One file fails when it registers no test, hangs, leaves a server or a process open, or lets an exception escape.
The seconds that a file may take stand in test/runner/budgets.ts. Files that took longer are listed at the end; on a
busy machine that says nothing, so it is a remark and no failure.
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
  const count = lanes === undefined ? defaultLanes(flags.proof) : Number(lanes);
  if (!Number.isInteger(count) || count < 1)
    throw new Error(`--lanes=${lanes}: give a number from 1`);
  return { words: positionals, lanes: count, ...flags };
}

/** A long loop has the machine to itself: its seconds are declared for that. */
const defaultLanes = (proof: boolean): number => (proof ? 1 : availableParallelism());
