import type { Logger, Methods, Plugin } from '@svc/plugin-sdk';
import type { Definition, RegisteredMethod } from '@svc/plugin-sdk/kernel';
import { definitionFault, PluginError } from '@svc/plugin-sdk/kernel';
import { Binder } from './bind.ts';

/** A method as the dispatcher runs it. */
export interface Registered extends RegisteredMethod {
  /** Under the target of the plugin or namespace. */
  readonly log: Logger;
  readonly binder: Binder;
}

/** Every RPC method by wire name. Names are rewritten to the brand here, once. */
export class Registry {
  readonly methods = new Map<string, Registered>();
  /** Unsubscribe method → the method that opens what it ends. */
  readonly unsubscribes = new Map<string, string>();
  readonly #rewrite: (name: string) => string;
  readonly #log: Logger;

  constructor(rewrite: (name: string) => string, log: Logger) {
    this.#rewrite = rewrite;
    this.#log = log;
  }

  /** The registry as one plugin sees it. */
  for({ name: plugin, namespaces = [], logTarget }: Plugin): Methods {
    const refuse = (sentence: string): never => {
      throw new PluginError(plugin, sentence);
    };
    const claim = (name: string): string => {
      const wire = this.#rewrite(name);
      if (!namespaces.some((namespace) => name === namespace || name.startsWith(`${namespace}_`)))
        refuse(`method '${name}' is outside its namespaces (${namespaces.join(', ') || 'none'})`);
      const owner =
        this.methods.get(wire)?.plugin ?? (this.unsubscribes.has(wire) ? plugin : undefined);
      if (owner) refuse(`method '${name}' is already registered by '${owner}'`);
      return wire;
    };
    const register = (kind: 'method' | 'subscription', given: string, definition: Definition) => {
      const fault = definitionFault(kind, definition);
      if (fault !== undefined) refuse(`${kind} '${given}'${fault}`);
      const name = claim(given);
      const { access, params, credential: named = 'token', notification, unsubscribe } = definition;
      const credential = access === 'public' ? undefined : named;
      if (unsubscribe !== undefined) this.unsubscribes.set(claim(unsubscribe), name);
      const binder = new Binder(params, credential);
      this.methods.set(name, {
        name,
        plugin,
        log: this.#log.target(logTarget ?? given.replace(/_.*/, '').replaceAll('-', '_')),
        credential,
        binder,
        bind: (given) => binder.bindOwn(given),
        notification: this.#rewrite(notification ?? given),
        definition,
      });
    };
    return {
      add: (name, method) => register('method', name, method as never),
      addSubscription: (name, subscription) =>
        register('subscription', name, subscription as never),
    };
  }
}

/** Takes the credential out of the parameters, so that handlers do not get it. */
export function takeCredential(
  { credential }: Registered,
  params: Record<string, unknown>,
): string {
  if (credential === undefined) return '';
  const value = params[credential] as string;
  params[credential] = undefined;
  return value;
}
