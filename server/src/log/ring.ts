import type { LogRecord } from '@svc/plugin-sdk';

/** The newest `capacity` records. */
export interface Ring {
  add(record: LogRecord): void;
  /** Oldest first. */
  records(): LogRecord[];
}

/** Memory grows with the records, not with the capacity. */
export function createRing(capacity: number): Ring {
  const slots: LogRecord[] = [];
  let oldest = 0;
  return {
    add(record) {
      if (slots.length < capacity) {
        slots.push(record);
      } else if (capacity > 0) {
        slots[oldest] = record;
        oldest = (oldest + 1) % capacity;
      }
    },
    records: () => [...slots.slice(oldest), ...slots.slice(0, oldest)],
  };
}
