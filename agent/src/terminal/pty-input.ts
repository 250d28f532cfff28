import { write } from 'node:fs';
import type { Pty } from '@lydell/node-pty';
import type { Clock } from '../clock.ts';
import { inputDescriptor } from '../quirks.ts';

/** Bytes that may wait before the sender is held. */
const HOLD_BYTES = 256 * 1024;
/** Pause between two attempts while the program in the terminal does not read. */
const RETRY_MS = 20;

export interface PtyInputOptions {
  readonly pty: Pty;
  readonly clock: Clock;
  /** Stops reading from the sender (true), or reads on (false). */
  readonly hold: (isHeld: boolean) => void;
}

/**
 * The queue of typed input on its way into the terminal. The package's own `write` keeps any amount and uses up a core
 * while the program does not read. This queue waits 20 ms between attempts and holds the sender beyond 256 KiB.
 */
export class PtyInput {
  readonly #options: PtyInputOptions;
  readonly #queue: Buffer[] = [];
  #bytes = 0;
  #isHeld = false;
  #isBusy = false;
  #isClosed = false;
  #cancel = () => {};

  constructor(options: PtyInputOptions) {
    this.#options = options;
  }

  write(data: Buffer): void {
    if (this.#isClosed || data.length === 0) return;
    this.#queue.push(data);
    this.#bytes += data.length;
    this.#holdIfNeeded();
    if (!this.#isBusy) this.#next();
  }

  /** Writes nothing from now on: the system may give the descriptor's number to another file. */
  close(): void {
    this.#isClosed = true;
    this.#cancel();
    this.#queue.length = 0;
    this.#bytes = 0;
    this.#holdIfNeeded();
  }

  #next(): void {
    const { pty } = this.#options;
    const [data] = this.#queue;
    this.#isBusy = data !== undefined && !this.#isClosed;
    if (!data || this.#isClosed) return;
    const fd = inputDescriptor(pty);
    if (fd === undefined) {
      pty.write(data);
      this.#written(data, data.length);
      return;
    }
    write(fd, data, (error, count) => {
      if (this.#isClosed) return;
      if (!error) this.#written(data, count);
      else if (error.code === 'EAGAIN') this.#retryLater();
      // The shell has ended. The session notices it by `onExit`.
      else this.close();
    });
  }

  #written(data: Buffer, count: number): void {
    this.#bytes -= count;
    if (count < data.length) this.#queue[0] = data.subarray(count);
    else this.#queue.shift();
    this.#holdIfNeeded();
    this.#next();
  }

  #retryLater(): void {
    const { clock } = this.#options;
    this.#cancel = clock.after('terminal input', RETRY_MS, () => this.#next());
  }

  #holdIfNeeded(): void {
    const isHeld = this.#bytes > HOLD_BYTES;
    if (isHeld === this.#isHeld) return;
    this.#isHeld = isHeld;
    this.#options.hold(isHeld);
  }
}
