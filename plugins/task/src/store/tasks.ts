import { type Database, RpcError } from '@svc/plugin-sdk';
import { parseJson } from '@svc/plugin-sdk/json';
import { guarded, type Integer, marks, rowsOf, type Sql, type SqlForms } from '@svc/plugin-sdk/sql';

/** A row to insert. */
export interface NewTask {
  /** Lower-case hyphenated. */
  readonly uuid: string;
  readonly token: string;
  readonly cronSource: string | null;
  /** Tells the runs of a job apart; null: no job's task. */
  readonly cronRun: Integer | null;
  readonly typeName: string;
  /** JSON text. */
  readonly type: string;
  /** Unix ms. */
  readonly createdAt: number;
}

/** A row, as far as deliveries, uploads and terminals need it. */
export interface TaskRow {
  readonly id: Integer;
  readonly uuid: string;
  readonly token: string;
  readonly type_name: string;
  /** JSON text. */
  readonly type: string;
  /** null while running. */
  readonly success: boolean | null;
}

/** Outcome of a task. */
export interface Ending {
  readonly timestamp: Integer;
  readonly success: boolean;
  readonly error_message: string | null;
  /** JSON text. */
  readonly result: string | null;
}

/** Answer of an agent, as a blocking caller gets it (task.md §4.4). */
export interface TaskAnswer {
  readonly task_id: Integer;
  /** Lower-case hyphenated. */
  readonly agent_uuid: string;
  readonly task_token: string;
  /** Unix ms. */
  readonly timestamp: Integer;
  readonly success: boolean;
  readonly error_message: string | null;
  readonly task_event_result: unknown;
}

/** Names one row: its id and its agent. */
export interface TaskKey {
  readonly id: Integer;
  readonly uuid: string;
}

/** Rows of one statement. */
const CHUNK = 500;
/** A terminal has no time limit. */
const UNLIMITED_TYPE = 'web_shell';

/** Single rows of `task`. Every method throws RpcError 103 with a neutral text when the database fails. */
export class TaskStore {
  readonly #db: Database;
  readonly #forms: SqlForms;
  readonly #columns: string;

  constructor(db: Database) {
    this.#db = db;
    this.#forms = db.forms;
    this.#columns = `t.id, ${this.#forms.uuidText('t.uuid')} as uuid, t.token, t.type_name, t.task_event_type as type, t.success`;
  }

