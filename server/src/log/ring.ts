import type { LogRecord } from '@svc/plugin-sdk';

/** So many records beyond the capacity may wait to be cut off at once. */
const SLACK = 1000;

/** The newest `capacity` records; memory grows with the records, not with the capacity. */
export class Ring {
  readonly #capacity: number;
  #records: LogRecord[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  add(record: LogRecord): void {
    this.#records.push(record);
    if (this.#records.length >= this.#capacity + SLACK) this.#records = this.newest();
  }

  /** Oldest first. */
  newest(): LogRecord[] {
    return this.#records.slice(-this.#capacity);
  }
}
