import type { ServerConfig } from './config.ts';
import type { Logger } from './log.ts';
import { TASK_KINDS, type TaskKind } from './task-kinds.ts';

/** What a handler gets besides the content of its task. */
export interface TaskContext {
  readonly server: ServerConfig;
  readonly agent_uuid: string;
  readonly log: Logger;
}

/** Runs one kind of task: its content in (task.md §2), the content of `task_event_result` out; it throws to fail. */
export type TaskHandler = (content: unknown, context: TaskContext) => Promise<unknown>;

/** The kinds this agent can run. A new kind is one entry here; a kind without an entry is never allowed. */
export const taskHandlers: Partial<Record<TaskKind, TaskHandler>> = {};

export interface TaskDeskOptions extends TaskContext {
  /** Unix ms with the measured clock offset. */
  readonly time: () => number;
  /** Queues one `task_upload_task_result`; takes the response as JSON text. */
  readonly upload: (response: string) => void;
  readonly handlers?: Partial<Record<TaskKind, TaskHandler>>;
}

/** Tasks in progress per server (clients.md §2.5: a ring of 32). */
const MAX_RUNNING = 32;

/** Takes the tasks of one server, runs those that its switches allow and uploads a result for every one. */
export class TaskDesk {
  readonly #options: TaskDeskOptions;
  #running = 0;

  constructor(options: TaskDeskOptions) {
    this.#options = options;
  }

  /** One `params.result` of a task notification; without id and token nobody could be answered, so it is dropped. */
  receive(notification: Record<string, unknown>): void {
    const { log } = this.#options;
    const { task_id, task_token, task_event_type } = notification as {
      task_id?: unknown;
      task_token?: unknown;
      task_event_type?: unknown;
    };
    if (!Number.isSafeInteger(task_id) || Number(task_id) < 0 || typeof task_token !== 'string') {
      log.warn('a task without id or token was dropped');
      return;
    }
    const task: Task = { task_id: task_id as number, task_token, ...kindOf(task_event_type) };
    if (this.#running < MAX_RUNNING) void this.#run(task);
    else this.#answer(task, new Error('too many tasks at a time'), null);
  }

  async #run(task: Task): Promise<void> {
    this.#running += 1;
    try {
      const result = await this.#handle(task);
      this.#answer(task, null, { [task.kind]: result });
    } catch (error) {
      this.#answer(task, error, null);
    } finally {
      this.#running -= 1;
    }
  }

  async #handle({ kind, content }: Task): Promise<unknown> {
    const { server, agent_uuid, log, handlers = taskHandlers } = this.#options;
    const known = TASK_KINDS.find((name) => name === kind && server.allowed_tasks.has(name));
    const handler = known && handlers[known];
    if (!handler) throw new Error('Permission Denied: Task not allowed');
    return await handler(content, { server, agent_uuid, log });
  }

  /** Members in alphabetical order (clients.md §2.8). */
  #answer({ task_id, task_token, kind }: Task, error: unknown, result: unknown): void {
    const { agent_uuid, log, time, upload } = this.#options;
    const error_message = error === null ? null : messageOf(error);
    upload(
      JSON.stringify({
        agent_uuid,
        error_message,
        success: error === null,
        task_event_result: result,
        task_id,
        task_token,
        timestamp: time(),
      }),
    );
    log.info('task answered', { task_id, kind, success: error === null });
  }
}

interface Task {
  task_id: number;
  task_token: string;
  kind: string;
  content: unknown;
}

/** Name and content of a task type: a bare string, or an object of one member (task.md §2). */
function kindOf(type: unknown): { kind: string; content: unknown } {
  if (typeof type === 'string') return { kind: type, content: null };
  const members = typeof type === 'object' && type !== null ? Object.entries(type) : [];
  const [[kind, content] = ['', null]] = members;
  return members.length === 1 ? { kind, content } : { kind: '', content: null };
}

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return /^(Permission Denied|Other error): /.test(text) ? text : `Other error: ${text}`;
}
