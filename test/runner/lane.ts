/** Runs test files one after the other in this process. */
import { pathToFileURL } from 'node:url';
import { cpuSeconds } from './cpu.ts';
import type { TestFile } from './files.ts';
import { leakedSince, openResources } from './leaks.ts';
import type { FileResult } from './result.ts';
import { runSuites, takeSlowest } from './run-suites.ts';
import { NOTHING, type Tally } from './tally.ts';

let current: { name: string; tally: Tally } | undefined;

/** Makes this process ready for test files: counts every exception that escapes as a failure of the file. */
export function prepareLane(): void {
  process.on('unhandledRejection', (reason) => escaped('unhandled rejection', reason));
  process.on('uncaughtException', (error) => escaped('uncaught exception', error));
}

/** Runs one file and prints what it prints; the last line is `  NAME: N s`. */
export async function runFile(file: TestFile, times: boolean): Promise<FileResult> {
  const tally = { ...NOTHING };
  current = { name: file.name, tally };
  process.stdout.write(`\n${file.name}\n`);
  const begun = performance.now();
  const cpu = cpuSeconds();
  try {
    const before = openResources();
    await withWatchdog(runSuites(pathToFileURL(file.path).href, tally), file.watchdog_ms);
    const leaked = await leakedSince(before);
    if (leaked.length > 0) throw new Error(`left open: ${leaked.join(', ')}`);
  } catch (error) {
    escaped('file', error);
  }
  const seconds = (performance.now() - begun) / 1000;
  const cpu_s = cpuSeconds() - cpu;
  if (times) printSlowest();
  const beside = times ? ` (processor: ${cpu_s.toFixed(1)} s)` : '';
  process.stdout.write(`  ${file.name}: ${seconds.toFixed(1)} s${beside}\n`);
  return { name: file.name, tally, seconds, cpu_s, output: '' };
}

function printSlowest(): void {
  for (const { name, seconds, cpu_s } of takeSlowest(0.3).slice(0, 12)) {
    const numbers = `${seconds.toFixed(2).padStart(8)} s${cpu_s.toFixed(2).padStart(8)} s`;
    process.stdout.write(`${numbers}  ${name}\n`);
  }
}

/** What `work` rejects with after the deadline reaches the listener for unhandled rejections. */
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

function escaped(what: string, error: unknown): void {
  const name = current?.name ?? '(runner)';
  if (current) current.tally.failed++;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stdout.write(`\n  FAIL ${what} in ${name}\n    ${text}\n`);
  // Outside of a file this is an error of the runner itself.
  if (!current) process.exit(1);
}
