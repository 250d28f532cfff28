import { type Clock, RpcError } from '@svc/plugin-sdk';

/** Senders that may wait for memory; a further one is refused at once. */
const MOST_WAITING = 1_000;

export interface MemoryLimits {
  /** Bytes for all messages. */
  readonly all: number;
  /** Bytes for the messages of one address. */
  readonly address: number;
  readonly wait_ms: number;
}

interface Waiting {
  readonly address: string;
  readonly bytes: number;
  readonly start: (release: () => void) => void;
}

type Release = () => void;

/** Memory for messages that are parsed and not answered yet: one budget for all, one for each address. */
export class MessageMemory {
  readonly #limits: () => MemoryLimits;
  readonly #clock: Clock;
  readonly #used = new Map<string, number>();
  #all = 0;
  /** Messages that wait, in the order in which they came. */
  #waiting: Waiting[] = [];

  constructor(limits: () => MemoryLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Charges at once where no message waits and there is room. */
  tryAcquire(address: string, bytes: number): Release | undefined {
    const isFree = this.#waiting.length === 0 && this.#isRoom(address, bytes) === 'yes';
    return isFree ? this.#charge(address, bytes) : undefined;
  }

  /** Waits for room. @throws RpcError 999 when too many wait, or waiting took too long */
  async acquire(address: string, bytes: number): Promise<Release> {
    if (this.#waiting.length >= MOST_WAITING) throw full();
    return this.tryAcquire(address, bytes) ?? this.#wait(address, bytes);
  }

  #wait(address: string, bytes: number): Promise<Release> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        address,
        bytes,
        start: (release) => {
          cancel();
          resolve(release);
        },
      };
      const cancel = this.#clock.timeout(() => {
        this.#waiting = this.#waiting.filter((other) => other !== waiting);
        reject(full());
        this.#startWaiting();
      }, this.#limits().wait_ms);
      this.#waiting.push(waiting);
      this.#startWaiting();
    });
  }

  /** A message that is larger than the budget is let in alone. `full`: no other address has room either. */
  #isRoom(address: string, bytes: number): 'yes' | 'no' | 'full' {
    const { all, address: each } = this.#limits();
    if (this.#all > 0 && this.#all + bytes > all) return 'full';
    const used = this.#used.get(address) ?? 0;
    return used > 0 && used + bytes > each ? 'no' : 'yes';
  }

  #charge(address: string, bytes: number): Release {
    this.#all += bytes;
    this.#used.set(address, (this.#used.get(address) ?? 0) + bytes);
    return () => {
      this.#all -= bytes;
      const left = (this.#used.get(address) ?? 0) - bytes;
      if (left > 0) this.#used.set(address, left);
      else this.#used.delete(address);
      if (this.#waiting.length > 0) this.#startWaiting();
    };
  }

  /** Passes over those whose address has its share in use; none overtakes the first that waits for the budget of all. */
  #startWaiting(): void {
    let isFull = false;
    this.#waiting = this.#waiting.filter(({ address, bytes, start }) => {
      const room = isFull ? 'full' : this.#isRoom(address, bytes);
      isFull = room === 'full';
      if (room === 'yes') start(this.#charge(address, bytes));
      return room !== 'yes';
    });
  }
}

const full = () =>
  RpcError.other('too many large messages are being handled; try again in ten seconds');
