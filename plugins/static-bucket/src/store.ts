import { type Counting, type Database, RpcError } from '@svc/plugin-sdk';
import { marks, type QueryBuilder, rowsOf } from '@svc/plugin-sdk/sql';
import type { Bucket } from './api.ts';
import { directoryKey } from './rules.ts';

interface Row {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly is_http_root: boolean | number;
  readonly cors: boolean | number;
  readonly enable: boolean | number | null;
  readonly owner: string | null;
  readonly owner_global: boolean | number | null;
}

export type Settings = Pick<Bucket, 'path' | 'is_http_root' | 'cors' | 'owner'> & {
  /** Tells whether the owner could write every bucket; null where `owner` is. */
  readonly owner_global: boolean | null;
};

/** A directory whose last bucket was deleted, or moved away. */
export interface Former {
  /** Path in the form of `directoryKey`. */
  readonly path: string;
  readonly name: string;
}

/** The reads and writes of one change, all in its transaction. */
export interface Changes {
  readonly buckets: readonly Bucket[];
  insert(name: string, settings: Settings): Promise<unknown>;
  update(name: string, settings: Settings & Pick<Bucket, 'enable'>): Promise<unknown>;
  remove(name: string): Promise<unknown>;
  /** Former directories that equal, contain or lie in this one. */
  former(path: string): Promise<readonly Former[]>;
  /** Records the directory that a bucket leaves; the files stay. */
  leave(bucket: Bucket): Promise<unknown>;
  /** Forgets former directories at and below a path that a bucket takes. */
  forgetFormer(path: string): Promise<unknown>;
}

/** Facts about one change. */
export interface Change {
  /** Beginning of the text of a database error. */
  readonly refused: string;
  /** Owner of the written records. */
  readonly owner: string | null;
}

/** Every SQL statement of the bucket records. */
export interface BucketStore {
  /** All records; 999 when the database fails. */
  all(): Promise<Bucket[]>;
  /**
   * Runs one change while no other server changes records. `owner`: that of what it writes. @returns all records after it
   * @throws RpcError those of `work`; 103 `<refused>…` when a unique index refuses; 108 when the owner holds enough
   */
  change(change: Change, work: (changes: Changes) => Promise<void>): Promise<Bucket[]>;
  /** Former directories in the order of their keys, 500 at most, after this key. */
  formerAfter(key: string): Promise<readonly string[]>;
  /** Forgets a former directory that is now empty. */
  forget(key: string): Promise<unknown>;
}

const COLUMNS = [
  'id',
  'name',
  'path',
  'is_http_root',
  'cors',
  'enable',
  'owner',
  'owner_global',
] as const;
const FORMER = 'static_file_former';

export function openBucketStore(db: Database, counting: Counting): BucketStore {
  const read = async (query: QueryBuilder): Promise<Bucket[]> =>
    (await query<Row>('static_file').select(COLUMNS)).map(bucketOf);

  return {
    all: () => read(db.query),

    async formerAfter(key) {
      const text = `select path from ${FORMER} where path > ? order by path limit 500`;
      const rows = await rowsOf<Former>(db.query, { text, params: [key] });
      return rows.map(({ path }) => path);
    },
    forget: (path) => db.query(FORMER).where({ path }).delete(),

    async change({ refused, owner }, work) {
      try {
        const change = async (trx: QueryBuilder) => {
          await work(changesIn(trx, await read(trx)));
          return read(trx);
        };
        // Alone: no constraint of a database can forbid overlapping directories.
        return await counting.within({ kind: 'bucket', owner, alone: 'static_file' }, change);
      } catch (cause) {
        if (db.isUniqueViolation(cause))
          throw RpcError.database(`${refused}name or root is taken`, { cause });
        throw cause;
      }
    },
  };
}

const changesIn = (trx: QueryBuilder, buckets: readonly Bucket[]): Changes => ({
  buckets,
  insert: (name, settings) => trx('static_file').insert({ name, ...settings }),
  update: (name, settings) => trx('static_file').where({ name }).update(settings),
  remove: (name) => trx('static_file').where({ name }).delete(),
  former: (path) => {
    const key = directoryKey(path);
    const above = [...key.matchAll(/\//g)].map(({ index }) => key.slice(0, index + 1));
    const text = `select path, name from ${FORMER} where path in (${marks(above.length)}) or ${BELOW}`;
    return rowsOf<Former>(trx, { text, params: [...above, key.length, key] });
  },
  leave: ({ name, path, owner }) =>
    trx(FORMER)
      .insert({ name, path: directoryKey(path), owner })
      .onConflict('path')
      .merge(),
  forgetFormer(path) {
    const key = directoryKey(path);
    const text = `delete from ${FORMER} where ${BELOW}`;
    return rowsOf(trx, { text, params: [key.length, key] });
  },
});

/** Keys are ASCII, so that characters are counted the same way everywhere. */
const BELOW = 'substr(path, 1, ?) = ?';

const bucketOf = (row: Row): Bucket => ({
  id: Number(row.id),
  name: row.name,
  path: row.path,
  is_http_root: Boolean(row.is_http_root),
  cors: Boolean(row.cors),
  enable: row.enable === null ? null : Boolean(row.enable),
  owner: row.owner,
  trusted: row.owner === null || Boolean(row.owner_global),
});
