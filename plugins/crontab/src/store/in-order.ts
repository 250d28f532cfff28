import type { Appender, SqlValue } from '@svc/plugin-sdk/sql';

type Row = readonly SqlValue[];

interface Waiting {
  readonly row: Row;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Appends rows so that their ids follow the order of the calls: an appender may store a later batch first.
 * Rows that come while one group is being stored make the next group, `size` at most.
 */
export function inOrder(open: () => Appender, size: number): (row: Row) => Promise<void> {
  const waiting: Waiting[] = [];
  let appender: Appender | undefined;
  let busy = false;

  const pump = async (): Promise<void> => {
    for (let group = waiting.splice(0, size); group.length > 0; group = waiting.splice(0, size)) {
      appender ??= open();
      const stored = group.map(({ row }) => (appender as Appender).append(row));
      await Promise.all(stored.map((each, at) => each.then(group[at]?.resolve, group[at]?.reject)));
    }
    busy = false;
  };

  return (row) =>
    new Promise((resolve, reject) => {
      waiting.push({ row, resolve, reject });
      if (busy) return;
      busy = true;
      // Rows that come in this turn of the event loop join the first group.
      setImmediate(() => void pump());
    });
}
