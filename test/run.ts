/**
 * Test runner over uvu: `node test/run.ts [files…]`.
 * The files run one after the other; `npm test` has all of them run in two such processes (lanes.ts). A file fails when
 * it registers no test, passes its watchdog, leaves a server or a process behind, or lets an exception or a rejection escape.
 */
import { once } from 'node:events';
import { register } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { LaneMessage } from './lanes.ts';
import type { TestPostgres } from './postgres.ts';
import { type TestFile, testFiles } from './runner/files.ts';
import { leakedSince, openResources } from './runner/leaks.ts';
import { runSuites } from './runner/suite.ts';
import { type Tally, tallyLine } from './runner/tally.ts';

register('./runner/uvu-hook.mjs', import.meta.url);

const total: Tally = { passed: 0, failed: 0, skipped: 0 };
const failures: string[] = [];
let current: { name: string; tally: Tally } = { name: '(runner)', tally: total };
let postgres: TestPostgres | undefined;

process.on('unhandledRejection', (reason) => escaped('unhandled rejection', reason));
process.on('uncaughtException', (error) => escaped('uncaught exception', error));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupted);

const started = Date.now();
const isLane = process.argv[2] === '--lane';
if (isLane) {
  for (let path = await handed(); path !== ''; path = await handed())
    for (const file of testFiles(process.cwd(), [path])) await runFile(file);
} else for (const file of testFiles(process.cwd(), process.argv.slice(2))) await runFile(file);
await postgres?.stop();
await report();

/** The next file of this lane; empty: none is left. */
async function handed(): Promise<string> {
  const answer = once(process, 'message');
  process.send?.('next' satisfies LaneMessage);
  const [path] = await answer;
  return path;
}

async function runFile(file: TestFile): Promise<void> {
  const tally: Tally = { passed: 0, failed: 0, skipped: 0 };
  current = { name: file.name, tally };
  process.stdout.write(`\n${file.name}\n`);
  const begun = Date.now();
  try {
    if (file.needsPostgres) await ensurePostgres();
    const before = openResources();
    await withWatchdog(runSuites(pathToFileURL(file.path).href, tally), file.watchdog_ms);
    const leaked = await leakedSince(before);
    if (leaked.length > 0) throw new Error(`left open: ${leaked.join(', ')}`);
  } catch (error) {
    escaped('file', error);
  }
  process.stdout.write(`  ${file.name}: ${((Date.now() - begun) / 1000).toFixed(1)} s\n`);
  if (tally.failed > 0) failures.push(`${file.name}: ${tally.failed} failed`);
  total.passed += tally.passed;
  total.failed += tally.failed;
  total.skipped += tally.skipped;
}

/** A rejection after the deadline belongs to nobody: it is taken by the `unhandledRejection` listener. */
async function withWatchdog(work: Promise<void>, limit_ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    const late = () => reject(new Error(`watchdog: still running after ${limit_ms / 1000} s`));
    timer = setTimeout(late, limit_ms);
  });
  try {
    await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

async function ensurePostgres(): Promise<void> {
  if (postgres) return;
  const { startPostgres } = await import('./postgres.ts');
  postgres = await startPostgres();
  process.env['SVC_TEST_POSTGRES_URL'] = postgres.url('postgres');
}

function escaped(what: string, error: unknown): void {
  current.tally.failed++;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stdout.write(`\n  FAIL ${what} in ${current.name}\n    ${text}\n`);
}

async function interrupted(signal: string): Promise<void> {
  escaped('run', `interrupted by ${signal}`);
  await postgres?.stop();
  process.exit(1);
}

async function report(): Promise<void> {
  const open = await leakedSince(new Map(), 500);
  if (open.length > 0) {
    const kinds = [...openResources()].map(([kind, count]) => `${kind} ${count}`);
    process.stdout.write(`\nopen handles: ${kinds.join(', ')}\n`);
  }
  if (isLane) {
    process.send?.({ total, failures } satisfies LaneMessage, undefined, undefined, () =>
      process.exit(),
    );
    return;
  }
  for (const failure of failures) process.stdout.write(`\nFAIL ${failure}`);
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  process.stdout.write(`\ntests took ${seconds} s\n`);
  process.stdout.write(`${tallyLine(total)}\n`, () =>
    process.exit(total.failed > 0 || total.passed === 0 ? 1 : 0),
  );
}
