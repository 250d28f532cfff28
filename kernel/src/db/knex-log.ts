import type { Logger } from '@svc/plugin-sdk';
import type { Knex } from 'knex';

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
