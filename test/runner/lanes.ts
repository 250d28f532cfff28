/**
 * Runs test files in several processes side by side.
 * Each lane asks for one file after the other; what a file prints stays together.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { TestFile } from './files.ts';
import type { FileResult } from './result.ts';

/** What a lane says: it is ready for the first file, or its file came to this. */
export type LaneMessage = 'ready' | FileResult;

/** The answer to a lane when no file is left. */
export type NoFile = 'end';

/** What a lane prints at the end of a file. */
const END_OF_FILE = /^ {2}\S+\.test\.ts: [\d.]+ s.*\n/m;

export class Lanes {
  readonly #results: FileResult[];
  readonly #alone: TestFile[];
  readonly #waiting: TestFile[];
  readonly #running = new Set<ChildProcess>();
  readonly #args: readonly string[];

  /** `args` go to every lane; `results` grows as the files end. */
  constructor(files: readonly TestFile[], args: readonly string[], results: FileResult[]) {
    this.#results = results;
    this.#alone = files.filter(({ alone }) => alone);
    this.#waiting = files.filter(({ alone }) => !alone);
    this.#args = args;
  }

  /** Runs the files that are to run alone, then all others in `count` lanes. */
  async run(count: number): Promise<void> {
    await this.#keepRunning(this.#alone);
    await Promise.all(Array.from({ length: count }, () => this.#keepRunning(this.#waiting)));
  }

  /** Ends the lanes; their files do not come to a result. */
  end(signal: NodeJS.Signals): void {
    for (const files of [this.#alone, this.#waiting]) files.length = 0;
    for (const child of this.#running) child.kill(signal);
  }

  /** A lane that a file brought down is followed by another one. */
  async #keepRunning(files: TestFile[]): Promise<void> {
    while (files.length > 0) await this.#lane(files);
  }

  async #lane(files: TestFile[]): Promise<void> {
    const child = fork(join(import.meta.dirname, 'lane-process.ts'), this.#args, {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#running.add(child);
    keepTogether(child);
    let file: TestFile | undefined;
    child.on('message', (message: LaneMessage) => {
      if (message !== 'ready') this.#results.push(message);
      file = files.shift();
      child.send(file ?? ('end' satisfies NoFile));
    });
    const status = await new Promise((done) =>
      child.on('close', (code, signal) => done(signal ?? code)),
    );
    this.#running.delete(child);
    if (file === undefined && status === 0) return;
    const name = file?.name ?? '(runner)';
    process.stdout.write(`\n  FAIL the process of ${name} ended (${status}) before its tests\n`);
    const tally = { passed: 0, failed: 1, skipped: 0 };
    this.#results.push({ name, tally, seconds: 0, cpu_s: 0 });
  }
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
