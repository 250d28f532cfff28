import { createHash } from 'node:crypto';
import type { Database } from '@svc/plugin-sdk';
import {
  guarded,
  marks,
  type QueryBuilder,
  rowsOf,
  type Sql,
  type SqlValue,
} from '@svc/plugin-sdk/sql';
import { isBelow, type Key, MAX_KEY_BYTES, parentOf, rangeBelow } from './paths.ts';
import { run } from './store-sql.ts';

/** Most dead properties of one resource, and of one bucket. Further ones are answered with 507. */
export const MAX_OF_RESOURCE = 100;
export const MAX_OF_BUCKET = 100_000;

/** A dead property: the server only stores it (RFC 4918 §4). */
export interface Property {
  /** `{namespace}local` */
  readonly name: string;
  /** The whole element, with its namespace declarations. */
  readonly value: string;
}

/** One change of a property, in the order of the request. Without a value the property is removed. */
export interface PropertyChange {
  readonly name: string;
  readonly value: string | undefined;
}

/** Every SQL statement on dead properties. A failure of the database gives 103 with a neutral text. */
export interface PropertyStore {
  /** The properties of some resources. */
  of(bucket: number, paths: readonly Key[]): Promise<ReadonlyMap<Key, readonly Property[]>>;
  /** Tells whether a direct member of this directory has properties. */
  anyIn(bucket: number, directory: Key): Promise<boolean>;
  /** Makes all changes or none. @returns false when a limit would be exceeded */
  change(bucket: number, path: Key, changes: readonly PropertyChange[]): Promise<boolean>;
  /** Copies properties and replaces those at `to`. @returns false when a limit would be exceeded */
  copy(bucket: number, from: Key, to: Key, options: { deep: boolean }): Promise<boolean>;
  move(bucket: number, from: Key, to: Key): Promise<void>;
  /** Removes the properties of a resource and of everything below it. */
  drop(bucket: number, path: Key): Promise<void>;
  removeBucket(bucket: number): Promise<void>;
  /** Resources with properties, in the order of the primary key, after the given one. */
  resources(after: Resource | undefined, limit: number): Promise<Resource[]>;
}

export interface Resource {
  readonly bucket_id: number;
  readonly path: Key;
}

/** Names of one statement. */
const CHUNK = 500;

const TABLE = 'static_webdav_property';
const BELOW = '(path = ? or (path >= ? and path < ?))';

const hashOf = (name: string): string => createHash('sha256').update(name).digest('hex');

export const openPropertyStore = (db: Database): PropertyStore => ({ ...reads(db), ...writes(db) });

const reading = <T>(work: () => Promise<T>) => guarded('properties could not be read', work);

function reads(db: Database): Pick<PropertyStore, 'of' | 'anyIn' | 'resources'> {
  return {
    of: (bucket, paths) =>
      reading(async () => {
        const sql = `select path, name, value from ${TABLE} where bucket_id = ? and path in (${marks(paths.length)}) order by path, name_hash`;
        const rows = await db.all<Property & { path: Key }>(sql, [bucket, ...paths]);
        return Map.groupBy(rows, ({ path }) => path);
      }),

    anyIn: (bucket, directory) =>
      reading(async () => {
        const sql = `select 1 as found from ${TABLE} where bucket_id = ? and parent = ? limit 1`;
        return (await db.first(sql, [bucket, directory])) !== undefined;
      }),

    resources: (after, limit) =>
      reading(async () => {
        const where = after ? 'where (bucket_id, path) > (?, ?)' : '';
        const sql = `select distinct bucket_id, path from ${TABLE} ${where} order by bucket_id, path limit ?`;
        const from = after ? [after.bucket_id, after.path] : [];
        const rows = await db.all<Resource>(sql, [...from, limit]);
        return rows.map(({ bucket_id, path }) => ({ bucket_id: Number(bucket_id), path }));
      }),
  };
}

function writes(
  db: Database,
): Pick<PropertyStore, 'change' | 'copy' | 'move' | 'drop' | 'removeBucket'> {
  const writing = <T>(work: (trx: QueryBuilder) => Promise<T>) =>
    guarded('properties could not be changed', () => db.transaction(work, { alone: TABLE }));
  return {
    async change(bucket, path, changes) {
      if (Buffer.byteLength(path) > MAX_KEY_BYTES) return false;
      const resource = { bucket_id: bucket, path };
      return withinLimit(() => writing((trx) => changeIn(trx, resource, changes)));
    },

    copy: (bucket, from, to, { deep }) =>
      withinLimit(() =>
        writing(async (trx) => {
          await dropIn(trx, bucket, to);
          await rowsOf(trx, copySql(db, { bucket, from, to, deep }));
          await checkCount(trx, bucket, MAX_OF_BUCKET);
        }),
      ),

    move: (bucket, from, to) =>
      writing(async (trx) => {
        await dropIn(trx, bucket, to);
        await rowsOf(trx, copySql(db, { bucket, from, to, deep: true }));
        await dropIn(trx, bucket, from);
      }),

    async drop(bucket, path) {
      const [from, to] = rangeBelow(path);
      const sql = `select 1 as found from ${TABLE} where bucket_id = ? and ${BELOW} limit 1`;
      // Most resources have no properties, and a read does not wait for the one writer.
      const found = await reading(() => db.first(sql, [bucket, path, from, to]));
      if (found) await writing((trx) => dropIn(trx, bucket, path));
    },

    async removeBucket(bucket) {
      await writing((trx) => run(trx, `delete from ${TABLE} where bucket_id = ?`, [bucket]));
    },
  };
}

