import { type Counting, type Database, RpcError } from '@svc/plugin-sdk';
import { guarded, type Integer } from '@svc/plugin-sdk/sql';

/** One registered database (db.md §1.1). */
export interface Entry {
  readonly id: number;
  readonly name: string;
  readonly db_connections: number | null;
  /** ms without use after which its connections close; null: the configured time. */
  readonly max_lifetime_ms: number | null;
  /** Unix ms. */
  readonly created_at: number;
}

/** Every SQL statement of the registry. Failures of the database become 103 with a neutral text. */
export interface Store {
  byName(name: string): Promise<Entry | undefined>;
  byId(id: number): Promise<Entry | undefined>;
  /** All, in byte order of the names. */
  list(): Promise<Entry[]>;
  /** @throws RpcError 108 when the name is taken, or its owner holds enough */
  insert(name: string, created_at: number, owner: string | null): Promise<Entry>;
  /** Databases of all. */
  count(): Promise<number>;
  /** @throws RpcError 108 as `insert` */
  demandRoom(owner: string | null): Promise<void>;
  /** Counts one more opening. @throws RpcError 108 when the name is taken; 103 when it has another name by now, or is gone */
  rename({ id, name }: Entry, new_name: string): Promise<void>;
  /** @returns false when it has another name by now, or is gone */
  remove({ id, name }: Entry): Promise<boolean>;
}

const columns = ['id', 'name', 'db_connections', 'max_lifetime_ms', 'created_at'] as const;
const select = `select ${columns.join(', ')} from db_registry`;

const KIND = 'database';
const UNREADABLE = 'the registry could not be read';

export const taken = (name: string) => RpcError.invalid(`Database '${name}' already exists`);

export function openStore(db: Database, counting: Counting): Store {
  const table = () => db.query<Entry>('db_registry');
  const unlessTaken = async <T>(name: string, detail: string, work: () => Promise<T>): Promise<T> =>
    guarded(detail, () =>
      work().catch((error: unknown) => {
        throw db.isUniqueViolation(error) ? taken(name) : error;
      }),
    );
  return {
    // No name of the registry holds U+0000, and Postgres refuses the question.
    byName: async (name) =>
      name.includes('\0')
        ? undefined
        : guarded(UNREADABLE, () => db.first<Entry>(`${select} where name = ?`, [name])),
    byId: (id) => guarded(UNREADABLE, () => db.first<Entry>(`${select} where id = ?`, [id])),
    list: () => guarded(UNREADABLE, () => db.all<Entry>(`${select} order by name`)),
    insert: (name, created_at, owner) =>
      unlessTaken(name, 'Failed to register database', async () => {
        const row = { name, created_at, owner, db_connections: 1 };
        const [made] = await counting.within({ kind: KIND, owner }, (on) =>
          on<Entry>('db_registry').insert(row).returning(columns),
        );
        return made as Entry;
      }),
    count: () =>
      guarded(UNREADABLE, async () => {
        const sql = 'select count(*) as n from db_registry';
        return Number((await db.first<{ n: Integer }>(sql))?.n);
      }),
    demandRoom: (owner) => guarded(UNREADABLE, () => counting.demandRoom({ kind: KIND, owner })),
    rename: ({ id, name }, new_name) =>
      unlessTaken(new_name, 'Failed to update registry after rename', async () => {
        const more = db.query.raw('coalesce(db_connections, 0) + 1');
        const changed = await table()
          .where({ id, name })
          .update({ name: new_name, db_connections: more });
        if (changed === 0) throw new Error('the database is no longer registered by that name');
      }),
    remove: ({ id, name }) =>
      guarded('Failed to delete database', async () => {
        return (await table().where({ id, name }).delete()) > 0;
      }),
  };
}
