import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { type Clock, type Integer, type Logger, RawJson, RpcError } from '@svc/plugin-sdk';
import type { TaskOrder, TaskOutcome } from './api.ts';
import type { Completions, TaskAnswer, Waiter } from './completions.ts';
import { pause } from './pause.ts';
import type { HandedElsewhere, Routes } from './routes.ts';
import type { Delivery, Handed } from './session.ts';
import type { Sessions } from './sessions.ts';
import type { NewTask, TaskStore } from './store/tasks.ts';
import { taskToken } from './task-token.ts';
import type { NormalTask } from './task-type.ts';

/** Callers wait this long for a place in the queue of an agent that does not keep up. */
const PLACE_MS = 5_000;
/** Other servers wait for an answer themselves. */
const REMOTE_PLACE_MS = 1_000;
const LONGEST_WAIT_MS = 300_000;

const UNSENT = 'The task was not sent: the connection of the agent ended before its turn came';

export interface DispatchOptions {
  readonly store: TaskStore;
  readonly sessions: Sessions;
  readonly routes: Routes;
  readonly completions: Completions;
  readonly registry: AgentRegistry;
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal;
}

/** Creates tasks and hands them to the sessions of their agents, here or on another server (task.md §4.3, §4.4). */
export interface Dispatch {
  /** @throws RpcError 103, 104 */
  create(uuid: string, task: NormalTask, signal: AbortSignal): Promise<Integer>;
  /** As `create`, then waits for the answer. @throws RpcError 103, 104, 105 deleted meanwhile, 999 time-out */
  createBlocking(
    uuid: string,
    task: NormalTask,
    timeout_ms: Integer,
    signal: AbortSignal,
  ): Promise<TaskAnswer>;
  /** One task for each agent of a job. The outer promise is about storing them all. @throws RpcError 103 */
  createMany(order: TaskOrder, task: NormalTask): Promise<readonly Promise<TaskOutcome>[]>;
  /** A task that another server created. */
  receive(id: Integer, uuid: string): Promise<Handed>;
  /** Tasks that were accepted here and whose session ended. */
  reroute(uuid: string, deliveries: readonly Delivery[]): Promise<void>;
}

