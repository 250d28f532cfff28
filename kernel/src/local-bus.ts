import { randomUUID } from 'node:crypto';
import type { Logger } from '@svc/plugin-sdk';
import type { BusEvent, BusSender, Fields, RemoteBus } from '@svc/plugin-sdk/kernel';

type Listener = (payload: unknown, from: BusSender) => unknown;
type Watcher = (event: BusEvent) => void;

/** Messages published before `join` that wait for the other servers. */
const MAX_EARLY = 1_000;

/** Delivers messages inside this process, topics by their names; `join` adds the way to other servers. */
export class LocalBus {
  readonly id = randomUUID();
  readonly #log: Logger;
  readonly #listeners = new Map<string, Set<{ owner: string; run: Listener }>>();
  readonly #watchers = new Set<{ owner: string; run: Watcher }>();
  #others: RemoteBus | undefined;
  #early: { topic: string; payload: unknown }[] | undefined = [];

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Publishes to all servers; with `local` to this one only. */
  publish(topic: string, payload: unknown, local = false): void {
    queueMicrotask(() => this.deliver(topic, payload, this.id));
    if (local) return;
    this.#others?.publish(topic, payload);
    if (this.#early && this.#early.length < MAX_EARLY) this.#early.push({ topic, payload });
  }

  send(to: string, topic: string, payload: unknown): boolean {
    if (to !== this.id) return this.#others?.send(to, topic, payload) ?? false;
    queueMicrotask(() => this.deliver(topic, payload, to));
    return true;
  }

  async drained(to: string): Promise<void> {
    await this.#others?.drained(to);
  }

  servers(): ReturnType<RemoteBus['servers']> {
    return this.#others?.servers() ?? [];
  }

  connected(): boolean {
    return this.#others?.connected() ?? true;
  }

  /** `owner`: the plugin whose listener it is. @returns removes it */
  subscribe(owner: string, topic: string, run: Listener): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners);
    const entry = { owner, run };
    listeners.add(entry);
    return () => listeners.delete(entry);
  }

  /** @returns removes the watcher */
  watch(owner: string, run: Watcher): () => void {
    const entry = { owner, run };
    this.#watchers.add(entry);
    return () => this.#watchers.delete(entry);
  }

  /** Sends to `others` from now on, beginning with what was published before. Undefined: this server stays alone. */
  join(others: RemoteBus | undefined): void {
    for (const { topic, payload } of this.#early ?? []) others?.publish(topic, payload);
    this.#early = undefined;
    this.#others = others;
  }

  /** Hands a message of the server `from` to the subscribers. */
  readonly deliver = (topic: string, payload: unknown, from: string): void => {
    const sender = { id: from, own: from === this.id };
    for (const { owner, run } of this.#listeners.get(topic) ?? []) {
      this.#isolate({ topic, plugin: owner }, () => run(payload, sender));
    }
  };

  /** Tells the watchers. */
  readonly event = (event: BusEvent): void => {
    for (const { owner, run } of this.#watchers) {
      this.#isolate({ event: event.kind, plugin: owner }, () => run(event));
    }
  };

  /** Runs a listener; one that fails is logged and hurts no other. */
  #isolate(fields: Fields, run: () => unknown): void {
    const failed = (error: unknown) => this.#log.error('bus listener failed', { ...fields, error });
    try {
      const running = run();
      if (running instanceof Promise) running.catch(failed);
    } catch (error) {
      failed(error);
    }
  }
}
