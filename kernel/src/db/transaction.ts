import { RpcError } from '@svc/plugin-sdk';
import type { Knex } from 'knex';
import { inTime } from '../deadline.ts';

/** Work that takes longer waits for something else than the database, and others wait for it. */
const TIMEOUT_MS = 60_000;

/** Runs `work` in a transaction; it is rolled back when `work` throws or takes longer than 60 s (103). */
export function transact<T>(knex: Knex, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
  return knex.transaction(async (trx) => {
    const late = () =>
      RpcError.database(`the transaction took longer than ${TIMEOUT_MS} ms and was rolled back`);
    return inTime(TIMEOUT_MS, work(trx), late);
  });
}
