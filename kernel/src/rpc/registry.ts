import {
  type Access,
  type CallContext,
  definitionFault,
  type Method,
  type Methods,
  type Params,
  type Peer,
  PluginError,
  type Push,
  type RpcError,
  type Subscription,
  type TSchema,
} from '@svc/plugin-sdk';
import { Binder } from './bind.ts';

type Bound = Record<string, unknown>;

/** A method as the dispatcher runs it: every optional part decided once, at registration. */
export interface Registered {
  readonly name: string;
  readonly plugin: string;
  /** Parameter that carries the credential; undefined for public methods. */
  readonly credential: string | undefined;
  readonly binder: Binder;
  /** For in-process calls, whose caller is known already. */
  readonly bareBinder: Binder;
  readonly access: Access<unknown>;
  readonly secret: boolean;
  readonly malformed: ((reason: string) => Error) | undefined;
  readonly mapError: ((error: RpcError) => RpcError) | undefined;
  readonly prepare: ((params: Bound) => unknown) | undefined;
  readonly check: ((input: unknown, call: CallContext) => void | Promise<void>) | undefined;
  readonly handle: ((input: unknown, call: CallContext) => unknown) | undefined;
  readonly open:
    | ((input: unknown, call: CallContext & { peer: Peer }, push: Push<unknown>) => unknown)
    | undefined;
  readonly notification: string;
  /** The definition as given, for the generated reference. */
  readonly definition: Method<Params, TSchema> | Subscription<Params, TSchema>;
}

/** Every RPC method by wire name. Names are rewritten to the brand here, once. */
export class Registry {
  readonly methods = new Map<string, Registered>();
  readonly unsubscribes = new Set<string>();
  readonly #rewrite: (name: string) => string;

  constructor(rewrite: (name: string) => string) {
    this.#rewrite = rewrite;
  }

  /** The face that one plugin registers through. */
  for(plugin: string, namespaces: readonly string[]): Methods {
    const take = (name: string): string => {
      if (!namespaces.some((namespace) => name.startsWith(`${namespace}_`))) {
        throw new PluginError(
          plugin,
          `method '${name}' is outside its namespaces (${namespaces.join(', ') || 'none'})`,
        );
      }
      const wire = this.#rewrite(name);
      const owner =
        this.methods.get(wire)?.plugin ?? (this.unsubscribes.has(wire) ? plugin : undefined);
      if (owner)
        throw new PluginError(plugin, `method '${name}' is already registered by '${owner}'`);
      return wire;
    };
    const check = (kind: 'method' | 'subscription', name: string, definition: unknown) => {
      const fault = definitionFault(kind, definition);
      if (fault !== undefined) throw new PluginError(plugin, `${kind} '${name}'${fault}`);
    };
    return {
      add: (name, method) => {
        check('method', name, method);
        const wire = take(name);
        this.methods.set(wire, register(wire, plugin, method as never, {}));
      },
      addSubscription: (name, subscription) => {
        check('subscription', name, subscription);
        const wire = take(name);
        this.unsubscribes.add(take(subscription.unsubscribe));
        const notification = this.#rewrite(subscription.notification ?? name);
        this.methods.set(wire, register(wire, plugin, subscription as never, { notification }));
      },
    };
  }
}

// The one place where the types of a definition are given up: the dispatcher only sees checked values.
function register(
  name: string,
  plugin: string,
  definition: Method<Params, TSchema> & Subscription<Params, TSchema>,
  { notification = name }: { notification?: string },
): Registered {
  const isPublic = definition.access === 'public';
  const credential = isPublic ? undefined : (definition.credential ?? 'token');
  const { params, malformed, mapError } = definition;
  const bare = Binder.of(params);
  return {
    name,
    plugin,
    credential,
    binder: credential === undefined ? bare : bare.behind(credential),
    bareBinder: bare,
    access: definition.access as Access<unknown>,
    secret: definition.secret ?? false,
    malformed,
    mapError,
    prepare: definition.prepare?.bind(definition) as Registered['prepare'],
    check: definition.check?.bind(definition) as Registered['check'],
    handle: definition.handle?.bind(definition) as Registered['handle'],
    open: definition.open?.bind(definition) as Registered['open'],
    notification,
    definition,
  };
}