/** A limit would be exceeded. Thrown to roll the transaction back. */
class TooMany extends Error {
  override readonly name = 'TooMany';
}

async function withinLimit(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof TooMany || (error as { cause?: unknown }).cause instanceof TooMany)
      return false;
    throw error;
  }
}

async function changeIn(
  trx: QueryBuilder,
  { bucket_id, path }: Resource,
  changes: readonly PropertyChange[],
): Promise<void> {
  // Of several changes of one property the last one counts.
  const last = new Map(changes.map(({ name, value }) => [name, value]));
  const values = [...last].flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  if (values.length > MAX_OF_RESOURCE) throw new TooMany();
  const hashes = [...last.keys()].map(hashOf);
  for (let at = 0; at < hashes.length; at += CHUNK) {
    const some = hashes.slice(at, at + CHUNK);
    const where = `bucket_id = ? and path = ? and name_hash in (${marks(some.length)})`;
    await run(trx, `delete from ${TABLE} where ${where}`, [bucket_id, path, ...some]);
  }
  for (const [name, value] of values) {
    const columns = 'bucket_id, path, name_hash, parent, name, value';
    const row: SqlValue[] = [bucket_id, path, hashOf(name), parentOf(path) ?? null, name, value];
    await run(trx, `insert into ${TABLE} (${columns}) values (${marks(6)})`, row);
  }
  if (values.length === 0) return;
  await checkCount(trx, bucket_id, MAX_OF_RESOURCE, path);
  await checkCount(trx, bucket_id, MAX_OF_BUCKET);
}

/** @throws TooMany */
async function checkCount(
  trx: QueryBuilder,
  bucket: number,
  limit: number,
  path?: Key,
): Promise<void> {
  const at = path === undefined ? '' : ' and path = ?';
  const sql = `select count(*) as stored from ${TABLE} where bucket_id = ?${at}`;
  const [row] = await run<{ stored: number }>(trx, sql, [bucket, ...(at ? [path as Key] : [])]);
  if (Number(row?.stored) > limit) throw new TooMany();
}

async function dropIn(trx: QueryBuilder, bucket: number, path: Key): Promise<void> {
  const [from, to] = rangeBelow(path);
  await run(trx, `delete from ${TABLE} where bucket_id = ? and ${BELOW}`, [bucket, path, from, to]);
}

interface Copy {
  readonly bucket: number;
  readonly from: Key;
  readonly to: Key;
  /** Tells whether everything below `from` is copied as well. */
  readonly deep: boolean;
}

/** Inserts the rows at `from`, and below it when `deep`, again for `to`; a path that becomes too long gets none. */
function copySql(db: Database, { bucket, from, to, deep }: Copy): Sql {
  const bytes = db.forms.byteLength('path');
  const [low, high] = rangeBelow(from);
  // The part of a path that is kept begins after `from` and its slash; SQL counts characters from 1.
  const start = from === '' ? 1 : [...from].length + 2;
  const moved = (column: string) =>
    `cast(? as text) || '/' || substr(${column}, cast(? as integer))`;
  const grown = Buffer.byteLength(to) - Buffer.byteLength(from) + 1;
  const inside = isBelow(to, from) ? ' and path <> ? and not (path >= ? and path < ?)' : '';
  return {
    text: `insert into ${TABLE} (bucket_id, path, parent, name_hash, name, value)
      select bucket_id,
        case when path = ? then cast(? as text) else ${moved('path')} end,
        case when path = ? then cast(? as text) when parent = ? then cast(? as text) else ${moved('parent')} end,
        name_hash, name, value
      from ${TABLE}
      where bucket_id = ? and (path = ?${deep ? ' or (path >= ? and path < ?)' : ''}) and ${bytes} + ? <= ?${inside}`,
    params: [
      ...[from, to, to, start],
      ...[from, parentOf(to) ?? null, from, to, to, start],
      ...[bucket, from, ...(deep ? [low, high] : []), grown, MAX_KEY_BYTES],
      ...(inside ? [to, ...rangeBelow(to)] : []),
    ],
  };
}
