import { type Event, type Logger, PluginError, type Service, type TSchema } from '@svc/plugin-sdk';

/** What plugins offer to each other, and the facts they tell. */
export class Services {
  readonly #values: Map<string, unknown>;

  /** @param given what the program itself provides */
  constructor(given: ReadonlyMap<string, unknown> = new Map()) {
    this.#values = new Map(given);
  }

  provide(plugin: string, { service }: Service<unknown>, value: unknown): void {
    if (this.#values.has(service))
      throw new PluginError(plugin, `service '${service}' is provided twice`);
    this.#values.set(service, value);
  }

  use<T>(plugin: string, service: Service<T>): T {
    if (!this.#values.has(service.service)) {
      throw new PluginError(
        plugin,
        `service '${service.service}' is not there: list it under requires, and use it after every setup`,
      );
    }
    return this.#values.get(service.service) as T;
  }

  useOptional<T>(service: Service<T>): T | undefined {
    return this.#values.get(service.service) as T | undefined;
  }
}

type Listener = (payload: unknown) => void | Promise<void>;

export class Events {
  readonly #listeners = new Map<string, Set<{ plugin: string; run: Listener }>>();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  on(plugin: string, { event }: Event<TSchema>, run: Listener): () => void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners);
    const entry = { plugin, run };
    listeners.add(entry);
    return () => listeners.delete(entry);
  }

  /** Each listener is isolated: its failure is logged with its plugin's name and goes no further. */
  emit({ event }: Event<TSchema>, payload: unknown): void {
    for (const { plugin, run } of this.#listeners.get(event) ?? []) {
      Promise.resolve()
        .then(() => run(payload))
        .catch((error) => this.#log.error('event listener failed', { event, plugin, error }));
    }
  }
}
