import {
  type Database,
  guarded,
  type Integer,
  RpcError,
  rowsOf,
  type SqlValue,
} from '@svc/plugin-sdk';

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

/** What a run needs to know of a worker beside its script. */
export interface Worker extends Limits {
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

/** What create and update write. */
export type WorkerContent = Limits &
  Pick<WorkerRow, 'name' | 'description' | 'js_script' | 'route_name' | 'env'>;

/** Every SQL statement on `js_worker`. Failures of the database are 103 with a neutral text. */
export interface WorkerStore {
  byName(name: string): Promise<Worker | undefined>;
  byRoute(route: string): Promise<Worker | undefined>;
  row(name: string): Promise<WorkerRow | undefined>;
  /** The script as it is now, and its version. */
  script(worker: Pick<Worker, 'id'>): Promise<{ script: string; update_at: number } | undefined>;
  names(): Promise<string[]>;
  /** Workers that an HTTP request or a job may want next: those with a route first. */
  preloadable(limit: number): Promise<Worker[]>;
  /** @throws RpcError 108 when name or route is taken */
  insert(content: WorkerContent, now: number): Promise<{ id: Integer }>;
  /** @returns the new `update_at`; undefined when the worker is gone. @throws RpcError 108 when the route is taken */
  update(
    content: WorkerContent,
    now: number,
  ): Promise<{ id: Integer; update_at: number } | undefined>;
  /** @returns the id of the deleted row */
  remove(name: string): Promise<Integer | undefined>;
}

const LIMITS = 'runtime_clean_time, max_run_time, max_stack_size, max_heap_size';
const WORKER = `id, name, route_name, cast(env as text) as env, ${LIMITS}, update_at`;
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
] as const;

export const nameTaken = (name: string): RpcError =>
  RpcError.invalid(`js_worker already exists: ${name}`);
export const routeTaken = (route: string): RpcError =>
  RpcError.invalid(`route_name already exists: ${route}`);

export const openWorkerStore = (db: Database): WorkerStore => ({ ...reads(db), ...writes(db) });

const first = <Row extends object>(db: Database, sql: string, params: readonly SqlValue[]) =>
  guarded('script worker could not be read', () => db.first<Row>(sql, params));

function reads(db: Database): Omit<WorkerStore, 'insert' | 'update' | 'remove'> {
  return {
    byName: (name) => first(db, `select ${WORKER} from js_worker where name = ?`, [name]),
    byRoute: (route) => first(db, `select ${WORKER} from js_worker where route_name = ?`, [route]),
    row: (name) => first(db, `select ${ROW} from js_worker where name = ?`, [name]),
    script: ({ id }) =>
      first(db, 'select js_script as script, update_at from js_worker where id = ?', [id]),

    names: () =>
      guarded('script workers could not be read', async () => {
        const rows = await db.all<{ name: string }>('select name from js_worker order by name');
        return rows.map(({ name }) => name);
      }),

    preloadable: (limit) =>
      guarded('script workers could not be read', () =>
        db.all<Worker>(
          `select ${WORKER} from js_worker order by case when route_name is null then 1 else 0 end, id limit ?`,
          [limit],
        ),
      ),
  };
}

/** Of two simultaneous writes the one that fails gets the error of a later one. */
async function lost(
  db: Database,
  cause: unknown,
  { name, route_name }: WorkerContent,
): Promise<never> {
  if (!db.isUniqueViolation(cause)) throw cause;
  const same = await first<Worker>(db, `select ${WORKER} from js_worker where name = ?`, [name]);
  if (route_name !== null && (!same || same.route_name !== route_name)) {
    const sql = 'select id from js_worker where route_name = ?';
    if (await first<Worker>(db, sql, [route_name])) throw routeTaken(route_name);
  }
  throw nameTaken(name);
}

function writes(db: Database): Pick<WorkerStore, 'insert' | 'update' | 'remove'> {
  return {
    insert: (content, now) =>
      guarded('script worker could not be stored', async () => {
        const columns = ['name', ...CONTENT, 'create_at', 'update_at'];
        const values = [content.name, ...CONTENT.map((column) => content[column]), now, now];
        const text = `insert into js_worker (${columns.join(', ')})
          values (${columns.map(() => '?').join(', ')}) returning id`;
        try {
          const [row] = await rowsOf<{ id: Integer }>(db.query, { text, params: values });
          return row as { id: Integer };
        } catch (cause) {
          return lost(db, cause, content);
        }
      }),

    update: (content, now) =>
      guarded('script worker could not be changed', async () => {
        const sets = CONTENT.map((column) => `${column} = ?`).join(', ');
        // Two changes within one millisecond are told apart.
        const text = `update js_worker set ${sets}, js_byte_code = null,
          update_at = case when update_at >= ? then update_at + 1 else ? end
          where name = ? returning id, update_at`;
        const values = [...CONTENT.map((column) => content[column]), now, now, content.name];
        try {
          const query = { text, params: values };
          return (await rowsOf<{ id: Integer; update_at: number }>(db.query, query))[0];
        } catch (cause) {
          return lost(db, cause, content);
        }
      }),

    remove: (name) =>
      guarded('script worker could not be deleted', async () => {
        const text = 'delete from js_worker where name = ? returning id';
        const [row] = await rowsOf<{ id: Integer }>(db.query, { text, params: [name] });
        return row?.id;
      }),
  };
}
