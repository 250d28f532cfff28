import type { App } from '@svc/kernel';
import type { Announcement } from './announcement.ts';
import { printError } from './terminal.ts';

/** Signals that come this soon after the first are the same one: npm and a terminal both pass a Ctrl-C on. */
const SAME_MS = 300;

/**
 * Ends the program in order at a signal, with status 0; a second signal ends it at once, with 1. One that comes during the
 * start ends that between two of its steps. Either way what waits in `announcement` is printed.
 */
export class Stopping {
  readonly #signals: readonly string[];
  readonly #announcement: Announcement | undefined;
  readonly #early = new AbortController();
  readonly #listener = (signal: string) => this.#stop(signal);
  #app: App | undefined;
  #since: number | undefined;

  constructor(signals: readonly string[], announcement: Announcement | undefined) {
    this.#signals = signals;
    this.#announcement = announcement;
    for (const signal of signals) process.on(signal, this.#listener);
  }

  /** Aborted by a signal that comes before `runs`: for the start. */
  get early(): AbortSignal {
    return this.#early.signal;
  }

  /** The server listens: from now on a signal stops it. A start that is to end already undoes this itself. */
  runs(app: App): void {
    if (!this.#early.signal.aborted) this.#app = app;
  }

  /** Handles a start that has failed: one that a signal has ended is no failure. */
  readonly failed = (error: unknown): never => {
    if (this.#early.signal.aborted) process.exit(0);
    throw error;
  };

  /** Signals do again what they did before. */
  forget(): void {
    for (const signal of this.#signals) process.off(signal, this.#listener);
  }

  #stop(signal: string): void {
    if (this.#since !== undefined && performance.now() - this.#since < SAME_MS) return;
    if (this.#since !== undefined) {
      this.#announcement?.flush();
      process.exit(1);
    }
    this.#since = performance.now();
    if (this.#app) this.#end(this.#app, signal);
    else this.#early.abort(signal);
  }

  #end(app: App, signal: string): void {
    app.stop(signal).then(
      () => process.exit(0),
      (error) => {
        printError(`stop failed: ${error instanceof Error ? error.stack : error}`);
        process.exit(1);
      },
    );
  }
}
