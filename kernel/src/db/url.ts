import { UserError } from '@svc/plugin-sdk';

export type DatabaseUrl =
  | { readonly dialect: 'sqlite'; readonly file: string; readonly create: boolean }
  | { readonly dialect: 'postgres'; readonly url: string };

/**
 * Reads `database.database_url` (configuration.md §1). Relative files are relative to the working directory.
 * @throws UserError that says what to change; the text never holds the password
 */
export function parseDatabaseUrl(text: string): DatabaseUrl {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === 'sqlite') return sqliteUrl(text);
  if (scheme === 'postgres' || scheme === 'postgresql') return postgresUrl(text);
  throw new UserError(
    `database.database_url: '${scheme ?? ''}' is no known kind of database; use sqlite://FILE?mode=rwc or postgres://USER:PASSWORD@HOST:PORT/NAME`,
  );
}

function sqliteUrl(text: string): DatabaseUrl {
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
  return { dialect: 'sqlite', file, create: mode === 'rwc' };
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

function postgresUrl(text: string): DatabaseUrl {
  if (!URL.canParse(text)) {
    throw new UserError(
      'database.database_url: not a valid postgres:// address (a special character of the password needs a percent escape)',
    );
  }
  return { dialect: 'postgres', url: text };
}
