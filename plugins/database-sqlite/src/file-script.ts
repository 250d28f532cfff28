import { refuseForeignFiles } from './guard.ts';
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
