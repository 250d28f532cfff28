import { RpcError } from '@svc/plugin-sdk';
import type { Knex } from 'knex';

/** Work that takes longer waits for something else than the database, and others wait for it. */
const TIMEOUT_MS = 60_000;

/** Runs `work` in a transaction; it is rolled back when `work` throws or takes longer than 60 s (103). */
export function transact<T>(knex: Knex, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
  return knex.transaction(async (trx) => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      const error = RpcError.database(
        `the transaction took longer than ${TIMEOUT_MS} ms and was rolled back`,
      );
      timer = setTimeout(reject, TIMEOUT_MS, error);
    });
    try {
      return await Promise.race([work(trx), late]);
    } finally {
      clearTimeout(timer);
    }
  });
}
