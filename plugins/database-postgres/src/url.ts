import { UserError } from '@svc/plugin-sdk';

/**
 * Checks `postgres://USER:PASSWORD@HOST:PORT/NAME` (configuration.md §1). @returns false for another kind of database
 * @throws UserError that says what to change; the text never holds the password
 */
export function isPostgresUrl(text: string): boolean {
  if (!/^postgres(?:ql)?:/i.test(text)) return false;
  if (URL.canParse(text)) return true;
  throw new UserError(
    'database.database_url: not a valid postgres:// address (a special character of the password needs a percent escape)',
  );
}
