import { type Counting, type Database, RpcError } from '@svc/plugin-sdk';
import { guarded, type Integer, rowsOf, type SqlValue } from '@svc/plugin-sdk/sql';

/** Token that wrote a worker last. */
export interface Owned {
  /** Key of a token; null: the Super Token, or a row from before owners were kept. No restriction then. */
  readonly owner: string | null;
  /** JSON text of `OwnerRights`; null with `owner`. */
  readonly owner_rights: string | null;
}

/** The limits of one worker as stored; zero, negative and null mean the default (js-worker.md §1.3). */
export interface Limits {
  /** ms */
  readonly runtime_clean_time: Integer | null;
  /** ms */
  readonly max_run_time: Integer | null;
  /** Bytes. */
  readonly max_stack_size: Integer | null;
  /** Bytes. */
  readonly max_heap_size: Integer | null;
}

/** Worker as a run needs it, without its script. */
export interface Worker extends Limits, Owned {
  readonly id: Integer;
  readonly name: string;
  readonly route_name: string | null;
  /** JSON text. */
  readonly env: string | null;
  /** Unix ms; grows with every change. */
  readonly update_at: number;
}

/** A row of `js_worker`. */
export interface WorkerRow extends Worker {
  readonly description: string | null;
  readonly js_script: string;
  readonly create_at: number;
}

/** Values that create and update write. */
export type WorkerContent = Limits &
  Owned &
  Pick<WorkerRow, 'name' | 'description' | 'js_script' | 'route_name' | 'env'>;

/** Workers of one token that are listed at once. */
const MOST_OF_OWNER = 5_000;
const LIMITS = 'runtime_clean_time, max_run_time, max_stack_size, max_heap_size';
const WORKER = `id, name, route_name, cast(env as text) as env, ${LIMITS}, update_at, owner, owner_rights`;
const ROW = `${WORKER}, description, js_script, create_at`;
const CONTENT = [
  'description',
  'js_script',
  'route_name',
  'env',
  'runtime_clean_time',
  'max_run_time',
  'max_stack_size',
  'max_heap_size',
  'owner',
  'owner_rights',
] as const;

export const nameTaken = (name: string): RpcError =>
  RpcError.invalid(`js_worker already exists: ${name}`);
export const routeTaken = (route: string): RpcError =>
  RpcError.invalid(`route_name already exists: ${route}`);

/** Every SQL statement on `js_worker`. Failures of the database are 103 with a neutral text. */
export class WorkerStore {
  readonly #db: Database;
  readonly #counting: Counting;

  constructor(db: Database, counting: Counting) {
    this.#db = db;
    this.#counting = counting;
  }

  byName(name: string): Promise<Worker | undefined> {
    return this.#first(`select ${WORKER} from js_worker where name = ?`, [name]);
  }

  byRoute(route: string): Promise<Worker | undefined> {
    return this.#first(`select ${WORKER} from js_worker where route_name = ?`, [route]);
  }

  row(name: string): Promise<WorkerRow | undefined> {
    return this.#first(`select ${ROW} from js_worker where name = ?`, [name]);
  }

  /** The script as it is now, and its version. */
  script({ id }: Pick<Worker, 'id'>): Promise<{ script: string; update_at: number } | undefined> {
    return this.#first('select js_script as script, update_at from js_worker where id = ?', [id]);
  }

  async names(): Promise<string[]> {
    const sql = 'select name from js_worker order by name';
    const rows = await guarded(UNREAD, () => this.#db.all<{ name: string }>(sql));
    return rows.map(({ name }) => name);
  }

  /** Returns the workers that a token wrote last. */
  ofOwner(owner: string): Promise<Pick<Worker, 'id' | 'name' | 'route_name'>[]> {
    const sql = 'select id, name, route_name from js_worker where owner = ? order by name limit ?';
    return guarded(UNREAD, () => this.#db.all(sql, [owner, MOST_OF_OWNER]));
  }

  /** Workers that a request or a job may want next: those with a route first. */
  preloadable(limit: number): Promise<Worker[]> {
    const order = 'case when route_name is null then 1 else 0 end, id';
    const sql = `select ${WORKER} from js_worker order by ${order} limit ?`;
    return guarded(UNREAD, () => this.#db.all<Worker>(sql, [limit]));
  }

  /** @throws RpcError 108 when name or route is taken, or its owner holds enough */
  insert(content: WorkerContent, now: number): Promise<{ id: Integer }> {
    const columns = ['name', ...CONTENT, 'create_at', 'update_at'];
    const values = [content.name, ...CONTENT.map((column) => content[column]), now, now];
    const text = `insert into js_worker (${columns.join(', ')})
      values (${columns.map(() => '?').join(', ')}) returning id`;
    return guarded('script worker could not be stored', async () => {
      const [row] = await this.#write<{ id: Integer }>(text, values, content);
      return row as { id: Integer };
    });
  }

  /** @returns undefined when the worker is gone. @throws RpcError 108 when the route is taken, or its owner holds too much then */
  update(
    content: WorkerContent,
    now: number,
  ): Promise<{ id: Integer; update_at: number } | undefined> {
    const sets = CONTENT.map((column) => `${column} = ?`).join(', ');
    // Two changes within one millisecond are told apart.
    const text = `update js_worker set ${sets}, js_byte_code = null,
      update_at = case when update_at >= ? then update_at + 1 else ? end
      where name = ? returning id, update_at`;
    const values = [...CONTENT.map((column) => content[column]), now, now, content.name];
    return guarded('script worker could not be changed', async () => {
      const [row] = await this.#write<{ id: Integer; update_at: number }>(text, values, content);
      return row;
    });
  }

  /** @returns the id of the deleted row */
  remove(name: string): Promise<Integer | undefined> {
    const text = 'delete from js_worker where name = ? returning id';
    return guarded('script worker could not be deleted', async () => {
      const [row] = await rowsOf<{ id: Integer }>(this.#db.query, { text, params: [name] });
      return row?.id;
    });
  }

  #first<Row extends object>(sql: string, params: readonly SqlValue[]): Promise<Row | undefined> {
    return guarded('script worker could not be read', () => this.#db.first<Row>(sql, params));
  }

  async #write<Row>(
    text: string,
    params: readonly SqlValue[],
    content: WorkerContent,
  ): Promise<Row[]> {
    try {
      const change = { kind: 'worker', owner: content.owner };
      return await this.#counting.within(change, (on) => rowsOf<Row>(on, { text, params }));
    } catch (cause) {
      throw this.#db.isUniqueViolation(cause) ? await this.#taken(content) : cause;
    }
  }

  /** The loser of two simultaneous writes learns the same as a caller that came later. */
  async #taken({ name, route_name }: WorkerContent): Promise<RpcError> {
    if (route_name === null) return nameTaken(name);
    const same = await this.byName(name);
    if (same?.route_name === route_name) return nameTaken(name);
    return (await this.byRoute(route_name)) ? routeTaken(route_name) : nameTaken(name);
  }
}

const UNREAD = 'script workers could not be read';
