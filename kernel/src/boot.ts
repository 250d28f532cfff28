import { setMaxListeners } from 'node:events';
import {
  type Brand,
  type Clock,
  type Kernel,
  LAST,
  type Logger,
  type Plugin,
} from '@svc/plugin-sdk';
import type { ServerState, Service } from '@svc/plugin-sdk/kernel';
import type { DatabaseHandle, DatabaseRequest, MigrationStep } from '@svc/plugin-sdk/sql';
import { makeBrand } from './brand.ts';
import { machineClock } from './clock.ts';
import { migrate, Steps } from './db/migrate.ts';
import { notOpen, openDatabase } from './db/open.ts';
import type { Head } from './head.ts';
import { createHooks } from './hooks.ts';
import { LocalBus } from './local-bus.ts';
import { logLongTurns } from './long-turns.ts';
import { Network } from './network.ts';
import { orderPlugins } from './plugins/order.ts';
import { registerAll } from './plugins/register.ts';
import { type PluginSettings, Scope, type Shared } from './plugins/scope.ts';
import { Services } from './plugins/services.ts';
import { Access } from './rpc/access.ts';
import { Dispatcher } from './rpc/dispatch.ts';
import { system } from './rpc/principals.ts';
import { type Registered, Registry } from './rpc/registry.ts';
import { Timeline } from './timeline.ts';
import { Unwind } from './unwind.ts';

export interface BootOptions {
  readonly head: Head;
  /** Settings by plugin name; a plugin without an entry has none. */
  readonly sections: ReadonlyMap<string, PluginSettings>;
  readonly plugins: readonly Plugin[];
  readonly log: Logger;
  /** `X.Y.Z` of the program: clients read it as three integers (clients.md §3.10). */
  readonly version: string;
  /** `tool`: database and plugins only, nothing listens (init and other commands). `look`: without migrations. Default: `serve`. */
  readonly mode?: DatabaseRequest['mode'];
  /** Tells whether this tool finds the database as it is, neither migrated nor with first rows. */
  readonly bare?: ((app: App) => boolean) | undefined;
  /** Ends the start between two of its steps: it is undone, and rejects with the reason. */
  readonly early?: AbortSignal | undefined;
  readonly clock?: Clock;
  /** Services of the program itself, by name. */
  readonly services?: ReadonlyMap<string, unknown>;
  /** Option for tests: refuses messages whose payload does not fit the schema of their topic. */
  readonly checkPayloads?: boolean | undefined;
  /** Tells whether what this plugin registers runs in its name, which costs a microsecond a call; stray errors are then known as its own. */
  readonly isForeign?: ((plugin: string) => boolean) | undefined;
  /** Names a plugin that would provide a missing service, for the error. */
  readonly suggest?: (service: string) => Promise<string | undefined>;
  /** `listening`: called once it listens, before the hook `ready`. `atEnd` runs last, after a stop and after a start that failed. */
  readonly listening?: ((app: App) => void) | undefined;
  readonly atEnd?: () => Promise<void>;
}

/**
 * The life of a server, from top to bottom:
 * plugins in order → setup of drivers → database → setup → migrations → bus → prepare → start → listen → ready; `stop` unwinds it, and so does a failure, which rejects.
 */
export async function boot(options: BootOptions): Promise<App> {
  const unwind = new Unwind();
  unwind.push(() => options.atEnd?.());
  try {
    const known = new Set(options.services?.keys());
    const plugins = await orderPlugins(options.plugins, known, options.suggest);
    const app = new App({ ...options, plugins }, unwind);
    const serves = (options.mode ?? 'serve') === 'serve';
    // An address that is taken is found before the database is touched.
    if (serves) await app.try(options.head);
    await app.open();
    if (options.mode !== 'look' && !options.bare?.(app)) await app.prepare();
    options.early?.throwIfAborted();
    if (serves) await app.listen();
    return app;
  } catch (error) {
    if (options.early?.aborted) options.log.info('stopping', { reason: options.early.reason });
    await unwind.run();
    throw error;
  }
}

