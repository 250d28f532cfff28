import { type ChildProcess, fork } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { RawJson } from '@svc/plugin-sdk/json';
import type { CallerValue } from '@svc/plugin-sdk/sql';
import { moduleBeside, SerialQueue } from '@svc/plugin-sdk/util';
import type { Answer } from './answer.ts';
import type { ConnectionSettings } from './connection.ts';

/** A statement that runs for longer gets the processor time that everything else leaves, ms. */
const SLOW_MS = 1_000;
const SLOW_PRIORITY = 10;

/** One request, and what ends it. */
export interface AskOptions {
  readonly timeout_ms: number;
  readonly late: () => Error;
  readonly signal?: AbortSignal;
  /** The process is up and nothing waits for this one: its priority falls when it takes long. */
  readonly yields?: boolean;
}

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/** A caller's value on its way to the process: a JSON document is text. */
export const sendable = (value: CallerValue): unknown =>
  value instanceof RawJson ? String(value.text) : value;

/** Starting a process takes milliseconds of the main thread: each starts in a turn of the event loop of its own. */
const starts = new SerialQueue();

/** One process for SQL of callers; it takes one request at a time. */
export class ScriptProcess {
  #child: ChildProcess | undefined;
  readonly #started: Promise<void>;
  /** Resolves when the process is gone. */
  readonly ended: Promise<void>;
  #waiting: Waiting | undefined;
  #next = 1;
  /** Tells whether the process can be used: it has not ended, and is not about to. */
  usable = true;
  /** Tells whether it has answered once. */
  isUp = false;
  /** Tells whether it has a low priority, which only a privileged server could raise again. */
  slowed = false;

  constructor(settings: ConnectionSettings) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    const ended = (error: Error) => {
      this.#fail(error);
      resolve();
    };
    this.#started = starts
      .run(() => setImmediate())
      .then(() => {
        if (!this.usable) return resolve();
        try {
          this.#start(settings, ended);
        } catch (error) {
          ended(error as Error);
        }
      });
  }

  #start(settings: ConnectionSettings, ended: (error: Error) => void): void {
    const module = fileURLToPath(moduleBeside(import.meta.url, './execute-process.ts'));
    const child = fork(module, [JSON.stringify(settings)], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    child.once('exit', () => ended(new Error('the process that ran the statement ended')));
    // A process that could not be started never exits.
    child.on('error', (error) => (child.pid ? this.#fail(error) : ended(error)));
    child.on('message', (answer: Answer) => this.#settle(answer));
    this.#child = child;
  }

  /** The driver's answer. @throws `late()` after `timeout_ms`, the signal's reason when it aborts; the process ends then */
  async ask(request: object, options: AskOptions): Promise<Answer> {
    const { signal, late } = options;
    const slow = options.yields ? setTimeout(() => this.#slowDown(), SLOW_MS) : undefined;
    const abort = () => this.#fail(signal?.reason);
    const timer = setTimeout(() => this.#fail(late()), options.timeout_ms);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await new Promise<Answer>((resolve, reject) => {
        this.#waiting = { resolve, reject };
        const failed = (error: Error | null) => error && this.#fail(error);
        void this.#started.then(() => this.#child?.send({ id: this.#next++, ...request }, failed));
      });
    } finally {
      clearTimeout(timer);
      clearTimeout(slow);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Ends the process, whatever it is doing: an unfinished write is rolled back. */
  async end(): Promise<void> {
    this.usable = false;
    this.#child?.kill('SIGKILL');
    await this.ended;
  }

  #slowDown(): void {
    this.slowed = true;
    const pid = this.#child?.pid;
    // A process or thread that has just ended needs no priority, and a system that refuses one goes on without.
    if (pid !== undefined) lowerPriority(pid).catch(() => undefined);
  }

  #settle(answer: Answer): void {
    if ('ends' in answer) this.usable = false;
    this.#waiting?.resolve(answer);
    this.#waiting = undefined;
  }

  #fail(error: Error): void {
    this.usable = false;
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }
}

/** Lowers the priority of a process: on Linux that of each thread. */
async function lowerPriority(pid: number): Promise<void> {
  const threads = process.platform === 'linux' ? await readdir(`/proc/${pid}/task`) : [pid];
  for (const thread of threads) setPriority(Number(thread), SLOW_PRIORITY);
}
