/**
 * Test runner: `node test/run.ts [words…] [options]`, `--help` explains it.
 * A single file, or `--lanes=1`, runs in this process, where a debugger finds it; more run in several processes.
 */
import { enableCompileCache } from 'node:module';
import { resolve } from 'node:path';
import type { TestPostgres } from './postgres.ts';
import { selectFiles, type TestFile } from './runner/files.ts';
import { prepareLane, runFile } from './runner/lane.ts';
import { Lanes } from './runner/lanes.ts';
import { HELP, type Options, parseOptions } from './runner/options.ts';
import { MOST_FLAKY, repeatFailed } from './runner/repeat.ts';
import {
  conclude,
  printDeclared,
  printExpensive,
  printFailures,
  printFlaky,
  printLeftOut,
  totalOf,
} from './runner/report.ts';
import type { FileResult } from './runner/result.ts';
import { NOTHING } from './runner/tally.ts';

const started = performance.now();
const results: FileResult[] = [];
let postgres: TestPostgres | undefined;
let lanes: Lanes | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupted);
let isUnread = false;
process.stdout.on('error', unread);

try {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  const files = selectFiles(process.cwd(), options);
  await run(files, options);
  await end(files, options);
} catch (error) {
  await postgres?.stop();
  process.stdout.write(`${error instanceof Error ? error.message : error}\n`);
  conclude({ ...NOTHING, failed: 1 });
}

async function run(files: readonly TestFile[], options: Options): Promise<void> {
  keepCompiledCode();
  process.env['SVC_TEST_FAST'] = options.fast ? '1' : '';
  process.env['SVC_TEST_PROOF'] = options.proof ? '1' : '';
  if (files.some(({ needsPostgres }) => needsPostgres)) {
    const { startPostgres } = await import('./postgres.ts');
    postgres = await startPostgres();
    process.env['SVC_TEST_POSTGRES_URL'] = postgres.url('postgres');
  }
  const count = Math.min(options.lanes, files.length);
  if (count === 1) {
    prepareLane();
    for (const file of files) results.push(await runFile(file, options.times));
  } else await newLanes(options, results).run(files, count);
}

function newLanes({ times }: Options, into: FileResult[]): Lanes {
  lanes = new Lanes(times ? ['--times'] : [], into);
  return lanes;
}

/** For this process, its threads and all it starts: a server's threads load in half the time. */
function keepCompiledCode(): void {
  // Coverage of kept code is less exact.
  if (process.env['NODE_V8_COVERAGE']) return;
  process.env['NODE_COMPILE_CACHE'] ??= resolve('node_modules/.cache/compiled');
  enableCompileCache(process.env['NODE_COMPILE_CACHE']);
}

async function end(files: readonly TestFile[], options: Options): Promise<void> {
  const { total, flaky } = await repeatFailed(files, results, (into) => newLanes(options, into));
  await postgres?.stop();
  const isFlaky = ({ name }: FileResult) => flaky.some((one) => one.name === name);
  if (options.proof) printDeclared(files, results);
  else printExpensive(results);
  printFlaky(flaky);
  printFailures(results.filter((result) => !isFlaky(result)));
  const seconds = (performance.now() - started) / 1000;
  process.stdout.write(`\ntests took ${seconds.toFixed(1)} s\n`);
  printLeftOut(total, options);
  if (flaky.length > MOST_FLAKY) {
    process.stdout.write(`FAIL run: ${flaky.length} flaky files, ${MOST_FLAKY} at most\n`);
    total.failed++;
  }
  conclude(total);
}

/** Ends the run when nobody reads its output any more, as after `| head`: telling of it would fail again and again. */
async function unread(): Promise<void> {
  if (isUnread) return;
  isUnread = true;
  lanes?.end('SIGTERM');
  await postgres?.stop();
  process.exit(1);
}

/** What has come to a result counts; the run itself has failed. */
async function interrupted(signal: NodeJS.Signals): Promise<void> {
  lanes?.end(signal);
  await postgres?.stop();
  printFailures(results);
  process.stdout.write(`\nFAIL run: interrupted by ${signal}\n`);
  const total = totalOf(results);
  conclude({ ...total, failed: total.failed + 1 });
}
