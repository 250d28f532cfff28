import type { Database } from '@svc/plugin-sdk';
import { guarded, marks, type QueryBuilder, type SqlValue } from '@svc/plugin-sdk/sql';
import { conflicts, type Lock } from './locks.ts';
import { ancestorsOf, type Key, MAX_KEY_BYTES, rangeBelow } from './paths.ts';
import { run } from './store-sql.ts';

/** Most locks of one bucket. A further one is answered with 507. */
export const MAX_LOCKS = 10_000;
/** Most shared locks that cover one resource: each is listed with it. */
export const MAX_SHARED = 100;

export type Granted = 'granted' | 'full' | { readonly conflicting: readonly Lock[] };

/** Every SQL statement on locks. A failure of the database gives 103 with a neutral text. */
export interface LockStore {
  /** Unexpired locks at a path, at its ancestors and, with `below`, below it. */
  around(bucket: number, path: Key, options: { now: number; below: boolean }): Promise<Lock[]>;
  /** Takes a lock unless another one excludes it. Servers on one database decide one after the other. */
  grant(bucket: number, lock: Lock, now: number): Promise<Granted>;
  /** Extends a lock. @returns false when it has expired or been released */
  renew(
    bucket: number,
    token: string,
    times: { now: number; expires_at: number },
  ): Promise<boolean>;
  release(bucket: number, token: string): Promise<void>;
  /** Releases all locks at a path and below it, when the resource is removed. */
  releaseAll(bucket: number, path: Key): Promise<void>;
  removeExpired(now: number): Promise<void>;
  /** Removes all locks of a removed bucket. */
  removeBucket(bucket: number): Promise<void>;
  buckets(): Promise<number[]>;
}

interface Row {
  readonly token: string;
  readonly path: string;
  readonly deep: number;
  readonly exclusive: number;
  readonly owner: string;
  readonly principal: string;
  readonly expires_at: number;
}

const TABLE = 'static_webdav_lock';
const COLUMNS = 'token, path, deep, exclusive, owner, principal, expires_at';

export const openLockStore = (db: Database): LockStore => ({ ...locks(db), ...removals(db) });

function locks(db: Database): Pick<LockStore, 'around' | 'grant' | 'renew' | 'buckets'> {
  return {
    around: (bucket, path, { now, below }) =>
      guarded('locks could not be read', async () => {
        const { where, params } = aroundSql(bucket, path, below);
        const sql = `select ${COLUMNS} from ${TABLE} where ${where} and expires_at > ? order by path, token`;
        return (await db.all<Row>(sql, [...params, now])).map(lockOf);
      }),

    grant: (bucket, lock, now) =>
      guarded('lock could not be taken', () =>
        db.transaction((trx) => grantIn(trx, bucket, lock, now), { alone: TABLE }),
      ),

    renew: (bucket, token, { now, expires_at }) =>
      guarded('lock could not be renewed', async () => {
        const text = `update ${TABLE} set expires_at = ? where token = ? and bucket_id = ? and expires_at > ? returning token`;
        return (await run(db.query, text, [expires_at, token, bucket, now])).length > 0;
      }),

    buckets: () =>
      guarded('locks could not be read', async () => {
        const rows = await db.all<{ bucket_id: number }>(`select distinct bucket_id from ${TABLE}`);
        return rows.map(({ bucket_id }) => Number(bucket_id));
      }),
  };
}

function removals(
  db: Database,
): Pick<LockStore, 'release' | 'releaseAll' | 'removeExpired' | 'removeBucket'> {
  const change = async (text: string, params: readonly SqlValue[]): Promise<void> => {
    await guarded('locks could not be changed', () => run(db.query, text, params));
  };
  return {
    release: (bucket, token) =>
      change(`delete from ${TABLE} where token = ? and bucket_id = ?`, [token, bucket]),

    async releaseAll(bucket, path) {
      const [from, to] = rangeBelow(path);
      const where = 'bucket_id = ? and (path = ? or (path >= ? and path < ?))';
      const params = [bucket, path, from, to];
      const found = await guarded('locks could not be read', () =>
        db.first(`select 1 as found from ${TABLE} where ${where} limit 1`, params),
      );
      if (found) await change(`delete from ${TABLE} where ${where}`, params);
    },

    removeExpired: (now) => change(`delete from ${TABLE} where expires_at <= ?`, [now]),
    removeBucket: (bucket) => change(`delete from ${TABLE} where bucket_id = ?`, [bucket]),
  };
}

function aroundSql(bucket: number, path: Key, below: boolean) {
  // A longer path has no lock, and one with thousands of segments would send all its ancestors.
  const places = [path, ...ancestorsOf(path)].filter(({ length }) => length <= MAX_KEY_BYTES);
  const [from, to] = rangeBelow(path);
  const range = below ? ' or (path >= ? and path < ?)' : '';
  return {
    where: `bucket_id = ? and (path in (${marks(places.length)})${range})`,
    params: [bucket, ...places, ...(below ? [from, to] : [])] as SqlValue[],
  };
}

async function grantIn(
  trx: QueryBuilder,
  bucket: number,
  lock: Lock,
  now: number,
): Promise<Granted> {
  await run(trx, `delete from ${TABLE} where expires_at <= ?`, [now]);
  const { where, params } = aroundSql(bucket, lock.path, lock.deep);
  const rows = await run<Row>(trx, `select ${COLUMNS} from ${TABLE} where ${where}`, params);
  const conflicting = rows.map(lockOf).filter((held) => conflicts(held, lock));
  if (conflicting.length > 0) return { conflicting };
  if (rows.length >= MAX_SHARED && !lock.exclusive) return 'full';
  const counted = `select count(*) as held from ${TABLE} where bucket_id = ?`;
  const [count] = await run<{ held: number }>(trx, counted, [bucket]);
  if (Number(count?.held) >= MAX_LOCKS) return 'full';
  await run(trx, `insert into ${TABLE} (bucket_id, ${COLUMNS}) values (${marks(8)})`, [
    bucket,
    lock.token,
    lock.path,
    Number(lock.deep),
    Number(lock.exclusive),
    lock.owner,
    lock.principal,
    lock.expires_at,
  ]);
  return 'granted';
}

const lockOf = (row: Row): Lock => ({
  token: row.token,
  path: row.path,
  deep: Boolean(row.deep),
  exclusive: Boolean(row.exclusive),
  owner: row.owner,
  principal: row.principal,
  expires_at: Number(row.expires_at),
});
