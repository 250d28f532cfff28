import type { Bus, Integer } from '@svc/plugin-sdk';
import type { TaskKey } from './store/tasks.ts';

/** What an agent answered, as a blocking caller gets it (task.md §4.4). */
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

/** `deleted`: the row is gone, nothing will come any more. */
export type Completion = TaskAnswer | 'deleted';

/** One blocking caller. */
export interface Waiter {
  readonly completion: Promise<Completion>;
  /** Must be called by whoever opened it. */
  close(): void;
}

/** Tells those who wait that a task has ended or is gone, on whichever server that happened. */
export interface Completions {
  /** Before the task is sent: an answer that comes at once must not be missed. */
  open(id: Integer): Waiter;
  /** A task ended here with this answer. */
  answered(answer: TaskAnswer): void;
  /** Tasks ended, or their rows are gone: who waits reads the row. */
  ended(tasks: readonly TaskKey[]): void;
  /** Callers that wait. */
  readonly waiting: number;
}

export interface CompletionsOptions {
  readonly bus: Bus;
  /** Reads a row: undefined while it runs, null when it is gone. */
  readonly read: (id: Integer) => Promise<TaskAnswer | undefined | null>;
  /** The task takes no place in its agent's window any more. */
  readonly forget: (task: TaskKey) => void;
  readonly failed: (error: unknown) => void;
}

const TOPIC = 'task.done';
/** Tasks of one message. */
const BATCH = 1_000;

export function createCompletions({ bus, read, forget, failed }: CompletionsOptions): Completions {
  const waiters = new Map<Integer, (completion: Completion) => void>();

  const publish = (tasks: readonly TaskKey[]): void => {
    for (let at = 0; at < tasks.length; at += BATCH) {
      const done = tasks.slice(at, at + BATCH).map(({ id, uuid }) => [Number(id), uuid]);
      bus.publish(TOPIC, { done });
    }
  };

  const look = async (id: Integer): Promise<void> => {
    if (!waiters.has(id)) return;
    const row = await read(id);
    if (row !== undefined) waiters.get(id)?.(row ?? 'deleted');
  };

  bus.subscribe(TOPIC, (payload, { own }) => {
    const { done } = (payload ?? {}) as { done?: unknown };
    if (own || !Array.isArray(done)) return;
    for (const [id, uuid] of done as [number, string][]) {
      forget({ id, uuid });
      look(id).catch(failed);
    }
  });

  /** One after the other: after the death of a server there may be thousands. */
  const lookAtAll = async (): Promise<void> => {
    for (const id of [...waiters.keys()]) await look(id);
  };
  // A server may have died between the end of a task and telling of it; words of a server may be lost.
  bus.watch(({ kind }) => {
    if (kind !== 'joined') lookAtAll().catch(failed);
  });

  return {
    open(id) {
      let settle: (completion: Completion) => void = () => {};
      const completion = new Promise<Completion>((resolve) => {
        settle = resolve;
      });
      waiters.set(id, settle);
      return { completion, close: () => waiters.delete(id) };
    },
    answered(answer) {
      const { task_id: id, agent_uuid: uuid } = answer;
      waiters.get(id)?.(answer);
      forget({ id, uuid });
      publish([{ id, uuid }]);
    },
    ended(tasks) {
      for (const task of tasks) {
        forget(task);
        look(task.id).catch(failed);
      }
      publish(tasks);
    },
    get waiting() {
      return waiters.size;
    },
  };
}
