import type { LogRecord } from '@svc/plugin-sdk';

/** Records that may wait between the logger and one socket (svc-server.md, stream_log). */
const QUEUE_RECORDS = 512;
/** Bytes waiting in the socket beyond which records wait here instead. */
const SOCKET_BYTES = 64 * 1024;

/** Where the records go: one subscription over one socket. */
export interface Outlet {
  /** False: not taken. */
  push(record: LogRecord): boolean;
  buffered(): number;
  /** Resolves when the socket is empty. */
  drained(): Promise<void>;
}

/** Marks that a record is being delivered, so that what the delivery itself logs is not delivered again. */
export interface Delivery {
  active: boolean;
}

/**
 * One subscriber's queue. Records leave at once while the socket takes them; then up to 512 wait and
 * further ones are counted. When the subscriber has caught up, one notice tells the count.
 */
export function createFeed(outlet: Outlet, delivery: Delivery): (record: LogRecord) => void {
  const queue: LogRecord[] = [];
  let lost: { count: number; last: LogRecord } | undefined;
  let waiting = false;

  const lose = (record: LogRecord) => {
    lost = { count: (lost?.count ?? 0) + 1, last: record };
  };

  function deliver(record: LogRecord): boolean {
    delivery.active = true;
    try {
      return outlet.push(record);
    } finally {
      delivery.active = false;
    }
  }

  function pump(): void {
    while (!waiting) {
      if (outlet.buffered() > SOCKET_BYTES) {
        wait();
        return;
      }
      const next = queue.shift();
      if (next) {
        if (!deliver(next)) lose(next);
      } else if (lost && deliver(dropNotice(lost.count, lost.last))) lost = undefined;
      else return;
    }
  }

  function wait(): void {
    waiting = true;
    const resume = () => {
      waiting = false;
      pump();
    };
    // A closed socket has nothing to resume: the kernel closes its subscriptions.
    outlet.drained().then(resume, () => undefined);
  }

  return (record) => {
    if (delivery.active) return;
    if (queue.length >= QUEUE_RECORDS) lose(record);
    else {
      queue.push(record);
      pump();
    }
  };
}

/** One synthetic record for all that were dropped since the last one. */
const dropNotice = (count: number, last: LogRecord): LogRecord => ({
  timestamp: last.timestamp,
  level: 'WARN',
  target: 'server',
  message: 'log records were dropped because this subscriber reads too slowly',
  fields: { dropped: count },
  spans: [],
});
