import { workerData } from 'node:worker_threads';
import type { ThreadData } from './messages.ts';

/** What the main thread sees of a script thread without asking it. */
export interface Signs {
  /** Looks at the clock so far. */
  readonly beats: number;
  /** A script is computing. */
  readonly isInside: boolean;
}

/** Signs of life of one script thread: two numbers in memory that both threads see. */
export class Pulse {
  readonly buffer: SharedArrayBuffer;
  readonly #numbers: Int32Array;

  constructor(buffer = new SharedArrayBuffer(8)) {
    this.buffer = buffer;
    this.#numbers = new Int32Array(buffer);
  }

  /** The engine has looked at the clock: it is not in one of its own loops. */
  beat(): void {
    Atomics.add(this.#numbers, 0, 1);
  }

  enter(): void {
    Atomics.store(this.#numbers, 1, 1);
  }

  leave(): void {
    Atomics.store(this.#numbers, 1, 0);
  }

  read(): Signs {
    const [beats, inside] = [Atomics.load(this.#numbers, 0), Atomics.load(this.#numbers, 1)];
    return { beats, isInside: inside === 1 };
  }
}

/** This thread's own. */
export const pulse = new Pulse((workerData as Partial<ThreadData> | null)?.pulse);
