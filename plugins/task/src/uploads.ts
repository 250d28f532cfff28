import { type Auth, canonicalUuid, type Integer, type Principal, RpcError } from '@svc/plugin-sdk';
import type { Completions } from './completions.ts';
import { mayDo } from './permissions.ts';
import { storableText } from './storable.ts';
import type { TaskRow, TaskStore } from './store/tasks.ts';
import { normaliseResult, type Upload } from './task-result.ts';

const INT64_MAX = 2n ** 63n - 1n;

/** Stores the one result of a task (task.md §4.5). @throws RpcError 102, 103, 105, 108 */
export type TakeResult = (upload: Upload, caller: Principal) => Promise<Integer>;

export function createUploads(auth: Auth, store: TaskStore, completions: Completions): TakeResult {
  return async (upload, caller) => {
    const { task_id: id, task_token, timestamp, success } = upload;
    const uuid = canonicalUuid(upload.agent_uuid);
    const row = await runningRow(id, uuid, task_token);
    const right = mayDo('write', uuid, row.type_name);
    if (!(await auth.allows(caller, right))) throw RpcError.denied(right.denied);
    if (timestamp > INT64_MAX) throw RpcError.invalid(`timestamp ${timestamp} is too large`);
    const given = upload.task_event_result ?? null;
    const result = given && normaliseResult(given);
    if (result && result.name !== row.type_name) {
      throw RpcError.invalid(
        `a result of ${result.name} does not answer a task of ${row.type_name}`,
      );
    }
    const error_message = upload.error_message == null ? null : storableText(upload.error_message);
    const ending = { timestamp, success, error_message, result: result?.text ?? null };
    if (!(await store.finish(id, ending))) throw uploaded(id);
    completions.answered({
      task_id: id,
      agent_uuid: uuid,
      task_token,
      timestamp,
      success,
      error_message,
      task_event_result: result && (JSON.parse(result.text) as unknown),
    });
    return id;
  };

  async function runningRow(id: Integer, uuid: string, token: string): Promise<TaskRow> {
    const row = id > INT64_MAX ? undefined : await store.find(id);
    if (!row || row.uuid !== uuid || row.token !== token) {
      throw RpcError.notFound('no task with this id, agent and token');
    }
    if (row.success !== null) throw uploaded(id);
    return row;
  }
}

const uploaded = (id: Integer) =>
  RpcError.invalid(`the result of task ${id} has already been uploaded`);
