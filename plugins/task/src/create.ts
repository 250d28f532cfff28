import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { type Clock, type Logger, RpcError } from '@svc/plugin-sdk';
import type { Integer } from '@svc/plugin-sdk/sql';
import type { Absences } from './absences.ts';
import type { TaskOrder, TaskOutcome } from './api.ts';
import type { Completions, Waiter } from './completions.ts';
import type { Deliveries } from './deliveries.ts';
import type { Refusal } from './delivery.ts';
import { pause } from './pause.ts';
import type { Room } from './store/room.ts';
import type { NewTask, TaskAnswer, TaskStore } from './store/tasks.ts';
import { taskToken } from './token.ts';
import { turnOf } from './turn.ts';
import type { NormalTask } from './type.ts';

const LONGEST_WAIT_MS = 300_000;

export interface CreatorOptions {
  readonly store: TaskStore;
  readonly room: Room;
  readonly deliveries: Deliveries;
  readonly absences: Absences;
  readonly completions: Completions;
  readonly registry: AgentRegistry;
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal;
}

/** Creates tasks: stores the row, hands it to the deliveries, and deletes the row again when they refuse it. */
export class Creator {
  readonly #options: CreatorOptions;

  constructor(options: CreatorOptions) {
    this.#options = options;
  }

  /** @throws RpcError 103, 104 (task.md §4.3) */
  async create(uuid: string, task: NormalTask, signal: AbortSignal): Promise<Integer> {
    const row = this.#rowOf(uuid, task);
    const id = await this.#insert(row);
    await this.#handOver(id, row, false, signal);
    return id;
  }

  /** Creates a task and waits for the answer (task.md §4.4). @throws RpcError 103, 104, 105 deleted meanwhile, 999 time-out */
  async createBlocking(
    uuid: string,
    task: NormalTask,
    timeout_ms: Integer,
    signal: AbortSignal,
  ): Promise<TaskAnswer> {
    const row = this.#rowOf(uuid, task);
    const id = await this.#insert(row);
    const waiter = this.#options.completions.open(id);
    try {
      await this.#handOver(id, row, true, signal);
      return await this.#answerOf(waiter, id, timeout_ms, signal);
    } finally {
      waiter.close();
    }
  }

  /** One task for each agent of a job. The outer promise resolves when all are stored. @throws RpcError 103 */
  async createMany(
    { agents, cronSource, run }: TaskOrder,
    task: NormalTask,
  ): Promise<readonly Promise<TaskOutcome>[]> {
    const { store, room, deliveries } = this.#options;
    const full = await room.without(agents, Buffer.byteLength(task.text));
    const rows = agents
      .filter((uuid) => !full.has(uuid))
      .map((uuid) => this.#rowOf(uuid, task, cronSource, run));
    const ids = await store.insert(rows);
    const isConnected = rows.map(({ uuid }) => deliveries.isConnected(uuid));
    const discarded = this.#discard(ids.filter((_id, at) => !isConnected[at]));
    const outcomes = rows.map(async (row, at): Promise<TaskOutcome> => {
      if (isConnected[at]) return this.#settle(ids[at] as Integer, row);
      await discarded;
      return { uuid: row.uuid, failure: reasonOf('absent', row.uuid) };
    });
    const refused = async (uuid: string) => ({ uuid, failure: room.text(uuid) });
    return agents.map((uuid) => (full.has(uuid) ? undefined : outcomes.shift()) ?? refused(uuid));
  }

  #rowOf(
    uuid: string,
    task: NormalTask,
    cronSource: string | null = null,
    cronRun: Integer | null = null,
  ): NewTask {
    return {
      uuid,
      token: taskToken(),
      cronSource,
      cronRun,
      typeName: task.name,
      type: task.text,
      createdAt: this.#options.clock.now(),
    };
  }

  async #insert(row: NewTask): Promise<Integer> {
    const { room, store } = this.#options;
    const full = await room.without([row.uuid], Buffer.byteLength(row.type));
    if (full.size > 0) throw RpcError.database(room.text(row.uuid));
    const [id] = await store.insert([row]);
    return id as Integer;
  }

  /** @throws RpcError 104; the row is gone then */
  async #handOver(
    id: Integer,
    row: NewTask,
    isBlocking: boolean,
    signal: AbortSignal,
  ): Promise<void> {
    const { deliveries, absences, registry, log } = this.#options;
    const { uuid } = row;
    const turn = turnOf(row.typeName, isBlocking);
    const outcome = await deliveries.begin({ ...row, id, turn }, signal);
    if (outcome !== 'accepted') {
      await this.#discard([id]);
      const data = outcome === 'absent' ? await absences.of(uuid) : undefined;
      throw RpcError.agent(reasonOf(outcome, uuid), { data });
    }
    try {
      // Only now: a mistyped UUID adds no agent to the list.
      await registry.register(uuid);
    } catch (error) {
      log.warn('agent could not be listed', { agent_uuid: uuid, error });
    }
  }

  async #settle(id: Integer, row: NewTask): Promise<TaskOutcome> {
    const { uuid } = row;
    const outcome = await this.#options.deliveries.begin({ ...row, id, turn: 'last' });
    if (outcome === 'accepted') return { uuid, id };
    await this.#discard([id]);
    return { uuid, failure: reasonOf(outcome, uuid) };
  }

  /** Deletes rows whose ids no caller has seen. A row that stays is failed later, as a task without result. */
  async #discard(ids: readonly Integer[]): Promise<void> {
    try {
      await this.#options.store.remove(ids);
    } catch (error) {
      this.#options.log.error('rows of tasks that were not sent could not be deleted', { error });
    }
  }

  async #answerOf(waiter: Waiter, id: Integer, timeout_ms: Integer, signal: AbortSignal) {
    const { clock, stopping, store } = this.#options;
    const limit_ms = timeout_ms > LONGEST_WAIT_MS ? LONGEST_WAIT_MS : Number(timeout_ms);
    const over = new AbortController();
    const signals = [signal, stopping, over.signal];
    const late = limit_ms === 0 ? Promise.resolve(true) : pause(clock, limit_ms, signals);
    const completion = await Promise.race([waiter.completion, late]);
    over.abort();
    if (completion === false) throw RpcError.other('the caller has gone, or the server stops');
    // A message from another server may have been lost: the row decides.
    const answer = completion === true ? await store.answer(id) : completion;
    if (answer === undefined) throw RpcError.other(`Task ${id} timed out after ${timeout_ms}ms`);
    if (answer === null || answer === 'deleted') {
      throw RpcError.notFound(`task ${id} was deleted before it was answered`);
    }
    return answer;
  }
}

function reasonOf(refusal: Refusal, uuid: string): string {
  switch (refusal) {
    case 'lost':
      return `the server that had the connection of ${uuid} ended or does not answer; whether it sent the task is not known`;
    case 'full':
      return `task could not be sent: ${uuid} does not take its tasks`;
    case 'ended':
      return `task could not be sent: the connection of ${uuid} ended`;
    case 'absent':
      return `agent ${uuid} is not connected`;
  }
}
