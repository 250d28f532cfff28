import { type Messaging, Type, topic } from '@svc/plugin-sdk';
import type { Integer } from '@svc/plugin-sdk/sql';
import type { TaskAnswer, TaskKey } from './store/tasks.ts';

type Watcher = (id: Integer) => void;

/** `deleted`: the row is gone, no answer will come. */
export type Completion = TaskAnswer | 'deleted';

/** One blocking caller. */
export interface Waiter {
  readonly completion: Promise<Completion>;
  /** The caller that opened it must call this. */
  close(): void;
}

export interface CompletionsOptions {
  readonly messaging: Messaging;
  /** Reads a row: undefined while the task runs, null when the row is gone. */
  readonly read: (id: Integer) => Promise<TaskAnswer | undefined | null>;
  /** The task has ended, or its row is gone. */
  readonly answered: (id: Integer) => void;
  readonly failed: (error: unknown) => void;
}

/** Tasks have ended, or their rows are gone: id and agent of each. */
const TasksEnded = topic(
  'task.done',
  Type.Object({ done: Type.Array(Type.Tuple([Type.Integer(), Type.String()])) }),
);
/** Tasks of one message. */
const BATCH = 1_000;

/** Notifies blocking callers and deliveries of all servers that tasks have ended or that their rows are gone. */
export class Completions {
  readonly #options: CompletionsOptions;
  readonly #waiters = new Map<Integer, (completion: Completion) => void>();
  readonly #watchers = new Map<string, Set<Watcher>>();

  constructor(options: CompletionsOptions) {
    this.#options = options;
    const { messaging, failed } = options;
    messaging.subscribe(TasksEnded, ({ done }, { own }) => {
      if (!own) for (const [id, uuid] of done) this.#ended({ id, uuid });
    });
    // A server may have died between the end of a task and its message; messages may be lost.
    messaging.bus.watch(({ kind }) => {
      if (kind !== 'joined') this.#readAll().catch(failed);
    });
  }

  /** Called before the task is sent: an answer that comes at once must not be missed. */
  open(id: Integer): Waiter {
    const { promise: completion, resolve } = Promise.withResolvers<Completion>();
    this.#waiters.set(id, resolve);
    return { completion, close: () => this.#waiters.delete(id) };
  }

  /** Runs with each task of this agent that has ended or was deleted, on whichever server. @returns ends that */
  watch(uuid: string, run: Watcher): () => void {
    const watchers = this.#watchers.get(uuid) ?? new Set();
    this.#watchers.set(uuid, watchers.add(run));
    return () => {
      if (watchers.delete(run) && watchers.size === 0) this.#watchers.delete(uuid);
    };
  }

  /** A task ended here with this answer. */
  answered(answer: TaskAnswer): void {
    const key = { id: answer.task_id, uuid: answer.agent_uuid };
    this.#waiters.get(key.id)?.(answer);
    this.#notify(key);
    this.#publish([key]);
  }

  /** Tasks ended here, or their rows are gone. Their callers read the row. */
  ended(tasks: readonly TaskKey[]): void {
    for (const key of tasks) this.#ended(key);
    this.#publish(tasks);
  }

  #ended(key: TaskKey): void {
    this.#notify(key);
    this.#read(key.id).catch(this.#options.failed);
  }

  #notify({ id, uuid }: TaskKey): void {
    this.#options.answered(id);
    for (const run of this.#watchers.get(uuid) ?? []) run(id);
  }

  #publish(tasks: readonly TaskKey[]): void {
    for (let at = 0; at < tasks.length; at += BATCH) {
      const batch = tasks.slice(at, at + BATCH);
      const done = batch.map(({ id, uuid }) => [Number(id), uuid] as const);
      this.#options.messaging.publish(TasksEnded, { done });
    }
  }

  async #read(id: Integer): Promise<void> {
    if (!this.#waiters.has(id)) return;
    const row = await this.#options.read(id);
    if (row !== undefined) this.#waiters.get(id)?.(row ?? 'deleted');
  }

  /** One after the other: after the death of a server there may be thousands. */
  async #readAll(): Promise<void> {
    for (const id of [...this.#waiters.keys()]) await this.#read(id);
  }
}