  /** @returns ids in the order of `tasks` */
  insert(tasks: readonly NewTask[]): Promise<Integer[]> {
    return guarded('task could not be stored', async () => {
      if (tasks.length === 0) return [];
      if (tasks.length <= CHUNK) return this.#insertSome(this.#db.query, tasks);
      // Agents in one order: on Postgres transactions that count bytes for the same agents never wait in a circle.
      const ordered = tasks.toSorted((a, b) => (a.uuid < b.uuid ? -1 : Number(a.uuid > b.uuid)));
      return this.#db.transaction(async (trx) => {
        const ids = new Map<NewTask, Integer>();
        for (const some of chunks(ordered)) {
          const stored = await this.#insertSome(trx, some);
          for (const [at, task] of some.entries()) ids.set(task, stored[at] as Integer);
        }
        return tasks.map((task) => ids.get(task) as Integer);
      });
    });
  }

  find(id: Integer): Promise<TaskRow | undefined> {
    return guarded('task could not be read', async () => {
      const sql = `select ${this.#columns} from task t where t.id = ?`;
      const row = await this.#db.first<Stored>(sql, [id]);
      return row && rowOf(row);
    });
  }

  /** The running tasks of one type and agent. */
  running(uuid: string, typeName: string): Promise<TaskRow[]> {
    return guarded('tasks could not be read', async () => {
      // Index (uuid, timestamp): running tasks have no timestamp.
      const sql = `select ${this.#columns} from task t where t.uuid = ? and t.timestamp is null
        and t.success is null and t.type_name = ? limit ${CHUNK}`;
      return (await this.#db.all<Stored>(sql, [this.#forms.uuid(uuid), typeName])).map(rowOf);
    });
  }

  /** Ends a running task. @returns false when it was not running any more */
  finish(id: Integer, ending: Ending): Promise<boolean> {
    return guarded('task could not be updated', async () => {
      const { timestamp, success, error_message, result } = ending;
      const rows = await rowsOf(this.#db.query, {
        text: `update task set timestamp = ?, success = ?, error_message = ?, task_event_result = ?
          where id = ? and success is null returning id`,
        params: [timestamp, this.#forms.boolean(success), error_message, result, id],
      });
      return rows.length > 0;
    });
  }

  /** Ends running tasks as failed. @returns those that were running */
  async fail(ids: readonly Integer[], message: string, timestamp: number): Promise<TaskKey[]> {
    const failed: TaskKey[] = [];
    for (const some of chunks(ids)) {
      const which = { text: marks(some.length), params: some };
      failed.push(...(await this.#fail(which, message, timestamp)));
    }
    return failed;
  }

  /** Ends up to 500 running tasks created before `before` as failed; terminals have no time limit. */
  failOld(before: number, message: string, timestamp: number): Promise<TaskKey[]> {
    const text = `select id from task where success is null and created_at < ? and type_name <> ?
      order by created_at limit ${CHUNK}`;
    return this.#fail({ text, params: [before, UNLIMITED_TYPE] }, message, timestamp);
  }

  async remove(ids: readonly Integer[]): Promise<void> {
    for (const some of chunks(ids)) {
      const text = `delete from task where id in (${marks(some.length)}) returning id`;
      await guarded('task could not be deleted', () =>
        rowsOf(this.#db.query, { text, params: some }),
      );
    }
  }

  /** Tells whether a task of this run is stored. Rows that 0.6.0 wrote name no run: their time decides. */
  hasRun(cronSource: string, run: Integer): Promise<boolean> {
    return guarded('tasks could not be read', async () => {
      // Index (cron_source); asked once after the death of a server.
      const sql = `select id from task where cron_source = ?
        and (cron_run = ? or (cron_run is null and created_at >= ?)) limit 1`;
      return (await this.#db.first(sql, [cronSource, run, run])) !== undefined;
    });
  }

  /** The agent's answer as a blocking caller gets it; undefined while the task runs, null when the row is gone. */
  answer(id: Integer): Promise<TaskAnswer | undefined | null> {
    return guarded('task could not be read', async () => {
      const sql = `select ${this.#forms.uuidText('t.uuid')} as uuid, t.token, t.timestamp, t.success,
        t.error_message, t.task_event_result as result from task t where t.id = ?`;
      const row = await this.#db.first<Answered>(sql, [id]);
      return row ? answerOf(id, row) : null;
    });
  }

  async #insertSome(on: Parameters<typeof rowsOf>[0], tasks: readonly NewTask[]) {
    const one = `(${marks(7)})`;
    const rows = await rowsOf<{ id: Integer; token: string }>(on, {
      text: `insert into task (uuid, token, cron_source, cron_run, task_event_type, type_name, created_at)
        values ${tasks.map(() => one).join(', ')} returning id, token`,
      params: tasks.flatMap((task) => [
        this.#forms.uuid(task.uuid),
        task.token,
        task.cronSource,
        task.cronRun,
        task.type,
        task.typeName,
        task.createdAt,
      ]),
    });
    // Databases may return rows in any order; the tokens of one call are distinct.
    const ids = new Map(rows.map(({ id, token }) => [token, id]));
    return tasks.map(({ token }) => ids.get(token) as Integer);
  }

  #fail({ text, params }: Sql, message: string, timestamp: number): Promise<TaskKey[]> {
    return guarded('task could not be updated', async () => {
      const rows = await rowsOf<TaskKey>(this.#db.query, {
        text: `update task as t set success = ?, timestamp = ?, error_message = ?
          where t.id in (${text}) and t.success is null
          returning id, ${this.#forms.uuidText('uuid')} as uuid`,
        params: [this.#forms.boolean(false), timestamp, message, ...params],
      });
      return rows.map(({ id, uuid }) => ({ id, uuid }));
    });
  }
}

interface Stored extends Omit<TaskRow, 'success'> {
  readonly success: boolean | number | null;
}

const rowOf = (row: Stored): TaskRow => ({
  ...row,
  success: row.success === null ? null : Boolean(row.success),
});

interface Answered {
  readonly uuid: string;
  readonly token: string;
  readonly timestamp: Integer | null;
  readonly success: boolean | number | null;
  readonly error_message: string | null;
  readonly result: string | null;
}

function answerOf(id: Integer, row: Answered): TaskAnswer | undefined {
  if (row.success === null) return undefined;
  if (row.timestamp === null) throw RpcError.database(`task ${id} has ended without a time`);
  return {
    task_id: id,
    agent_uuid: row.uuid,
    task_token: row.token,
    timestamp: row.timestamp,
    success: Boolean(row.success),
    error_message: row.error_message,
    task_event_result: row.result === null ? null : parseJson(row.result),
  };
}

function* chunks<T>(list: readonly T[]): Generator<T[]> {
  for (let at = 0; at < list.length; at += CHUNK) yield list.slice(at, at + CHUNK);
}
