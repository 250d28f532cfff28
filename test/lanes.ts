/**
 * All test files in two processes: `node test/lanes.ts`. Much of a test is waiting, for
 * a database, a deadline, a process. Each lane is `run.ts --lane`, asks for one file after the other and prints as
 * always; what a file printed stays together.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { testFiles } from './runner/files.ts';
import { sum, type Tally, tallyLine } from './runner/tally.ts';

const LANES = 2;
/** What a lane prints at the end of a file. */
const END_OF_FILE = /^ {2}\S+\.test\.ts: [\d.]+ s\n/m;

/** What a lane says: give me a file, or what became of all of mine. */
export type LaneMessage = 'next' | { readonly total: Tally; readonly failures: readonly string[] };

const started = Date.now();
const files = testFiles(process.cwd(), []).map(({ path }) => path);
const running = new Set<ChildProcess>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    files.length = 0;
    for (const child of running) child.kill(signal);
  });
}
const results = await Promise.all(Array.from({ length: LANES }, lane));

for (const { failures } of results) {
  for (const failure of failures) process.stdout.write(`\nFAIL ${failure}`);
}
const total = results.map((result) => result.total).reduce(sum);
process.stdout.write(`\ntests took ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
process.stdout.write(`${tallyLine(total)}\n`, () =>
  process.exit(total.failed > 0 || total.passed === 0 ? 1 : 0),
);

async function lane(): Promise<Exclude<LaneMessage, 'next'>> {
  const args = [...process.execArgv, join(import.meta.dirname, 'run.ts'), '--lane'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  running.add(child);
  let result: Exclude<LaneMessage, 'next'> | undefined;
  child.on('message', (message: LaneMessage) => {
    if (message === 'next') child.send(files.shift() ?? '');
    else result = message;
  });
  keepTogether(child);
  const status = await new Promise((done) => child.on('close', done));
  running.delete(child);
  return (
    result ?? {
      total: { passed: 0, failed: 1, skipped: 0 },
      failures: [`a lane ended with ${status} before its tests`],
    }
  );
}

function keepTogether(child: ChildProcess): void {
  let held = '';
  const print = (text: string) => process.stdout.write(text);
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      held += text;
      for (let end = END_OF_FILE.exec(held); end; end = END_OF_FILE.exec(held)) {
        const length = end.index + end[0].length;
        print(held.slice(0, length));
        held = held.slice(length);
      }
    });
  }
  child.on('close', () => print(held));
}
