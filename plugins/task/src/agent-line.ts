import type { Clock, Push } from '@svc/plugin-sdk';
import type { Peer } from '@svc/plugin-sdk/http';
import type { RawJson } from '@svc/plugin-sdk/json';
import { Pace } from './pace.ts';
import { TURNS, type Turn } from './turn.ts';

/** The agent listens for tasks about a second after it registers (clients.md §2.4). */
const HOLD_MS = 1_500;
/** Tasks that may wait for each turn of one agent. */
const QUEUE_TASKS = 1_024;
const QUEUE_BYTES = 16 * 1024 * 1024;

/** Task as a line needs it. */
interface Queued {
  readonly turn: Turn;
  readonly item: RawJson;
}

type Queues<Task> = { readonly [T in Turn]: Set<Task> };

export interface Registration {
  readonly peer: Peer;
  readonly push: Push<never>;
  /** Tells whether this connection registers the agent for the first time. */
  readonly isFirst: boolean;
  /** Unix ms of the registration that this one replaces, here or on another server; 0: none. */
  readonly previous: number;
}

/** The way to one agent: decides when its next task is written to the socket (task.md §4.1). */
export class AgentLine<Task extends Queued> {
  readonly waiting = new Set<Task>();
  readonly #queues = Object.fromEntries(TURNS.map((turn) => [turn, new Set()])) as Queues<Task>;
  readonly #pace = new Pace();
  /** Unix ms of the registration; greater than that of every earlier registration that this server knows. */
  since = 0;
  push: Push<never> | undefined;
  /** The agent's connection. */
  peer: Peer | undefined;
  readonly #clock: Clock;
  readonly #on: (task: Task, event: 'room' | 'written') => void;
  #readyAt = 0;
  #queuedBytes = 0;
  #isPumping = false;
  /** The connection whose socket is full. */
  #blocked: Peer | undefined;
  #cancelWake: (() => void) | undefined;

  constructor(clock: Clock, on: (task: Task, event: 'room' | 'written') => void) {
    this.#clock = clock;
    this.#on = on;
  }

  /**
   * Goes on over this registration. Unsent tasks stay in the queue.
   * @returns whether the connection is another one
   */
  register({ peer, push, isFirst, previous }: Registration): boolean {
    const replaced = this.push;
    const moved = this.peer !== peer;
    this.push = push;
    if (moved) {
      const now = this.#clock.now();
      this.peer = peer;
      this.since = Math.max(now, previous + 1);
      this.#readyAt = isFirst ? now + HOLD_MS : now;
    }
    replaced?.end();
    this.pump();
    return moved;
  }

  /** Stops all writing. */
  stop(): void {
    this.push = undefined;
    this.#cancelWake?.();
  }

  /** Accepted and not sent yet, in order. */
  get queued(): Task[] {
    return TURNS.flatMap((turn) => [...this.#queues[turn]]);
  }

  hasRoom({ item, turn }: Task): boolean {
    const { size } = this.#queues[turn];
    const bytes = this.#queuedBytes + item.text.length;
    return size === 0 || (size < QUEUE_TASKS && bytes <= QUEUE_BYTES);
  }

  enqueue(task: Task): void {
    this.#queues[task.turn].add(task);
    this.#queuedBytes += task.item.text.length;
  }

  /** The agent gets an answer besides its tasks. @returns it goes now */
  oweAnswer(): () => void {
    const sent = this.#pace.owe();
    return () => {
      sent(this.#clock.monotonic());
      // The wait of the next task was longer while it was not known when the answer goes.
      this.pump();
    };
  }

  /** Forgets a task that waits or is queued. */
  remove(task: Task): void {
    this.waiting.delete(task);
    if (this.#queues[task.turn].delete(task)) this.#queuedBytes -= task.item.text.length;
  }

  /** Writes what may be written now. */
  pump(): void {
    if (this.#isPumping || !this.push) return;
    const wait_ms = this.#readyAt - this.#clock.now();
    if (wait_ms > 0) {
      this.#wake(wait_ms);
      return;
    }
    this.#isPumping = true;
    while (this.#writeNext()) this.#admit();
    this.#isPumping = false;
  }

  /** @returns whether a task was written */
  #writeNext(): boolean {
    const task = this.#next();
    if (!task || !this.push) return false;
    const wait_ms = this.#pace.wait(this.#clock.monotonic());
    if (wait_ms > 0) {
      this.#wake(wait_ms);
      return false;
    }
    // Tasks in the queue are known not to have been sent.
    if (this.push.isCongested()) {
      this.#waitForSocket();
      return false;
    }
    // A closed subscription takes nothing: its end follows.
    if (!this.push(task.item)) return false;
    this.#pace.sent(this.#clock.monotonic());
    this.#on(task, 'written');
    return true;
  }

  #next(): Task | undefined {
    for (const turn of TURNS) for (const task of this.#queues[turn]) return task;
    return undefined;
  }

  /** Gives places in the queue to waiting callers, in order. */
  #admit(): void {
    const full = new Set<Turn>();
    for (const task of this.waiting) {
      if (!full.has(task.turn) && this.hasRoom(task)) this.#on(task, 'room');
      else full.add(task.turn);
    }
  }

  #wake(delay_ms: number): void {
    this.#cancelWake?.();
    this.#cancelWake = this.#clock.timeout(() => this.pump(), delay_ms);
  }

  #waitForSocket(): void {
    const { peer } = this;
    if (!peer || this.#blocked === peer) return;
    this.#blocked = peer;
    const resume = () => {
      if (this.#blocked === peer) this.#blocked = undefined;
      this.pump();
    };
    // A closed socket has nothing to resume: the kernel ends its subscriptions.
    peer.drained().then(resume, () => undefined);
  }
}
