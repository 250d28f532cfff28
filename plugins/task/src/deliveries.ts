import type { Clock, Logger, Messaging, Push } from '@svc/plugin-sdk';
import type { Peer } from '@svc/plugin-sdk/http';
import { RawJson } from '@svc/plugin-sdk/json';
import type { Integer } from '@svc/plugin-sdk/sql';
import { BoundedCache, type Directory } from '@svc/plugin-sdk/util';
import { createAgentDirectory, type Registered } from './agent-directory.ts';
import { AgentLine } from './agent-line.ts';
import { type Delivery, type Event, next, type Outcome, refusalOf } from './delivery.ts';
import { OtherServers } from './other-servers.ts';
import type { TaskRow, TaskStore } from './store/tasks.ts';
import type { Turn } from './turn.ts';

/** A caller waits this long for a place in the queue of an agent that does not keep up. */
const PATIENCE_MS = 5_000;
/** The other server waits for the answer to its question itself. */
const REMOTE_PATIENCE_MS = 1_000;
/** Callers that may wait for one agent. */
const CALLERS = 1_024;
/** Time for which another server may ask again for a task that was sent: twice as long as it waits for the answer. */
const SENT_MS = 10_000;
/** Stands for the text of a task that was sent: it may have 4 MB. */
const SENT = new RawJson('null');
/** An agent that moved while the first server was asked is followed once. */
const MOST_ASKED = 2;
/** Registered agents that are remembered of one connection. */
const REMEMBERED = 1_024;

const UNSENT = 'The task was not sent: the connection of the agent ended before its turn came';

/** A stored task; `type` is its JSON text. */
export type StoredTask = Pick<TaskRow, 'id' | 'uuid' | 'token' | 'type'> & { readonly turn: Turn };

export interface DeliveriesOptions {
  readonly messaging: Messaging;
  readonly clock: Clock;
  readonly stopping: AbortSignal;
  readonly store: Pick<TaskStore, 'find'>;
  /** The registration of an agent has ended, here or on another server. */
  readonly ended: (uuid: string) => void;
  /** Ends accepted tasks that were never sent as failed. */
  readonly fail: (ids: readonly Integer[], message: string) => Promise<void>;
  readonly failed: (error: unknown) => void;
  readonly log: Logger;
}

