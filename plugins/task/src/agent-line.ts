import type { Clock, Peer, Push } from '@svc/plugin-sdk';
import type { Delivery, Event } from './delivery.ts';
import { createLanes } from './lane.ts';

/** The agent listens for tasks about a second after it registers (clients.md §2.4). */
const HOLD_MS = 1_500;
/** Tasks that may wait in each lane of one agent. */
const QUEUE_TASKS = 1_024;
const QUEUE_BYTES = 16 * 1024 * 1024;
/** Above this, tasks wait in the queue: for those in the queue it is known that they were not sent. */
const SOCKET_BYTES = 64 * 1024;

export interface Registration {
  readonly peer: Peer;
  readonly push: Push<never>;
  /** This connection registers the agent for the first time. */
  readonly isFirst: boolean;
  /** Unix ms of the registration that this one replaces, here or on another server; 0: none. */
  readonly previous: number;
}

/** The way to one agent: decides when its next task is written to the socket (task.md §4.1). */
export class AgentLine {
  readonly waiting = new Set<Delivery>();
  readonly #lanes = createLanes();
  /** Unix ms of the registration; greater than that of every earlier registration that this server knows. */
  since = 0;
  push: Push<never> | undefined;
  #peer: Peer | undefined;
  readonly #clock: Clock;
  readonly #on: (delivery: Delivery, event: Event) => void;
  #readyAt = 0;
  #queuedBytes = 0;
  #isPumping = false;
  /** The connection whose socket is full. */
  #blocked: Peer | undefined;
  #cancelWake: (() => void) | undefined;

  constructor(clock: Clock, on: (delivery: Delivery, event: Event) => void) {
    this.#clock = clock;
    this.#on = on;
  }

  /**
   * Goes on over this registration. Unsent tasks stay in the queue. Sent tasks keep their places only on the same connection.
   * @returns whether the connection is another one
   */
  register({ peer, push, isFirst, previous }: Registration): boolean {
    const replaced = this.push;
    const moved = this.#peer !== peer;
    this.push = push;
    if (moved) {
      const now = this.#clock.now();
      this.#peer = peer;
      this.since = Math.max(now, previous + 1);
      this.#readyAt = isFirst ? now + HOLD_MS : now;
      for (const delivery of this.sent) this.#on(delivery, 'closed');
    }
    replaced?.end();
    this.pump();
    return moved;
  }

  /** Nothing is written any more. */
  stop(): void {
    this.push = undefined;
    this.#cancelWake?.();
  }

  /** Accepted and not sent yet, in order. */
  get queued(): Delivery[] {
    return Object.values(this.#lanes).flatMap(({ queued }) => [...queued]);
  }

  /** Sent, and not answered in time so far. */
  get sent(): Delivery[] {
    return Object.values(this.#lanes).flatMap(({ sent }) => [...sent]);
  }

  hasRoom({ item, place }: Delivery): boolean {
    const { size } = this.#lanes[place.lane].queued;
    const bytes = this.#queuedBytes + item.text.length;
    return size === 0 || (size < QUEUE_TASKS && bytes <= QUEUE_BYTES);
  }

  enqueue(delivery: Delivery): void {
    this.#lanes[delivery.place.lane].queued.add(delivery);
    this.#queuedBytes += delivery.item.text.length;
  }

  /** The delivery takes a place. */
  occupy(delivery: Delivery): void {
    this.#lanes[delivery.place.lane].sent.add(delivery);
  }

  /** The delivery leaves its state. */
  remove(delivery: Delivery): void {
    const lane = this.#lanes[delivery.place.lane];
    this.waiting.delete(delivery);
    lane.sent.delete(delivery);
    if (lane.queued.delete(delivery)) this.#queuedBytes -= delivery.item.text.length;
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
    const delivery = this.#lanes.shells.next() ?? this.#lanes.tasks.next();
    if (!delivery || !this.push) return false;
    if (this.push.buffered() > SOCKET_BYTES) {
      this.#waitForSocket();
      return false;
    }
    // A closed subscription takes nothing: its end follows.
    if (!this.push(delivery.item)) return false;
    this.#on(delivery, 'written');
    return true;
  }

  /** Gives places in the queue to waiting callers, in order. */
  #admit(): void {
    for (const delivery of this.waiting) {
      if (!this.hasRoom(delivery)) return;
      this.#on(delivery, 'room');
    }
  }

  #wake(delay_ms: number): void {
    this.#cancelWake?.();
    this.#cancelWake = this.#clock.timeout(() => this.pump(), delay_ms);
  }

  #waitForSocket(): void {
    const peer = this.#peer;
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
