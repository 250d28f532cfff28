import { type Signal, signal } from '@preact/signals';
import { ConnectionError } from '@svc/client';
import type { Server } from '../frame/index.ts';
import { errorText } from './index.ts';
import type { Task } from './task-form.tsx';

/** Outcome of a task on one machine. */
export interface Outcome {
  readonly state: 'waiting' | 'running' | 'done' | 'failed' | 'stopped';
  readonly took_ms?: number;
  /** Value of the kind's one member. */
  readonly result?: unknown;
  /** Reason why it failed, in words. */
  readonly error?: string;
  readonly task_id?: number;
}

/** A task on many machines, and what has come of it so far. */
export interface Run {
  readonly task: Task;
  readonly uuids: readonly string[];
  /** Unix ms. */
  readonly at: number;
  readonly outcomes: Signal<ReadonlyMap<string, Outcome>>;
  readonly isOver: Signal<boolean>;
  /** Starts no further ones, and waits for none. Tasks that have begun continue. */
  readonly stop: () => void;
}

/** Calls that wait at once: a server has more to do. */
const AT_ONCE = 40;
const runs = new WeakMap<Server, Signal<Run | undefined>>();

/** The last run on this server; it stays while another page is shown. */
export function lastRun(server: Server): Signal<Run | undefined> {
  const found = runs.get(server) ?? signal<Run | undefined>(undefined);
  runs.set(server, found);
  return found;
}

export function startRun(
  server: Server,
  task: Task,
  uuids: readonly string[],
  timeout_ms: number,
): Run {
  const control = new AbortController();
  const found = new Map<string, Outcome>(uuids.map((uuid) => [uuid, { state: 'waiting' }]));
  const outcomes = signal<ReadonlyMap<string, Outcome>>(new Map(found));
  const isOver = signal(false);
  let isWaiting = false;
  const set = (uuid: string, outcome: Outcome) => {
    found.set(uuid, outcome);
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      outcomes.value = new Map(found);
    });
  };
  const queue = [...uuids];
  const work = async () => {
    for (let uuid = queue.shift(); uuid !== undefined; uuid = queue.shift()) {
      set(uuid, { state: 'running' });
      set(uuid, await runOn(server, task, uuid, timeout_ms, control.signal));
    }
  };
  const workers = Array.from({ length: Math.min(AT_ONCE, uuids.length) }, work);
  void Promise.all(workers).then(() => {
    isOver.value = true;
  });
  return { task, uuids, at: Date.now(), outcomes, isOver, stop: () => control.abort() };
}

async function runOn(
  server: Server,
  task: Task,
  target_uuid: string,
  timeout_ms: number,
  stop: AbortSignal,
): Promise<Outcome> {
  if (stop.aborted) return { state: 'stopped' };
  const start = performance.now();
  const took = () => performance.now() - start;
  try {
    const answer = await server.call(
      'task_create_task_blocking',
      { target_uuid, task_type: task as 'ip', timeout_ms },
      { signal: stop },
    );
    const { success, error_message, task_event_result, task_id } = answer;
    const result = Object.values(task_event_result ?? {})[0];
    return success
      ? { state: 'done', result, task_id, took_ms: took() }
      : { state: 'failed', error: error_message ?? '', task_id, took_ms: took() };
  } catch (error) {
    if (stop.aborted) return { state: 'stopped' };
    const isLost = error instanceof ConnectionError && error.sent;
    return { state: isLost ? 'stopped' : 'failed', error: errorText(error), took_ms: took() };
  }
}
