import type { LogRecord } from '@svc/plugin-sdk/kernel';

/** Records that may wait between the logger and one socket (svc-server.md §10). */
const QUEUE_RECORDS = 512;

/** The way out: one subscription over one socket. */
export interface Outlet {
  /** Pushes a record. @returns false: not taken */
  push(record: LogRecord): boolean;
  /** Tells whether the socket is congested: records wait in the queue meanwhile. */
  isCongested(): boolean;
  /** Resolves when the socket is empty. */
  drained(): Promise<void>;
}

/** Marks that a record is being delivered, so that log lines of the delivery itself are not delivered again. */
export interface Delivery {
  active: boolean;
}

/**
 * One subscriber's queue. Records leave at once while the socket takes them; then up to 512 wait and
 * further ones are counted. When the subscriber has caught up, one notice tells the count.
 */
export class LogFeed {
  readonly #outlet: Outlet;
  readonly #delivery: Delivery;
  readonly #queue: LogRecord[] = [];
  #lost: { count: number; last: LogRecord } | undefined;
  #isWaiting = false;

  constructor(outlet: Outlet, delivery: Delivery) {
    this.#outlet = outlet;
    this.#delivery = delivery;
  }

  add(record: LogRecord): void {
    if (this.#delivery.active) return;
    if (this.#queue.length >= QUEUE_RECORDS) this.#lose(record);
    else {
      this.#queue.push(record);
      this.#pump();
    }
  }

  #lose(record: LogRecord): void {
    this.#lost = { count: (this.#lost?.count ?? 0) + 1, last: record };
  }

  #deliver(record: LogRecord): boolean {
    this.#delivery.active = true;
    try {
      return this.#outlet.push(record);
    } finally {
      this.#delivery.active = false;
    }
  }

  #pump(): void {
    while (!this.#isWaiting) {
      if (this.#outlet.isCongested()) {
        this.#waitForSocket();
        return;
      }
      const next = this.#queue.shift();
      if (next) {
        if (!this.#deliver(next)) this.#lose(next);
      } else if (this.#lost && this.#deliver(lossNotice(this.#lost))) this.#lost = undefined;
      else return;
    }
  }

  #waitForSocket(): void {
    this.#isWaiting = true;
    const resume = () => {
      this.#isWaiting = false;
      this.#pump();
    };
    // A closed socket has nothing to resume: the kernel ends its subscriptions.
    this.#outlet.drained().then(resume, () => undefined);
  }
}

/** One record for all that were dropped since the last notice. */
const lossNotice = ({ count, last }: { count: number; last: LogRecord }): LogRecord => ({
  timestamp: last.timestamp,
  level: 'WARN',
  target: 'server',
  message: 'log records were dropped because this subscriber reads too slowly',
  fields: { dropped: count },
  spans: [],
});
