import type Sqlite from 'better-sqlite3';

/** The value of a pragma that is a number. */
export const pragmaNumber = (db: Sqlite.Database, pragma: string): number =>
  Number(db.pragma(pragma, { simple: true }));
