import type { Logger } from '@svc/plugin-sdk';
import type { Knex } from 'knex';
import { within } from '../deadline.ts';

/** What both dialects' knex instances share: its own messages go to our log, and no value of a query into an error text. */
export const sharedKnexConfig = (log: Logger) =>
  ({
    compileSqlOnError: false,
    log: {
      warn: (detail: unknown) => log.warn('The query builder warns.', { detail: String(detail) }),
      error: (detail: unknown) =>
        log.error('The query builder reports an error.', { detail: String(detail) }),
      deprecate: (method: string, alternative: string) =>
        log.warn('A deprecated method of the query builder was used.', { method, alternative }),
      debug: (detail: unknown) => log.trace('Query builder.', { detail: String(detail) }),
    },
  }) satisfies Knex.Config;

const CLOSE_TIMEOUT_MS = 5_000;

/** Closes the pool; a connection that somebody does not give back is left behind after 5 s. */
export async function closeKnex(knex: Knex, log: Logger): Promise<void> {
  const closed = await within(CLOSE_TIMEOUT_MS, knex.destroy());
  if (!closed) log.warn('A database connection was still in use at the end.');
}
