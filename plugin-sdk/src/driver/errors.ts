import { RpcError } from '../errors.ts';
import { codeOf, hasCode } from '../util/code-of.ts';
import { DATABASE_AWAY, isDatabaseAway } from '../util/database-away.ts';

const uniqueCodes = new Set([
  'SQLITE_CONSTRAINT_UNIQUE',
  'SQLITE_CONSTRAINT_PRIMARYKEY',
  'SQLITE_CONSTRAINT_ROWID',
  '23505',
]);

/** Tells whether an error is a unique or primary key violation of either built-in driver, anywhere in the chain of causes. */
export const isUniqueViolation = (error: unknown): boolean => hasCode(error, uniqueCodes);

const DAMAGED = /^(?:SQLITE_(?:CORRUPT|NOTADB)|XX00[12])/;

/** 103 with the driver's text; the driver's error is its cause. Where it could not be reached the log alone has its address. */
export function databaseError(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  if (isDatabaseAway(error)) return RpcError.database(DATABASE_AWAY, { cause: error });
  const said = error instanceof Error ? error.message : String(error);
  const text = DAMAGED.test(codeOf(error))
    ? `a page of the database is damaged (${said}): restore a backup; svc-server doctor says more`
    : said;
  return RpcError.database(text, { cause: error });
}

/** Returns what a read throws: the caller's reason where it gave up, else 103. */
export const readError = (error: unknown, signal: AbortSignal | undefined): unknown =>
  signal?.aborted ? signal.reason : databaseError(error);

/** Takes the statement off, which knex puts before the driver's text: no SQL may reach a caller. */
export function withoutStatement(error: unknown, sql: string): unknown {
  if (error instanceof Error && error.message.startsWith(`${sql} - `)) {
    error.message = error.message.slice(sql.length + 3);
  }
  return error;
}
