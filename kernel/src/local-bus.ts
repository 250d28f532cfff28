import { randomUUID } from 'node:crypto';
import type { Bus, BusEvent, Logger, RemoteBus } from '@svc/plugin-sdk';

type Listener = Parameters<Bus['subscribe']>[1];
type Watcher = (event: BusEvent) => void;

/** Messages published before `join` that wait for the other servers. */
const MAX_EARLY = 1_000;

/** The bus of this process. It delivers messages here; `join` adds the way to other servers. */
export class LocalBus implements Bus {
  readonly id = randomUUID();
  readonly #log: Logger;
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #watchers = new Set<Watcher>();
  #others: RemoteBus | undefined;
  #early: { topic: string; payload: unknown }[] | undefined = [];

  constructor(log: Logger) {
    this.#log = log;
  }

  readonly publish = (topic: string, payload: unknown): void => {
    queueMicrotask(() => this.deliver(topic, payload, this.id));
    this.#others?.publish(topic, payload);
    if (this.#early && this.#early.length < MAX_EARLY) this.#early.push({ topic, payload });
  };

  readonly send = (to: string, topic: string, payload: unknown): boolean => {
    if (to !== this.id) return this.#others?.send(to, topic, payload) ?? false;
    queueMicrotask(() => this.deliver(topic, payload, to));
    return true;
  };

  readonly drained = async (to: string): Promise<void> => this.#others?.drained(to);

  readonly servers = () => this.#others?.servers() ?? [];

  readonly subscribe = (topic: string, listener: Listener): (() => void) => {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners);
    listeners.add(listener);
    return () => listeners.delete(listener);
  };

  readonly watch = (watcher: Watcher): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  /** Sends to `others` from now on, beginning with what was published before. Undefined: this server stays alone. */
  join(others: RemoteBus | undefined): void {
    for (const { topic, payload } of this.#early ?? []) others?.publish(topic, payload);
    this.#early = undefined;
    this.#others = others;
  }

  /** Hands a message of the server `from` to the subscribers; a listener that throws is logged and hurts no other. */
  readonly deliver = (topic: string, payload: unknown, from: string): void => {
    const sender = { id: from, own: from === this.id };
    for (const listener of this.#listeners.get(topic) ?? []) {
      this.#guard(topic, () => listener(payload, sender));
    }
  };

  readonly event = (event: BusEvent): void => {
    for (const watcher of this.#watchers) this.#guard('watcher', () => watcher(event));
  };

  #guard(topic: string, run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#log.error('bus listener failed', { topic, error });
    }
  }
}
