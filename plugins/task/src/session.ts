import type { Clock, Integer, Peer, Push, RawJson } from '@svc/plugin-sdk';

/** Delivered and unanswered tasks of one agent: its ring holds 32 messages and drops the oldest (clients.md §2.5). */
export const WINDOW = 32;
/** An agent that is there has taken a task from its ring long before; a task that is never answered blocks no longer. */
const SLOT_MS = 30_000;
/** The agent listens for tasks about a second after it registers (clients.md §2.4). */
export const HOLD_MS = 1_500;
/** Tasks that may wait for one agent. */
const QUEUE_TASKS = 1_024;
const QUEUE_BYTES = 16 * 1024 * 1024;
/** Callers that may wait for a place in the queue. */
const CALLERS = 1_024;
/** Bytes in the socket beyond which tasks wait here, where it is known that they were not sent. */
const SOCKET_BYTES = 64 * 1024;

/** What became of a task that was offered: taken, or the session has ended, or its queue stayed full. */
export type Handed = 'queued' | 'ended' | 'full';

/** One task on its way. */
export interface Delivery {
  readonly id: Integer;
  /** The notification's item. */
  readonly item: RawJson;
}

interface Caller {
  readonly delivery: Delivery;
  readonly settle: (handed: Handed) => void;
}

export interface SessionOptions {
  readonly peer: Peer;
  readonly push: Push<never>;
  readonly clock: Clock;
  /** False: this connection registered the agent before, so it listens already. */
  readonly fresh: boolean;
  /** The session that this one replaces. */
  readonly before: Session | undefined;
  /** A registration that other servers know began at this time: this one counts as later, whatever the clocks say. */
  readonly after: number | undefined;
}

/** The way to one agent: a queue and a window over one subscription (task.md §4.1). */
export class Session {
  readonly peer: Peer;
  /** When this connection registered the agent, Unix ms; later than that of every registration before. */
  readonly since: number;
  readonly #push: Push<never>;
  readonly #clock: Clock;
  readonly #readyAt: number;
  #queue: Delivery[] = [];
  #bytes = 0;
  #callers: Caller[] = [];
  /** Task → when its place is free again at the latest; in order of time. */
  #inFlight = new Map<Integer, number>();
  #ended = false;
  #waiting = false;
  #cancel: (() => void) | undefined;

  constructor({ peer, push, clock, fresh, before, after = -1 }: SessionOptions) {
    const now = clock.now();
    this.peer = peer;
    this.#push = push;
    this.#clock = clock;
    const same = before?.peer === peer ? before : undefined;
    this.since = same?.since ?? Math.max(now, after + 1);
    this.#readyAt = same ? same.#readyAt : fresh ? now + HOLD_MS : now;
    if (before) this.#takeOver(before);
    this.#pump();
  }

  /** Queues a task; waits at most `wait_ms` for a place, and no longer than the caller. */
  offer(delivery: Delivery, wait_ms: number, signal?: AbortSignal): Handed | Promise<Handed> {
    if (this.#ended) return 'ended';
    if (this.#hasRoom(delivery)) {
      this.#enqueue(delivery);
      this.#pump();
      return 'queued';
    }
    if (this.#callers.length >= CALLERS || wait_ms <= 0 || signal?.aborted) return 'full';
    return new Promise((resolve) => {
      const giveUp = () => {
        this.#callers = this.#callers.filter((other) => other !== caller);
        caller.settle('full');
      };
      const cancel = this.#clock.timeout(giveUp, wait_ms);
      const settle = (handed: Handed) => {
        cancel();
        signal?.removeEventListener('abort', giveUp);
        resolve(handed);
      };
      const caller: Caller = { delivery, settle };
      signal?.addEventListener('abort', giveUp, { once: true });
      this.#callers.push(caller);
    });
  }

  /** True while this task waits here or is unanswered. */
  holds(id: Integer): boolean {
    return this.#inFlight.has(id) || this.#queue.some((delivery) => delivery.id === id);
  }

  /** A task was answered, or its row is gone: it takes no place any more. */
  forget(id: Integer): void {
    if (!this.#inFlight.delete(id)) {
      const at = this.#queue.findIndex((delivery) => delivery.id === id);
      const [gone] = at < 0 ? [] : this.#queue.splice(at, 1);
      if (gone) this.#bytes -= bytesOf(gone);
    }
    this.#pump();
  }

  /** @returns tasks that were never written to the socket */
  end(): Delivery[] {
    this.#ended = true;
    this.#cancel?.();
    const unsent = this.#queue;
    this.#queue = [];
    const callers = this.#callers;
    this.#callers = [];
    for (const { settle } of callers) settle('ended');
    return unsent;
  }

  /** Ends the subscription from this side. */
  close(): void {
    this.#push.end();
  }

  /** What was not sent yet goes on here; on the same connection also what is unanswered. */
  #takeOver(before: Session): void {
    this.#callers = before.#callers;
    before.#callers = [];
    this.#queue = before.end();
    this.#bytes = before.#bytes;
    if (before.peer === this.peer) this.#inFlight = before.#inFlight;
  }

  #hasRoom(delivery: Delivery): boolean {
    const { length } = this.#queue;
    return length === 0 || (length < QUEUE_TASKS && this.#bytes + bytesOf(delivery) <= QUEUE_BYTES);
  }

  #enqueue(delivery: Delivery): void {
    this.#queue.push(delivery);
    this.#bytes += bytesOf(delivery);
  }

  #pump(): void {
    if (this.#ended || this.#waiting) return;
    const now = this.#clock.now();
    if (now < this.#readyAt) {
      this.#wake(this.#readyAt - now);
      return;
    }
    for (const [id, until] of this.#inFlight) {
      if (until > now) break;
      this.#inFlight.delete(id);
    }
    while (this.#queue.length > 0 && this.#inFlight.size < WINDOW) {
      if (this.#push.buffered() > SOCKET_BYTES) {
        this.#wait();
        return;
      }
      if (!this.#send(now)) return;
    }
    const [first] = this.#inFlight.values();
    if (this.#queue.length > 0 && first !== undefined) this.#wake(first - now);
  }

  /** @returns false when the subscription is closed: `end` follows */
  #send(now: number): boolean {
    const [next] = this.#queue;
    if (!next || !this.#push(next.item)) return false;
    this.#queue.shift();
    this.#bytes -= bytesOf(next);
    this.#inFlight.set(next.id, now + SLOT_MS);
    for (let caller = this.#callers[0]; caller; caller = this.#callers[0]) {
      if (!this.#hasRoom(caller.delivery)) break;
      this.#callers.shift();
      this.#enqueue(caller.delivery);
      caller.settle('queued');
    }
    return true;
  }

  #wake(delay_ms: number): void {
    this.#cancel?.();
    this.#cancel = this.#clock.timeout(() => {
      this.#cancel = undefined;
      this.#pump();
    }, delay_ms);
  }

  #wait(): void {
    this.#waiting = true;
    const resume = () => {
      this.#waiting = false;
      this.#pump();
    };
    // A closed socket has nothing to resume: the kernel closes its subscriptions.
    this.peer.drained().then(resume, () => undefined);
  }
}

const bytesOf = ({ item }: Delivery): number => item.text.length;
