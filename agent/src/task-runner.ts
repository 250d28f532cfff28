import { setMaxListeners } from 'node:events';
import { Slots, withLimit } from './limits.ts';
import type { TaskContext, TaskHandler } from './task-context.ts';
import { TASK_KINDS, type TaskKind } from './task-kinds.ts';
import { taskHandlers } from './tasks/index.ts';

export interface TaskRunnerOptions extends Omit<TaskContext, 'task_id' | 'task_token' | 'signal'> {
  /** Unix ms with the measured clock offset. */
  readonly time: () => number;
  /** Queues one `task_upload_task_result`; takes the response as JSON text. */
  readonly upload: (response: string) => void;
  readonly handlers?: Partial<Record<TaskKind, TaskHandler>>;
}

/** Tasks of one server that run at a time, without those that take no place. A bound for what a server may start, not a turn: tasks that wait for something delay no others. */
const MAX_RUNNING = 256;
/** Kinds that are over at once. They are answered along with any number of others. */
const QUICK: ReadonlySet<TaskKind> = new Set(['version', 'read_config', 'edit_config']);
/** Tasks of one server that wait. A task beyond these is answered with a failure. */
const MAX_WAITING = 512;
/** Limit of every task except a terminal, waiting included (clients.md §2.8). */
const TASK_MS = 600_000;

interface Task {
  task_id: number;
  task_token: string;
  kind: string;
  content: unknown;
}

/** Receives the tasks of one server, runs those that its switches allow and uploads a result for every one. */
export class TaskRunner {
  readonly #options: TaskRunnerOptions;
  readonly #slots = new Slots(MAX_RUNNING);
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  constructor(options: TaskRunnerOptions) {
    this.#options = options;
    // Every task that runs or waits adds one listener; their number is bounded by the limits above.
    setMaxListeners(0, this.#stop.signal);
  }

  /** Receives `params.result` of one task notification. Without id and token no answer is possible, so it is dropped. */
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
    void this.#run({ task_id: task_id as number, task_token, ...kindOf(task_event_type) });
  }

  /** Ends every task and answers it. Resolves when all of them have ended. */
  async stop(reason: string): Promise<void> {
    this.#stop.abort(new Error(reason));
    await Promise.allSettled(this.#running);
  }

  async #run(task: Task): Promise<void> {
    try {
      const result = await this.#handle(task);
      this.#answer(task, null, { [task.kind]: result });
    } catch (error) {
      this.#answer(task, error, null);
    }
  }

  async #handle(task: Task): Promise<unknown> {
    const { server, runtime, handlers = taskHandlers } = this.#options;
    const kind = TASK_KINDS.find((name) => name === task.kind && server.allowed_tasks.has(name));
    const handler = kind && handlers[kind];
    if (!handler) throw new Error('Permission Denied: Task not allowed');
    if (runtime.isRestarting) throw new Error('the agent is about to start again');
    const { signal } = this.#stop;
    if (kind === 'web_shell' || QUICK.has(kind)) return await this.#call(handler, task, signal);
    if (this.#slots.waiting >= MAX_WAITING) throw new Error('too many tasks at a time');
    const limit = { clock: runtime.clock, label: 'task', ms: TASK_MS, parent: signal };
    return await withLimit(limit, (limited) =>
      this.#slots.run(limited, () => this.#call(handler, task, limited)),
    );
  }

  async #call(handler: TaskHandler, task: Task, signal: AbortSignal): Promise<unknown> {
    const { task_id, task_token, content } = task;
    const { server, agent_uuid, log, runtime } = this.#options;
    const context = { task_id, task_token, server, agent_uuid, log, runtime, signal };
    const work = handler(content, context);
    this.#running.add(work);
    try {
      return await work;
    } finally {
      this.#running.delete(work);
    }
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

/** Name and content of a task type: a bare string, or an object of one member (task.md §2). */
function kindOf(type: unknown): { kind: string; content: unknown } {
  if (typeof type === 'string') return { kind: type, content: null };
  const members = typeof type === 'object' && type !== null ? Object.entries(type) : [];
  const [[kind, content] = ['', null]] = members;
  return members.length === 1 ? { kind, content } : { kind: '', content: null };
}

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message || codeOf(error) : String(error);
  return /^(Permission Denied|Other error): /.test(text) ? text : `Other error: ${text}`;
}

/** Code of an error: a connection that failed on every address of a host has no message. */
const codeOf = (error: Error & { code?: unknown }): string => String(error.code ?? error.name);
