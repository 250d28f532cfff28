import { type Auth, canonicalUuid, described, type Methods, Type, Uuid } from '@svc/plugin-sdk';
import { Int64, Uint64 } from '@svc/plugin-sdk/schemas';
import type { Integer } from '@svc/plugin-sdk/sql';
import type { Creator } from '../create.ts';
import { demand, mayDo } from '../permissions.ts';
import { TaskResult } from '../result.ts';
import { checkTask, normaliseTaskType, refuseLong, TaskType } from '../type.ts';

const Answer = Type.Object({
  task_id: Uint64,
  agent_uuid: Uuid,
  task_token: Type.String(),
  timestamp: Int64,
  success: Type.Boolean(),
  error_message: Type.Union([Type.String(), Type.Null()]),
  task_event_result: Type.Unsafe<unknown>(Type.Union([TaskResult, Type.Null()])),
});

const WHAT = 'Kind of the task, with what it takes.';

/** `task_create_task` and `task_create_task_blocking` (task.md §4.3, §4.4). */
export function addCreateMethods(methods: Methods, auth: Auth, creator: Creator): void {
  methods.add('task_create_task', {
    summary: 'Queues one task for a connected agent.',
    params: { target_uuid: Uuid, task_type: described(TaskType, WHAT) },
    result: Type.Object({ id: Uint64 }),
    audit: auditText,
    prepare: orderOf,
    right: {
      words: '`task` `create` of the type, in the scope `agent_uuid` `<target_uuid>`',
      scopes: [{ agent_uuid: '<target_uuid>' }],
      permissions: [{ task: { create: '<task_type>' } }],
    },
    access: { needs: ({ uuid, task }) => mayDo('create', uuid, task.name) },
    handle: async ({ uuid, task }, { signal }) => ({
      id: await creator.create(uuid, task, signal),
    }),
  });

  methods.add('task_create_task_blocking', {
    summary: 'Queues one task for a connected agent and waits for its result.',
    secret: true,
    params: {
      target_uuid: Uuid,
      task_type: described(TaskType, WHAT),
      timeout_ms: Type.Unsafe<number | bigint>({
        ...Uint64,
        description: 'Longest wait, ms; more than 300,000 counts as that.',
      }),
    },
    result: Answer,
    audit: auditText,
    prepare: ({ timeout_ms, ...params }) => ({ ...orderOf(params), timeout_ms }),
    right: {
      words:
        '`task` `create` and `task` `read` of the type, in the scope `agent_uuid` `<target_uuid>`',
      scopes: [{ agent_uuid: '<target_uuid>' }],
      permissions: [{ task: { create: '<task_type>' } }, { task: { read: '<task_type>' } }],
    },
    access: {
      custom({ uuid, task: { name } }, call) {
        return demand(auth, call, [mayDo('create', uuid, name), mayDo('read', uuid, name)]);
      },
    },
    handle: ({ uuid, task, timeout_ms }, { signal }) =>
      creator.createBlocking(uuid, task, timeout_ms, signal),
  });
}

/** Returns the text for the record of changes; what the task does is in its row. */
function auditText({ target_uuid, task_type }: Order, made: unknown): string {
  const name = typeof task_type === 'string' ? task_type : Object.keys(task_type)[0];
  const { id, task_id = id } = (made ?? {}) as { id?: Integer; task_id?: Integer };
  return `${name} on ${target_uuid}${task_id === undefined ? '' : `, task ${task_id}`}`;
}

interface Order {
  readonly target_uuid: string;
  readonly task_type: TaskType;
}

/** The agent and the task in their normal forms. @throws RpcError 108, -32602 */
function orderOf({ target_uuid, task_type }: Order) {
  refuseLong(task_type);
  const task = normaliseTaskType(task_type);
  checkTask(task);
  return { uuid: canonicalUuid(target_uuid), task };
}
