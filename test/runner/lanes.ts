/**
 * Runs test files in several processes side by side.
 * Each lane asks for one file after the other; what a file prints stays together.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { TestFile } from './files.ts';
import type { FileResult } from './result.ts';
import { NOTHING } from './tally.ts';

/** What a lane says: it is ready for the first file, or its file came to this. */
export type LaneMessage = 'ready' | FileResult;

/** The answer to a lane when no file is left. */
export type NoFile = 'end';

export class Lanes {
  readonly #running = new Set<ChildProcess>();
  readonly #args: readonly string[];
  readonly #results: FileResult[];
  #ended = false;

  /** `args` go to every lane; `results` grows as the files end. */
  constructor(args: readonly string[], results: FileResult[]) {
    this.#args = args;
    this.#results = results;
  }

  /** Runs the files that are to run alone, then all others in `count` lanes. */
  async run(files: readonly TestFile[], count: number): Promise<void> {
    const waiting = files.filter(({ alone }) => !alone);
    await this.#keepRunning(files.filter(({ alone }) => alone));
    await Promise.all(Array.from({ length: count }, () => this.#keepRunning(waiting)));
  }

  /** Ends the lanes; their files do not come to a result. */
  end(signal: NodeJS.Signals): void {
    this.#ended = true;
    for (const child of this.#running) child.kill(signal);
  }

  /** A lane that a file brought down is followed by another one. */
  async #keepRunning(files: TestFile[]): Promise<void> {
    while (files.length > 0 && !this.#ended) await this.#lane(files);
  }

  async #lane(files: TestFile[]): Promise<void> {
    const child = fork(join(import.meta.dirname, 'lane-process.ts'), this.#args, {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#running.add(child);
    const lane = new LaneResults(child, this.#results);
    let file: TestFile | undefined;
    child.on('message', (message: LaneMessage) => {
      if (message !== 'ready') lane.add(message);
      file = this.#ended ? undefined : files.shift();
      child.send(file ?? ('end' satisfies NoFile));
    });
    const status = await new Promise((done) =>
      child.on('close', (code, signal) => done(signal ?? code)),
    );
    this.#running.delete(child);
    if (file !== undefined || status !== 0) lane.broke(file?.name ?? '(runner)', status);
  }
}

/** What a lane prints at the end of a file. */
const END_OF_FILE = /^ {2}\S+\.test\.ts: [\d.]+ s.*\n/m;

/** Keeps together what a file prints, and joins it with what the file came to: the two arrive by different ways. */
class LaneResults {
  readonly #results: FileResult[];
  readonly #counted: Omit<FileResult, 'output'>[] = [];
  readonly #printed: string[] = [];
  #held = '';

  constructor(child: ChildProcess, results: FileResult[]) {
    this.#results = results;
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => this.#print(text));
    child.on('close', () => process.stdout.write(this.#held));
  }

  add(result: FileResult): void {
    this.#counted.push(result);
    this.#join();
  }

  /** The process ended within a file. */
  broke(name: string, status: unknown): void {
    const why = `\n  FAIL the process of ${name} ended (${status}) before its tests\n`;
    process.stdout.write(why);
    const tally = { ...NOTHING, failed: 1 };
    this.#results.push({ name, tally, seconds: 0, cpu_s: 0, output: `${this.#held}${why}` });
  }

  #print(text: string): void {
    this.#held += text;
    for (let end = END_OF_FILE.exec(this.#held); end; end = END_OF_FILE.exec(this.#held)) {
      const length = end.index + end[0].length;
      const output = this.#held.slice(0, length);
      process.stdout.write(output);
      this.#printed.push(output);
      this.#held = this.#held.slice(length);
    }
    this.#join();
  }

  #join(): void {
    for (;;) {
      const [counted] = this.#counted;
      const [output] = this.#printed;
      if (counted === undefined || output === undefined) return;
      this.#results.push({ ...counted, output });
      this.#counted.shift();
      this.#printed.shift();
    }
  }
}
