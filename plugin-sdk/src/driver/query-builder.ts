import type { Logger } from '../log.ts';
import { within } from '../util/deadline.ts';

/**
 * Settings of the query builder: its own messages go to our log, and no value of a query into an error text.
 * While `isOpen` is false, the error that ends the start tells what it warns of.
 */
export const queryBuilderSettings = (log: Logger, isOpen = () => true) => ({
  compileSqlOnError: false,
  log: {
    warn: (detail: unknown) => {
      const text = String(detail);
      // The caller that wanted the connection gets the error itself, and the driver's alarm reports it.
      const isKnown = !isOpen() || /^(?:Connection Error|Acquire connection error): /.test(text);
      log[isKnown ? 'debug' : 'warn']('The query builder warns.', { detail: text });
    },
    error: (detail: unknown) =>
      log.error('The query builder reports an error.', { detail: String(detail) }),
    deprecate: (method: string, alternative: string) =>
      log.warn('A deprecated method of the query builder was used.', { method, alternative }),
    debug: (detail: unknown) => log.trace('Query builder.', { detail: String(detail) }),
  },
});

const CLOSE_TIMEOUT_MS = 5_000;

/** Closes the pool; a connection that is not given back within 5 s is left behind. */
export async function closeQueryBuilder(
  builder: { destroy(): Promise<void> },
  log: Logger,
): Promise<void> {
  const closed = await within(CLOSE_TIMEOUT_MS, builder.destroy());
  if (!closed) log.warn('A database connection was still in use at the end.');
}