/** Owns every delivery of this server and the lines to its agents. Only `#on` changes a delivery's state. */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly #directory: Directory<Registered, string>;
  readonly #others: OtherServers;
  readonly #live = new Map<Integer, Delivery>();
  readonly #lines = new Map<string, AgentLine<Delivery>>();
  readonly #registered = new WeakMap<Peer, BoundedCache<string, true>>();
  readonly #work = new Set<Promise<void>>();
  #unsent: Integer[] = [];

  constructor(options: DeliveriesOptions) {
    this.#options = options;
    const { messaging, clock, stopping, ended, failed } = options;
    this.#directory = createAgentDirectory({
      messaging,
      stopping,
      own: () => [...this.#lines].map(([uuid, { since }]) => [uuid, since] as const),
      ownSince: (uuid) => this.#lines.get(uuid)?.since,
      displaced: (uuid) => this.#displace(uuid),
      closed: ended,
    });
    const receive = (id: Integer, uuid: string, turn: Turn) => this.#receive(id, uuid, turn);
    this.#others = new OtherServers({ messaging, clock, receive, failed });
  }

  /** A connection registers an agent, and replaces an earlier registration. @returns ends this registration */
  register(uuid: string, peer: Peer, push: Push<never>): () => void {
    const on = (delivery: Delivery, event: Event) => this.#on(delivery, event);
    const line = this.#lines.get(uuid) ?? new AgentLine(this.#options.clock, on);
    const previous = this.#directory.get(uuid)?.entry[1] ?? line.since;
    this.#lines.set(uuid, line);
    const moved = line.register({ peer, push, isFirst: this.#isFirst(peer, uuid), previous });
    if (moved) {
      this.#directory.announce([uuid, line.since]);
      this.#options.log.info('agent came', { agent_uuid: uuid, address: peer.address });
    }
    return () => {
      if (line.push === push) this.#close(uuid, line);
    };
  }

  /** Some server has this agent. */
  isConnected(uuid: string): boolean {
    return this.#lines.has(uuid) || this.#directory.get(uuid) !== undefined;
  }

  /** Hands a stored task over. @returns whether it was accepted; never rejects */
  begin(task: StoredTask, signal?: AbortSignal): Promise<Outcome> {
    return this.#begin(task, { patience_ms: PATIENCE_MS, asked: 0, signal });
  }

  /** A task has a result, or its row is gone. */
  answered(id: Integer): void {
    const delivery = this.#live.get(id);
    if (delivery) this.#on(delivery, 'answered');
  }

  /**
   * An upload came. Its answer is a message to the agent, too, where it goes over the agent's own connection.
   * @returns the answer goes now
   */
  uploading(uuid: string, peer: Peer | undefined): () => void {
    const line = this.#lines.get(uuid);
    return line && line.peer === peer ? line.oweAnswer() : () => {};
  }

  /** Resolves when accepted tasks of ended connections have been given to other servers or have failed. */
  async settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  #begin(
    { id, uuid, token, type, turn }: StoredTask,
    start: Pick<Delivery, 'patience_ms' | 'asked' | 'signal'>,
  ): Promise<Outcome> {
    const { promise: outcome, resolve: settle } = Promise.withResolvers<Outcome>();
    const item = new RawJson(`{"task_id":${id},"task_token":"${token}","task_event_type":${type}}`);
    const delivery: Delivery = {
      id,
      uuid,
      item,
      turn,
      outcome,
      settle,
      state: 'new',
      ...start,
    };
    this.#live.set(id, delivery);
    this.#route(delivery);
    return outcome;
  }

  /** The transition: the only place where a state changes. */
  #on(delivery: Delivery, event: Event): void {
    const from = delivery.state;
    const to = next(from, event);
    if (to === from) return;
    delivery.state = to;
    this.#exit(delivery);
    this.#enter(delivery, event);
  }

  #exit(delivery: Delivery): void {
    delivery.cancel?.();
    delivery.cancel = undefined;
    delivery.line?.remove(delivery);
  }

  #enter(delivery: Delivery, event: Event): void {
    const { state, line, id, settle } = delivery;
    if (state === 'new') this.#route(delivery);
    else if (state === 'waiting') this.#wait(delivery);
    else if (state === 'asking') void this.#ask(delivery);
    else if (state === 'queued') {
      settle('accepted');
      line?.enqueue(delivery);
      line?.pump();
    } else if (state === 'sent') {
      delivery.item = SENT;
      this.#options.log.info('task sent', { task_id: id, agent_uuid: delivery.uuid });
      this.#expireAfter(delivery, SENT_MS);
    } else if (state !== 'moving') {
      this.#live.delete(id);
      settle(state === 'refused' ? refusalOf(event, delivery) : 'accepted');
      if (state === 'failed') this.#fail(id);
    }
  }

  #route(delivery: Delivery): void {
    const { uuid, asked } = delivery;
    const line = this.#lines.get(uuid);
    delivery.line = line;
    if (line) this.#on(delivery, line.hasRoom(delivery) ? 'room' : 'full');
    else if (asked < MOST_ASKED && this.isConnected(uuid)) this.#on(delivery, 'elsewhere');
    else this.#on(delivery, 'absent');
  }

  #wait(delivery: Delivery): void {
    const { line, signal, patience_ms } = delivery;
    if (!line || line.waiting.size >= CALLERS || signal?.aborted) this.#on(delivery, 'expired');
    else {
      line.waiting.add(delivery);
      this.#expireAfter(delivery, patience_ms, signal);
    }
  }

  async #ask(delivery: Delivery): Promise<void> {
    const server = this.#directory.get(delivery.uuid)?.server;
    delivery.asked++;
    this.#on(delivery, server ? await this.#others.ask(server, delivery) : 'declined');
  }

  #expireAfter(delivery: Delivery, delay_ms: number, signal?: AbortSignal): void {
    const expire = () => this.#on(delivery, 'expired');
    const cancel = this.#options.clock.timeout(expire, delay_ms);
    signal?.addEventListener('abort', expire, { once: true });
    delivery.cancel = () => {
      cancel();
      signal?.removeEventListener('abort', expire);
    };
  }

  #close(uuid: string, line: AgentLine<Delivery>): void {
    this.#lines.delete(uuid);
    this.#directory.withdraw(uuid);
    this.#options.ended(uuid);
    const { log, stopping } = this.#options;
    if (!stopping.aborted) log.info('agent went', { agent_uuid: uuid });
    line.stop();
    for (const delivery of line.waiting) this.#on(delivery, 'closed');
    const moving = line.queued;
    const event = this.isConnected(uuid) ? 'elsewhere' : 'absent';
    for (const delivery of moving) this.#on(delivery, event);
    if (event === 'elsewhere') this.#background(this.#askInOrder(moving));
  }

  /** One after the other: the agent gets its tasks in the order in which they were queued. */
  async #askInOrder(deliveries: readonly Delivery[]): Promise<void> {
    for (const delivery of deliveries) await this.#ask(delivery);
  }

  /** The agent registered on another server. */
  #displace(uuid: string): void {
    const line = this.#lines.get(uuid);
    const push = line?.push;
    if (line) this.#close(uuid, line);
    push?.end();
  }

  /** Another server created a task for an agent of this one. The message may come twice. */
  async #receive(id: Integer, uuid: string, turn: Turn): Promise<Outcome> {
    if (!this.#lines.has(uuid)) return 'ended';
    const row = this.#live.has(id) ? undefined : await this.#options.store.find(id);
    const existing = this.#live.get(id);
    if (existing) return existing.outcome;
    if (row?.uuid !== uuid) return 'ended';
    if (row.success !== null) return 'accepted';
    const start = { patience_ms: REMOTE_PATIENCE_MS, asked: MOST_ASKED, signal: undefined };
    return this.#begin({ ...row, turn }, start);
  }

  /** Tasks that fail in one turn of the event loop are written together. */
  #fail(id: Integer): void {
    if (this.#unsent.push(id) > 1) return;
    const write = () => this.#options.fail(this.#unsent.splice(0), UNSENT);
    this.#background(Promise.resolve().then(write));
  }

  #background(work: Promise<void>): void {
    const done: Promise<void> = work
      .catch(this.#options.failed)
      .finally(() => this.#work.delete(done));
    this.#work.add(done);
  }

  /** @returns whether this connection registers the agent for the first time */
  #isFirst(peer: Peer, uuid: string): boolean {
    const registered = this.#registered.get(peer) ?? new BoundedCache({ most: REMEMBERED });
    this.#registered.set(peer, registered);
    if (registered.has(uuid)) return false;
    registered.set(uuid, true);
    return true;
  }
}
