import { UserError } from '@svc/plugin-sdk';

export interface SqliteUrl {
  /** Relative to the working directory, or absolute. */
  readonly file: string;
  readonly create: boolean;
}

/**
 * Reads `sqlite://FILE?mode=rwc` (configuration.md §1). @returns undefined for the address of another kind of database
 * @throws UserError that says what to change
 */
export function sqliteUrl(text: string): SqliteUrl | undefined {
  if (!/^sqlite:/i.test(text)) return undefined;
  const [path = '', query = ''] = text.replace(/^sqlite:(\/\/)?/i, '').split('?', 2);
  const mode = new URLSearchParams(query).get('mode') ?? 'rw';
  if (mode !== 'rwc' && mode !== 'rw') {
    throw new UserError(
      `database.database_url: mode=${mode} is not possible; use mode=rwc (creates the file) or mode=rw`,
    );
  }
  const file = decodePath(path);
  if (file === '' || file === ':memory:') {
    throw new UserError(
      'database.database_url: a SQLite database needs a file, for example sqlite://svc.db?mode=rwc',
    );
  }
  return { file, create: mode === 'rwc' };
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    throw new UserError('database.database_url: the path holds a bad percent escape', {
      cause: error,
    });
  }
}