/** A running server, as the program that started it sees it. */
export class App {
  readonly hooks = createHooks();
  /** Every RPC method by wire name. */
  readonly methods: ReadonlyMap<string, Registered>;
  readonly #options: BootOptions;
  readonly #unwind: Unwind;
  readonly #stopping = new AbortController();
  readonly #timeline: Timeline;
  readonly #registry: Registry;
  readonly #steps = new Steps();
  readonly #dispatcher: Dispatcher;
  readonly #network: Network;
  readonly #bus: LocalBus;
  readonly #shared: Shared;
  readonly #scopes: Scope[] = [];
  #head: Head;
  #database: DatabaseHandle | undefined;
  #stopped: Promise<void> | undefined;

  constructor(options: BootOptions, unwind: Unwind) {
    const { head, log, clock = machineClock } = options;
    const { hooks } = this;
    const brand = makeBrand(head.brand);
    const access = new Access(hooks, log.target('rpc'));
    const now = () => this.#head;
    this.#options = options;
    this.#unwind = unwind;
    this.#head = head;
    this.#timeline = new Timeline(clock, options.early);
    this.#bus = new LocalBus(log.target('bus'));
    this.#registry = new Registry(brand.rewrite, log);
    this.methods = this.#registry.methods;
    const dispatcher = new Dispatcher({ registry: this.#registry, access, hooks, log, head: now });
    this.#dispatcher = dispatcher;
    this.#network = new Network({ head: now, hooks, dispatcher, brand, log, clock });
    this.#shared = this.#share(brand, access, clock);
    setMaxListeners(0, this.#stopping.signal);
    // Its timer runs from here on: a start that fails before it listens leaves none behind.
    unwind.push(() => this.#network.stop(0));
  }

  /** The steps that the plugins' schema is made of, in the order in which they run. */
  get migrations(): readonly MigrationStep[] {
    return this.#steps.list;
  }

  get log(): Logger {
    return this.#options.log;
  }

  get url(): string {
    return this.#network.listeners.listening.url;
  }

  get db(): DatabaseHandle {
    if (!this.#database) throw new Error('the database is not open yet');
    return this.#database;
  }

  /** Kernel that the plugin of this name acts through. */
  readonly kernelOf = (plugin: string): Kernel | undefined =>
    this.#scopes.find((scope) => scope.plugin.name === plugin)?.kernel();

  readonly service = <T>(service: Service<T>): T | undefined =>
    this.#shared.services.useOptional(service);

  /** Calls a method in-process; default caller: the server itself. */
  readonly call = (method: string, params?: unknown, caller = system): Promise<unknown> =>
    this.#dispatcher.call(this.#shared.brand.rewrite(method), params, caller);

  /** @throws UserError when the addresses of this head could not be followed */
  readonly try = (head: Head): Promise<void> => this.#network.listeners.try(head);

  /** New addresses and limits; every JSON-RPC connection is closed with 1001. @throws UserError; the old ones then stay in force */
  async follow(head: Head): Promise<void> {
    await this.#network.listeners.follow(head);
    this.#head = head;
    await this.#network.renew();
  }

  /** New TLS connections get this certificate. */
  renewCertificate(tls: NonNullable<Head['tls']>): void {
    this.#network.listeners.renew(tls);
  }

  /** The plugins, and the database as it is. */
  async open(): Promise<void> {
    await this.#timeline.step('setup', () => this.#setup());
    await this.#register();
  }

  /** The schema that the plugins want, the other servers, first rows. */
  async prepare(): Promise<void> {
    await this.migrate();
    if (this.#shared.serves) await this.#timeline.limited('bus', () => this.#joinBus());
    await this.#timeline.step('prepare', () => this.hooks.prepare.promise());
  }

  readonly migrate = (): Promise<void> =>
    this.#timeline.step('migrations', () => migrate(this.db, this.migrations, this.#options.log));

  async listen(): Promise<void> {
    const { head, log, version } = this.#options;
    await this.#timeline.step('start', () => this.hooks.start.promise());
    this.#unwind.push(() => this.#network.stop(0));
    await this.#timeline.step('listen', () => this.#network.listeners.follow(head));
    const { listening } = this.#network.listeners;
    log.info('listening', { ...listening, version, server_uuid: head.server_uuid });
    this.#options.listening?.(this);
    await this.#timeline.step('ready', () => this.hooks.ready.promise(listening));
    this.#unwind.push(logLongTurns(log.target('rpc')));
    log.debug('start', { after_ms: Math.round(performance.now()), steps: String(this.#timeline) });
  }

  readonly stop = (reason: string): Promise<void> => (this.#stopped ??= this.#stop(reason));

  async #stop(reason: string): Promise<void> {
    const { log } = this.#options;
    log[this.#shared.serves ? 'info' : 'debug']('stopping', { reason });
    this.#network.listeners.stopAccepting();
    this.#stopping.abort();
    await this.#network.stop(this.#head.shutdown_timeout_ms);
    await this.hooks.stop
      .promise(reason)
      .catch((error: unknown) => log.error('stop failed', { error }));
    await this.#unwind.run();
  }

  async #setup(): Promise<void> {
    const { plugins } = this.#options;
    const shared = this.#shared;
    this.#unwind.push(() => this.#database?.close());
    this.#unwind.push(async () => {
      for (const scope of this.#scopes.toReversed()) await scope.undo();
    });
    for (const driver of plugins.filter(({ drives }) => drives)) await this.#setUp(driver, shared);
    this.#database = await this.#timeline.step('database', () => this.#openDatabase());
    shared.db = this.#database;
    for (const plugin of plugins.filter(({ drives }) => !drives)) await this.#setUp(plugin, shared);
  }

  async #setUp(plugin: Plugin, shared: Shared): Promise<void> {
    const scope = new Scope(plugin, this.#options.sections.get(plugin.name), shared);
    this.#scopes.push(scope);
    await this.#timeline.limited(`setup of '${plugin.name}'`, () => scope.setup());
  }

  #openDatabase(): Promise<DatabaseHandle> {
    const { head, log, mode = 'serve', clock = machineClock } = this.#options;
    const { database_url: url } = head.database;
    const request = { url, options: head.database, log: log.target('db'), clock, mode };
    return openDatabase(this.hooks, request);
  }

  #share(brand: Brand, access: Access, clock: Clock): Shared {
    const { checkPayloads = false, log, mode = 'serve', plugins, services } = this.#options;
    return {
      db: notOpen,
      log,
      signal: this.#stopping.signal,
      clock,
      brand,
      bus: this.#bus,
      server: this.#facts(),
      auth: access,
      system,
      plugins,
      methods: this.methods,
      migrations: this.migrations,
      hooks: this.hooks,
      timeline: this.#timeline,
      services: new Services(services),
      checkPayloads,
      isForeign: this.#options.isForeign ?? (() => false),
      serves: mode === 'serve',
      call: this.call,
      request: (request) => this.#dispatcher.internal(request),
    };
  }

  /** Other servers are reached from now on, where a plugin offers a way to them. */
  async #joinBus(): Promise<void> {
    const { id, deliver, event } = this.#bus;
    const { uuid, version } = this.#shared.server;
    this.#bus.join(await this.hooks.bus.promise({ id, uuid, version, deliver, event }));
  }

  #facts(): ServerState {
    return {
      uuid: () => this.#head.server_uuid,
      version: this.#options.version,
      maxRequestBytes: () => this.#head.max_request_body_size,
      maxResponseBytes: () => this.#head.max_response_body_size,
      places: () => this.#network.slots,
    };
  }

  async #register(): Promise<void> {
    const { rpc, router } = this.#network;
    this.hooks.request.tapPromise({ name: 'kernel', stage: LAST }, (given) => rpc.handle(given));
    const registries = { methods: this.#registry, routes: router, migrations: this.#steps };
    await registerAll(this.hooks, this.#scopes, registries, this.#timeline);
  }
}
