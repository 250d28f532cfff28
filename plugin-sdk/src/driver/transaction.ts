import { RpcError } from '../errors.ts';
import type { QueryBuilder } from '../sql/query.ts';
import { inTime } from '../util/deadline.ts';

/** Work that takes longer waits for something else than the database, and other work waits for it. */
const TIMEOUT_MS = 60_000;

/** Runs `work` in a transaction; it is rolled back when `work` throws or takes longer than 60 s (103). */
export function transact<T>(
  query: QueryBuilder,
  work: (trx: QueryBuilder) => Promise<T>,
): Promise<T> {
  return query.transaction(async (trx) => {
    const late = () =>
      RpcError.database(`the transaction took longer than ${TIMEOUT_MS} ms and was rolled back`);
    return inTime(TIMEOUT_MS, work(trx), late);
  });
}
