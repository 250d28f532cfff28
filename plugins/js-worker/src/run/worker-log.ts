import type { LogLine } from '@svc/plugin-script-quickjs/api';
import type { Clock, Logger } from '@svc/plugin-sdk';

const PERIOD_MS = 60_000;
/** Bytes of a line in addition to its text. */
const LINE_BYTES = 200;
/** Workers whose lines are counted apart; what is beyond counts together. */
const MOST_WORKERS = 10_000;

interface Written {
  bytes: number;
  dropped: number;
}

export interface WorkerLogOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Bytes of one worker in a minute; 0: no limit. */
  readonly most: () => number;
}

/** The log lines of scripts, as many bytes a minute for each worker as it may write. */
export class WorkerLog {
  readonly #options: WorkerLogOptions;
  #began: number;
  #workers = new Map<string, Written>();

  constructor(options: WorkerLogOptions) {
    this.#options = options;
    this.#began = options.clock.now();
  }

  write(worker: string, { level, namespace, message }: LogLine): void {
    const { log, clock, most } = this.#options;
    if (clock.now() - this.#began >= PERIOD_MS) this.#next();
    const key = this.#workers.size < MOST_WORKERS || this.#workers.has(worker) ? worker : '';
    const written = this.#workers.get(key) ?? { bytes: 0, dropped: 0 };
    this.#workers.set(key, written);
    const limit = most() || Number.POSITIVE_INFINITY;
    const bytes = LINE_BYTES + Buffer.byteLength(message) + Buffer.byteLength(namespace);
    if (written.bytes + bytes <= limit) {
      written.bytes += bytes;
      log[level](message, { worker, namespace });
      return;
    }
    if (written.dropped++ > 0) return;
    const text =
      'this worker has written as much as it may in a minute (log_bytes_per_minute under [js-worker]): its lines are left out';
    log.warn(text, { worker, bytes: limit });
  }

  /** A new minute. */
  #next(): void {
    const { log, clock } = this.#options;
    for (const [worker, { dropped }] of this.#workers)
      if (dropped > 0) log.warn('lines of a worker were left out', { worker, lines: dropped });
    this.#workers = new Map();
    this.#began = clock.now();
  }
}
