import { type Auth, canonicalUuid, Int64, type Methods, Type, Uint64, Uuid } from '@svc/plugin-sdk';
import type { Creator } from '../create.ts';
import { demand, mayDo } from '../permissions.ts';
import { checkTask, normaliseTaskType, TaskType } from '../task-type.ts';

const Answer = Type.Object({
  task_id: Uint64,
  agent_uuid: Uuid,
  task_token: Type.String(),
  timestamp: Int64,
  success: Type.Boolean(),
  error_message: Type.Union([Type.String(), Type.Null()]),
  task_event_result: Type.Unknown(),
});

/** `task_create_task` and `task_create_task_blocking` (task.md §4.3, §4.4). */
export function addCreateMethods(methods: Methods, auth: Auth, creator: Creator): void {
  methods.add('task_create_task', {
    summary: 'Queues one task for a connected agent.',
    params: { target_uuid: Uuid, task_type: TaskType },
    result: Type.Object({ id: Uint64 }),
    validate: ({ task_type }) => checkTask(normaliseTaskType(task_type)),
    access: {
      custom({ target_uuid, task_type }, call) {
        const { name } = normaliseTaskType(task_type);
        return demand(auth, call, [mayDo('create', canonicalUuid(target_uuid), name)]);
      },
    },
    async handle({ target_uuid, task_type }, { signal }) {
      const task = normaliseTaskType(task_type);
      return { id: await creator.create(canonicalUuid(target_uuid), task, signal) };
    },
  });

  methods.add('task_create_task_blocking', {
    summary: 'Queues one task for a connected agent and waits for its result.',
    params: {
      target_uuid: Uuid,
      task_type: TaskType,
      timeout_ms: Type.Unsafe<number | bigint>({
        ...Uint64,
        description: 'Longest wait, ms; more than 300,000 counts as that.',
      }),
    },
    result: Answer,
    validate: ({ task_type }) => checkTask(normaliseTaskType(task_type)),
    access: {
      custom({ target_uuid, task_type }, call) {
        const uuid = canonicalUuid(target_uuid);
        const { name } = normaliseTaskType(task_type);
        return demand(auth, call, [mayDo('create', uuid, name), mayDo('read', uuid, name)]);
      },
    },
    handle({ target_uuid, task_type, timeout_ms }, { signal }) {
      const task = normaliseTaskType(task_type);
      return creator.createBlocking(canonicalUuid(target_uuid), task, timeout_ms, signal);
    },
  });
}
