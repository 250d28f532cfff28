import { type Database, type QueryBuilder, RpcError } from '@svc/plugin-sdk';
import type { Bucket } from './api.ts';

interface Row {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly is_http_root: boolean | number;
  readonly cors: boolean | number;
  readonly enable: boolean | number | null;
}

export type Settings = Pick<Bucket, 'path' | 'is_http_root' | 'cors'>;

/** The reads and writes of one change, all in its transaction. */
export interface Changes {
  readonly buckets: readonly Bucket[];
  insert(name: string, settings: Settings): Promise<unknown>;
  update(name: string, settings: Settings & Pick<Bucket, 'enable'>): Promise<unknown>;
  remove(name: string): Promise<unknown>;
}

/** Every SQL statement of the bucket records. */
export interface BucketStore {
  /** All records; 999 when the database fails. */
  all(): Promise<Bucket[]>;
  /**
   * Runs one change while no other server changes records. @returns all records after it
   * @throws RpcError those of `work`; 103 `<refused>…` when a unique index refuses
   */
  change(refused: string, work: (changes: Changes) => Promise<void>): Promise<Bucket[]>;
}

const COLUMNS = ['id', 'name', 'path', 'is_http_root', 'cors', 'enable'] as const;

export function openBucketStore(db: Database): BucketStore {
  const read = async (query: QueryBuilder): Promise<Bucket[]> =>
    (await query<Row>('static_file').select(COLUMNS)).map(bucketOf);

  return {
    all: () => read(db.query),

    async change(refused, work) {
      try {
        const change = async (trx: QueryBuilder) => {
          await work(changesIn(trx, await read(trx)));
          return read(trx);
        };
        // Alone: no constraint of a database can forbid overlapping directories.
        return await db.transaction(change, { alone: 'static_file' });
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
});

const bucketOf = (row: Row): Bucket => ({
  id: Number(row.id),
  name: row.name,
  path: row.path,
  is_http_root: Boolean(row.is_http_root),
  cors: Boolean(row.cors),
  enable: row.enable === null ? null : Boolean(row.enable),
});
