import { type Auth, canonicalUuid, type Principal, RpcError } from '@svc/plugin-sdk';
import type { Integer } from '@svc/plugin-sdk/sql';
import type { Completions } from './completions.ts';
import { mayDo } from './permissions.ts';
import { normaliseResult, type Upload } from './result.ts';
import { storableText } from './storable.ts';
import type { Room } from './store/room.ts';
import type { Ending, TaskRow, TaskStore } from './store/tasks.ts';
import type { VersionStore } from './store/versions.ts';

const INT64_MAX = 2n ** 63n - 1n;
/** Results that are shorter need no check of what the others take. */
const FEW_BYTES = 4_096;

/** Stores the one result of a task (task.md §4.5). @throws RpcError 102, 103, 105, 108 */
export type StoreResult = (upload: Upload, caller: Principal) => Promise<Integer>;

export interface UploadsOptions {
  readonly store: TaskStore;
  readonly room: Room;
  readonly versions: VersionStore;
  readonly completions: Completions;
}

export function createUploads(
  auth: Auth,
  { store, room, versions, completions }: UploadsOptions,
): StoreResult {
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
    const whole = { timestamp, success, error_message, result: result?.text ?? null };
    const ending = await fitting(uuid, whole);
    if (!(await store.finish(id, ending))) throw uploaded(id);
    completions.answered({
      task_id: id,
      agent_uuid: uuid,
      task_token,
      timestamp,
      success: ending.success,
      error_message: ending.error_message,
      task_event_result: ending.result && (JSON.parse(ending.result) as unknown),
    });
    if (ending.success && given) await versions.record(uuid, given);
    return id;
  };

  /** A result for which the agent's tasks leave no room ends as a failure that says so. */
  async function fitting(uuid: string, ending: Ending): Promise<Ending> {
    const bytes = Buffer.byteLength(`${ending.result ?? ''}${ending.error_message ?? ''}`);
    if (bytes < FEW_BYTES || (await room.without([uuid], bytes)).size === 0) return ending;
    return { ...ending, success: false, error_message: room.text(uuid), result: null };
  }

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
