import { type BoundStatement, bindPlaces } from './placeholders.ts';
import { splitScript } from './split.ts';

/**
 * Statements of a text for a file that is no part of the main database.
 * @throws Error for a placeholder with a name, and for statements that reach other files
 */
export function fileScript(sql: string): BoundStatement[] {
  const statements = bindPlaces(splitScript(sql));
  for (const statement of statements) refuseForeignFiles(statement);
  return statements;
}

/** Nothing but the file itself may be reached: the driver has no authorizer, and these words only begin a statement. */
function refuseForeignFiles({ sql, word }: BoundStatement): void {
  const foreign =
    word === 'attach' ||
    word === 'detach' ||
    (word === 'vacuum' && /into/i.test(sql)) ||
    (word === 'pragma' && /(?:temp|data)_store_directory/i.test(sql));
  if (foreign) throw new Error('not authorized');
}
