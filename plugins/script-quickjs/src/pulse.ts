import { workerData } from 'node:worker_threads';
import type { ThreadData } from './messages.ts';

/** Signs of life that the main thread sees of a script thread without asking it. */
export interface Signs {
  /** Looks at the clock so far. */
  readonly beats: number;
  /** A script is computing. */
  readonly isInside: boolean;
  /** Time since the run began, ms; undefined: it has not. */
  readonly age: number | undefined;
}

/** More than runs wait in a thread. */
const OFFERS = 16;
const HEAD_BYTES = 24;

/** Signs of life of one script thread: a few numbers in memory that both threads see. */
export class Pulse {
  readonly buffer: SharedArrayBuffer;
  /** Beats, whether a script is computing, the run that began last. */
  readonly #numbers: Int32Array;
  /** Begin of that run; ns of the machine's clock, which is the same for all threads. */
  readonly #begun: BigInt64Array;
  /** Numbers of runs that wait in the thread and that no one has claimed. */
  readonly #offers: Int32Array;

  constructor(buffer = new SharedArrayBuffer(HEAD_BYTES + 4 * OFFERS)) {
    this.buffer = buffer;
    this.#numbers = new Int32Array(buffer, 0, 3);
    this.#begun = new BigInt64Array(buffer, 16, 1);
    this.#offers = new Int32Array(buffer, HEAD_BYTES, OFFERS);
  }

  /** The run with this number may be begun, or taken back. Numbers grow by one. */
  offer(turn: number): void {
    Atomics.store(this.#offers, turn % OFFERS, sign(turn));
  }

  /** @returns false when the other thread was first */
  claim(turn: number): boolean {
    return Atomics.compareExchange(this.#offers, turn % OFFERS, sign(turn), 0) === sign(turn);
  }

  /** The time of this run counts from here on. */
  begin(run: number): void {
    Atomics.store(this.#begun, 0, process.hrtime.bigint());
    Atomics.store(this.#numbers, 2, run);
  }

  /** The engine has looked at the clock: it is not in one of its own loops. */
  beat(): void {
    Atomics.add(this.#numbers, 0, 1);
  }

  enter(): void {
    Atomics.store(this.#numbers, 1, 1);
  }

  exit(): void {
    Atomics.store(this.#numbers, 1, 0);
  }

  read(run: number): Signs {
    const [beats, isInside] = [this.#read(0), this.#read(1) === 1];
    if (this.#read(2) !== (run | 0)) return { beats, isInside, age: undefined };
    const ns = process.hrtime.bigint() - Atomics.load(this.#begun, 0);
    return { beats, isInside, age: Number(ns) / 1e6 };
  }

  #read(at: number): number {
    return Atomics.load(this.#numbers, at);
  }
}

/** 32 bits of a number, never 0. */
const sign = (turn: number): number => turn | 0 || 1;

/** Pulse of this thread itself. */
export const pulse = new Pulse((workerData as Partial<ThreadData> | null)?.pulse);
