import { workerData } from 'node:worker_threads';
import { collectBytes } from './collect.ts';
import { type ConnectionSettings, openConnection, Statements } from './connection.ts';
import { bindable } from './exact.ts';
import { answer, Moved, orEnd, serveRequests } from './serve-thread.ts';

/** A read whose rows each hold one text of JSON. */
export interface ReadRequest {
  readonly id: number;
  readonly sql: string;
  readonly params: readonly unknown[];
  readonly maxBytes: number;
  /** Shared memory: not 0 as soon as the caller has given up. */
  readonly stopped: Int32Array | undefined;
}

/** UTF-8 of the array; undefined: longer than `maxBytes`, or the caller has given up. */
export type ReadAnswer = Uint8Array | undefined;

const db = orEnd(() => openConnection(workerData as ConnectionSettings));
const statements = new Statements(db, { pluck: true });

serveRequests<ReadRequest>((request) =>
  answer(request, () => {
    const { sql, params, maxBytes, stopped } = request;
    const stop = stopped && (() => Atomics.load(stopped, 0) !== 0);
    if (stop?.()) return undefined;
    const rows = statements.get(sql).iterate(params.map(bindable));
    const bytes = collectBytes(rows, maxBytes, stop);
    return bytes && new Moved(bytes, [bytes.buffer]);
  }),
);
