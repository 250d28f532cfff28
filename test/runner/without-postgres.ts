/** `--fast`: a run without Postgres. */

/** What the kits throw where a test asks for the Postgres of a run that has none. */
export class NoPostgres extends Error {
  readonly code = 'NO_POSTGRES';
}

/** Whether a test of such a run ended because it asked for Postgres. */
export function lacksPostgres(error: unknown): boolean {
  if (process.env['SVC_TEST_FAST'] !== '1' || !(error instanceof Error)) return false;
  return ('code' in error && error.code === 'NO_POSTGRES') || lacksPostgres(error.cause);
}