export function createDispatch(options: DispatchOptions): Dispatch {
  const { store, sessions, routes, completions, registry, clock, log, stopping } = options;

  const rowOf = (uuid: string, task: NormalTask, cronSource: string | null): NewTask => ({
    uuid,
    token: taskToken(),
    cronSource,
    typeName: task.name,
    type: task.text,
    createdAt: clock.now(),
  });

  async function hand(id: Integer, row: NewTask, signal?: AbortSignal): Promise<HandedElsewhere> {
    const there = sessions.get(row.uuid) ? undefined : await routes.deliver(id, row.uuid);
    // An agent that has just moved may be here now, or on a third server.
    if (there !== undefined && (there !== 'ended' || !isKnown(row))) return there;
    const session = sessions.get(row.uuid);
    if (session) return session.offer(deliveryOf(id, row.token, row.type), PLACE_MS, signal);
    return routes.deliver(id, row.uuid);
  }

  /** A row that nobody was told of goes again; a failure of that is for the clean-up of old rows. */
  const discard = (ids: readonly Integer[]): Promise<void> =>
    store.remove(ids).catch((error: unknown) => {
      log.error('rows of tasks that were not sent could not be deleted', { error });
    });

  /** @throws RpcError 104; the row is gone then */
  async function handOver(id: Integer, row: NewTask, signal: AbortSignal): Promise<void> {
    const known = sessions.get(row.uuid) !== undefined || routes.isElsewhere(row.uuid);
    const handed = await hand(id, row, signal);
    if (handed !== 'queued') {
      await discard([id]);
      throw RpcError.agent(reasonOf(handed, row.uuid, known));
    }
    await list(row.uuid);
  }

  /** Only after a hand-over: a mistyped UUID makes no agent. */
  async function list(uuid: string): Promise<void> {
    try {
      await registry.register(uuid);
    } catch (error) {
      log.warn('agent could not be listed', { agent_uuid: uuid, error });
    }
  }

  async function settle(id: Integer, row: NewTask): Promise<TaskOutcome> {
    const { uuid } = row;
    const known = sessions.get(uuid) !== undefined || routes.isElsewhere(uuid);
    try {
      const handed = await hand(id, row);
      if (handed === 'queued') return { uuid, id };
      await discard([id]);
      return { uuid, failure: reasonOf(handed, uuid, known) };
    } catch (error) {
      log.error('task could not be sent', { agent_uuid: uuid, error });
      return { uuid, failure: 'the task could not be sent' };
    }
  }

  async function answerOf(waiter: Waiter, id: Integer, timeout_ms: Integer, signal: AbortSignal) {
    const limit_ms = timeout_ms > LONGEST_WAIT_MS ? LONGEST_WAIT_MS : Number(timeout_ms);
    const over = new AbortController();
    const late =
      limit_ms === 0
        ? Promise.resolve(true)
        : pause(clock, limit_ms, [signal, stopping, over.signal]);
    const completion = await Promise.race([waiter.completion, late]);
    over.abort();
    if (completion === false) throw RpcError.other('the caller has gone, or the server stops');
    // A message from another server may have been lost: the row decides.
    const answer = completion === true ? await store.answer(id) : completion;
    if (answer === undefined) throw RpcError.other(`Task ${id} timed out after ${timeout_ms}ms`);
    if (answer === null || answer === 'deleted')
      throw RpcError.notFound(`task ${id} was deleted before it was answered`);
    return answer;
  }

  return {
    async create(uuid, task, signal) {
      const row = rowOf(uuid, task, null);
      const [id] = (await store.insert([row])) as [Integer];
      await handOver(id, row, signal);
      return id;
    },

    async createBlocking(uuid, task, timeout_ms, signal) {
      const row = rowOf(uuid, task, null);
      const [id] = (await store.insert([row])) as [Integer];
      const waiter = completions.open(id);
      try {
        await handOver(id, row, signal);
        return await answerOf(waiter, id, timeout_ms, signal);
      } finally {
        waiter.close();
      }
    },

    async createMany({ agents, cronSource }, task) {
      const rows = agents.map((uuid) => rowOf(uuid, task, cronSource));
      const ids = await store.insert(rows);
      const offline = ids.filter((_id, at) => !isKnown(rows[at] as NewTask));
      const discarded = offline.length > 0 ? discard(offline) : Promise.resolve();
      const gone = new Set(offline);
      return ids.map(async (id, at) => {
        const row = rows[at] as NewTask;
        if (!gone.has(id)) return settle(id, row);
        await discarded;
        return { uuid: row.uuid, failure: reasonOf('ended', row.uuid, false) };
      });
    },

    async receive(id, uuid) {
      const session = sessions.get(uuid);
      if (!session) return 'ended';
      // Messages may come twice.
      if (session.holds(id)) return 'queued';
      const row = await store.find(id);
      if (row?.uuid !== uuid) return 'ended';
      if (row.success !== null) return 'queued';
      return session.offer(deliveryOf(id, row.token, row.type), REMOTE_PLACE_MS);
    },

    async reroute(uuid, deliveries) {
      const lost: Integer[] = [];
      for (const { id } of deliveries) {
        const handed = await routes.deliver(id, uuid);
        // What was perhaps sent may still be answered.
        if (handed !== 'queued' && handed !== 'lost') lost.push(id);
      }
      completions.ended(await store.fail(lost, UNSENT, clock.now()));
    },
  };

  function isKnown({ uuid }: NewTask): boolean {
    return sessions.get(uuid) !== undefined || routes.isElsewhere(uuid);
  }
}

/** The notification's item (task.md §4.1). */
const deliveryOf = (id: Integer, token: string, type: string): Delivery => ({
  id,
  item: new RawJson(`{"task_id":${id},"task_token":"${token}","task_event_type":${type}}`),
});

function reasonOf(handed: HandedElsewhere, uuid: string, known: boolean): string {
  if (handed === 'lost')
    return `the server that had the connection of ${uuid} ended or does not answer; whether it sent the task is not known`;
  if (handed === 'full') return `task could not be sent: ${uuid} does not take its tasks`;
  if (known) return `task could not be sent: the connection of ${uuid} ended`;
  return `agent ${uuid} is not connected`;
}
