import { PluginError, type Service } from '@svc/plugin-sdk/kernel';

/** Services that plugins offer to each other. */
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
    if (this.#values.has(service.service)) return this.#values.get(service.service) as T;
    const advice = 'list it under requires';
    throw new PluginError(plugin, `service '${service.service}' is not there: ${advice}`);
  }

  useOptional<T>(service: Service<T>): T | undefined {
    return this.#values.get(service.service) as T | undefined;
  }
}
