import {
  type Database,
  guarded,
  type Integer,
  marks,
  parseJson,
  RpcError,
  rowsOf,
  type SqlValue,
} from '@svc/plugin-sdk';
import type { TaskAnswer } from '../completions.ts';
import { type Forms, formsOf } from './sql.ts';

/** A row to insert. */
export interface NewTask {
  /** Lower-case hyphenated. */
  readonly uuid: string;
  readonly token: string;
  readonly cronSource: string | null;
  readonly typeName: string;
  /** JSON text. */
  readonly type: string;
  /** Unix ms. */
  readonly createdAt: number;
}

/** What decides about an upload or a terminal. */
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

/** How a task ended. */
export interface Ending {
  readonly timestamp: Integer;
  readonly success: boolean;
  readonly error_message: string | null;
  /** JSON text. */
  readonly result: string | null;
}

/** Names one row: its id and its agent. */
export interface TaskKey {
  readonly id: Integer;
  readonly uuid: string;
}

/** Single rows of `task`. Failures of the database are 103 with a neutral text. */
export interface TaskStore {
  /** @returns ids in the order of `tasks` */
  insert(tasks: readonly NewTask[]): Promise<Integer[]>;
  find(id: Integer): Promise<TaskRow | undefined>;
  /** The running tasks of one type and agent. */
  running(uuid: string, typeName: string): Promise<TaskRow[]>;
  /** Ends a running task. @returns false when it was not running any more */
  finish(id: Integer, ending: Ending): Promise<boolean>;
  /** Ends running tasks as failed. @returns those that were running */
  fail(ids: readonly Integer[], message: string, timestamp: number): Promise<TaskKey[]>;
  /** As `fail`, for up to 500 tasks created before `before`; terminals run as long as they like. */
  failOld(before: number, message: string, timestamp: number): Promise<TaskKey[]>;
  remove(ids: readonly Integer[]): Promise<void>;
  /** True when a task of this job was created from `from` until before `to`. */
  startedBetween(cronSource: string, from: Integer, to?: Integer): Promise<boolean>;
  /** The agent's answer as a blocking caller gets it; undefined while running, null when the row is gone. */
  answer(id: Integer): Promise<TaskAnswer | undefined | null>;
}

/** Rows of one statement. */
const CHUNK = 500;
/** A terminal has no time limit. */
const UNLIMITED_TYPE = 'web_shell';

export function openTaskStore(db: Database): TaskStore {
  const forms = formsOf(db);
  const columns = `t.id, ${forms.uuidText} as uuid, t.token, t.type_name, t.task_event_type as type, t.success`;

  const fail = (where: string, params: readonly SqlValue[], message: string, timestamp: number) =>
    guarded('task could not be updated', async () => {
      const set = 'success = ?, timestamp = ?, error_message = ?';
      const rows = await rowsOf<TaskKey>(db.knex, {
        text: `update task as t set ${set} where ${where} and t.success is null
          returning id, ${forms.uuidText.replaceAll('t.uuid', 'uuid')} as uuid`,
        params: [forms.boolean(false), timestamp, message, ...params],
      });
      return rows.map(({ id, uuid }) => ({ id, uuid }));
    });

  return {
    insert: (tasks) => guarded('task could not be stored', () => insert(db, forms, tasks)),

    find: (id) =>
      guarded('task could not be read', async () => {
        const row = await db.first<Stored>(`select ${columns} from task t where t.id = ?`, [id]);
        return row && rowOf(row);
      }),

    running: (uuid, typeName) =>
      guarded('tasks could not be read', async () => {
        // Index (uuid, timestamp): running tasks have no timestamp.
        const sql = `select ${columns} from task t where t.uuid = ? and t.timestamp is null
          and t.success is null and t.type_name = ? limit ${CHUNK}`;
        return (await db.all<Stored>(sql, [forms.uuid(uuid), typeName])).map(rowOf);
      }),

    finish: (id, ending) =>
      guarded('task could not be updated', async () => {
        const { timestamp, success, error_message, result } = ending;
        const rows = await rowsOf(db.knex, {
          text: `update task set timestamp = ?, success = ?, error_message = ?, task_event_result = ?
            where id = ? and success is null returning id`,
          params: [timestamp, forms.boolean(success), error_message, result, id],
        });
        return rows.length > 0;
      }),

    async fail(ids, message, timestamp) {
      const failed: TaskKey[] = [];
      for (const some of chunks(ids)) {
        failed.push(...(await fail(`t.id in (${marks(some.length)})`, some, message, timestamp)));
      }
      return failed;
    },

    failOld(before, message, timestamp) {
      const old = `select id from task where success is null and created_at < ? and type_name <> ?
        order by created_at limit ${CHUNK}`;
      return fail(`t.id in (${old})`, [before, UNLIMITED_TYPE], message, timestamp);
    },

    async remove(ids) {
      for (const some of chunks(ids)) {
        const text = `delete from task where id in (${marks(some.length)}) returning id`;
        await guarded('task could not be deleted', () => rowsOf(db.knex, { text, params: some }));
      }
    },

    startedBetween: (cronSource, from, to = 2n ** 63n - 1n) =>
      guarded('tasks could not be read', async () => {
        // Index (cron_source); asked once after the death of a server.
        const sql = `select id from task where cron_source = ? and created_at >= ?
          and created_at < ? limit 1`;
        return (await db.first(sql, [cronSource, from, to])) !== undefined;
      }),

    answer: (id) => guarded('task could not be read', () => answer(db, forms, id)),
  };
}

async function insert(db: Database, forms: Forms, tasks: readonly NewTask[]): Promise<Integer[]> {
  const one = `(${marks(6)})`;
  const insertSome = async (on: Parameters<typeof rowsOf>[0], some: readonly NewTask[]) => {
    const rows = await rowsOf<{ id: Integer; token: string }>(on, {
      text: `insert into task (uuid, token, cron_source, task_event_type, type_name, created_at)
        values ${some.map(() => one).join(', ')} returning id, token`,
      params: some.flatMap((task) => [
        forms.uuid(task.uuid),
        task.token,
        task.cronSource,
        task.type,
        task.typeName,
        task.createdAt,
      ]),
    });
    // The order of returned rows is not promised; the tokens of one call are distinct.
    const ids = new Map(rows.map(({ id, token }) => [token, id]));
    return some.map(({ token }) => ids.get(token) as Integer);
  };
  if (tasks.length <= CHUNK) return tasks.length === 0 ? [] : insertSome(db.knex, tasks);
  return db.transaction(async (trx) => {
    const ids: Integer[] = [];
    for (const some of chunks(tasks)) ids.push(...(await insertSome(trx, some)));
    return ids;
  });
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

async function answer(db: Database, { uuidText }: Forms, id: Integer) {
  const sql = `select ${uuidText} as uuid, t.token, t.timestamp, t.success, t.error_message,
    t.task_event_result as result from task t where t.id = ?`;
  const row = await db.first<Answered>(sql, [id]);
  if (!row) return null;
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
