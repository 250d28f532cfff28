import { markAway } from '@svc/plugin-sdk/driver';
import { codeOf } from '@svc/plugin-sdk/util';

/** The network's codes, and those of a server that goes down, comes up, or ended this connection. */
const AWAY =
  /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT|57P0[123]|08.{3})$/;
/** Messages of pg and the pool that carry no code. */
const SAID = /^Connection terminated|^timeout expired|Timeout acquiring a connection|not queryable/;

/** Marks an error that says that the database does not answer. @returns the error */
export function marked(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return AWAY.test(codeOf(error)) || SAID.test(error.message) ? markAway(error) : error;
}

/** Waits for the database; what it throws is marked. */
export const marking = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw marked(error);
  });
