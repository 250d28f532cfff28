import { join } from 'node:path';
import { createDatabase, dropDatabase, sharedPostgres } from '../postgres.ts';
import { makeSite, type Site } from './server.ts';
import { type Read, readPostgres, readSqlite } from './stored.ts';

/** A site together with a look into its database. */
export interface Place {
  readonly site: Site;
  readonly read: Read;
  remove(): Promise<void>;
}

/** More of the configuration file: keys of the head, tables after `[database]`. */
export interface PlaceOptions {
  readonly head?: string;
  readonly tables?: string;
  /** Any database of a Postgres server; default: the one that `test/run.ts` started. */
  readonly postgres?: string | undefined;
}

/** A new server on a new database: a SQLite file of the site, or a database of its own on Postgres. */
export async function makePlace(
  dialect: 'sqlite' | 'postgres',
  { head, tables, postgres }: PlaceOptions = {},
): Promise<Place> {
  if (dialect === 'sqlite') {
    const site = await makeSite('sqlite://{dir}/svc.db?mode=rwc', head, tables);
    const read = readSqlite(join(site.dir, 'svc.db'));
    return { site, read, remove: async () => site.remove() };
  }
  const url = await createDatabase(postgres ?? sharedPostgres());
  const site = await makeSite(url, head, tables);
  const remove = async () => {
    site.remove();
    await dropDatabase(url);
  };
  return { site, read: readPostgres(url), remove };
}
