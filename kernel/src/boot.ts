import { setMaxListeners } from 'node:events';
import { dirname, resolve } from 'node:path';
import {
  type BusRequest,
  type Clock,
  type Kernel,
  LAST,
  type Plugin,
  PluginError,
  type Principal,
  UserError,
} from '@svc/plugin-sdk';
import { machineClock } from './clock.ts';
import { makeBrand } from './config/brand.ts';
import { type LoadedConfig, loadConfig } from './config/load.ts';
import { migrate, type Step } from './db/migrate.ts';
import { type OpenDatabase, openDatabase } from './db/open.ts';
import { parseDatabaseUrl } from './db/url.ts';
import { inTime } from './deadline.ts';
import { createHooks, type KernelHooks } from './hooks.ts';
import { LocalBus } from './local-bus.ts';
import { type LogOptions, openLog } from './log/index.ts';
import { Network } from './network.ts';
import { pluginConfigs, warnAboutUnknownKeys } from './plugins/configs.ts';
import { orderPlugins } from './plugins/order.ts';
import { builtInNames, loadPlugin } from './plugins/resolve.ts';
import { Scope, type Shared } from './plugins/scope.ts';
import { Events, Services } from './plugins/services.ts';
import { Access, system } from './rpc/access.ts';
import { Dispatcher } from './rpc/dispatch.ts';
import { type Registered, Registry } from './rpc/registry.ts';
import { ServerControl } from './server.ts';

export interface BootOptions {
  /** Path of the configuration file. */
  readonly config: string;
  /** `tool`: database and plugins only, nothing listens (init and other commands). */
  readonly mode?: 'serve' | 'tool';
  /** Plugin objects or entries instead of the configuration's list: tests, embedding. */
  readonly plugins?: readonly (Plugin | string)[] | undefined;
  readonly clock?: Clock;
  readonly console?: LogOptions['console'];
}

/** A running server, for those who started it. */
export interface App {
  readonly url: string;
  readonly hooks: KernelHooks;
  readonly db: OpenDatabase;
  readonly version: string;
  /** Every RPC method by wire name. */
  readonly methods: ReadonlyMap<string, Registered>;
  /** A plugin's face of the kernel, by plugin name. */
  face(plugin: string): Kernel | undefined;
  service: Services['useOptional'];
  /** Calls a method in-process; default caller: the server itself. */
  call(method: string, params?: unknown, caller?: Principal): Promise<unknown>;
  stop(reason: string): Promise<void>;
}

/** Each step that waits for a plugin ends after this time, with an error that names the step. */
const STEP_TIMEOUT_MS = 120_000;

/**
 * The life of a server, from top to bottom:
 * configuration → plugins → database → setup → migrations → prepare → start → listen → ready; `stop` unwinds it.
 * A failure anywhere unwinds what was done and rejects.
 */
export async function boot(options: BootOptions): Promise<App> {
  const undo: (() => Promise<void> | void)[] = [];
  const unwind = async () => {
    for (let step = undo.pop(); step; step = undo.pop()) await step();
  };
  try {
    return await rise(options, undo, unwind);
  } catch (error) {
    await unwind();
    throw error;
  }
}

async function rise(
  options: BootOptions,
  undo: (() => Promise<void> | void)[],
  unwind: () => Promise<void>,
): Promise<App> {
  const { mode = 'serve', clock = machineClock } = options;
  const path = resolve(options.config);
  const loaded = await loadConfig(path);
  const brand = makeBrand(loaded.head.brand);
  const log = openLog(loaded.head.logging, {
    env: process.env['RUST_LOG'],
    console: options.console ?? 'stdout',
    brand,
  });
  undo.push(() => log.close());
  const { logger } = log;
  logger.info('configuration', { path, config: loaded.raw });
  for (const warning of loaded.warnings) logger.warn(warning);

  const plugins = await choosePlugins(options, loaded, dirname(path));
  const db = await openDatabase({ config: loaded.head.database, log: logger.target('db'), mode });
  undo.push(() => db.close());

  const hooks = createHooks();
  const registry = new Registry(brand.rewrite);
  const access = new Access(hooks);
  const limits = { maxResponseBytes: loaded.head.max_response_body_size };
  const dispatcher = new Dispatcher({ registry, access, hooks, log: logger, limits });
  const network = new Network({ head: loaded.head, hooks, dispatcher, brand, log: logger, clock });
  const server = new ServerControl({ path, loaded, plugins, hooks, network, limits, log });
  const bus = new LocalBus(logger.target('bus'));
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  const call = (method: string, params: unknown, caller: Principal) =>
    dispatcher.call(brand.rewrite(method), params, caller);
  const shared: Shared = {
    db,
    log: logger,
    signal: stopping.signal,
    clock,
    brand,
    bus,
    server,
    auth: access,
    system,
    hooks,
    services: new Services(),
    events: new Events(logger),
    call,
    request: (request) => dispatcher.internal(request),
  };
  const configs = pluginConfigs(plugins, loaded);
  server.configs = configs;
  const scopes = plugins.map((plugin) => {
    const { section, root } = configs.get(plugin) as { section: unknown; root: unknown };
    return new Scope(plugin, section, root, shared);
  });
  undo.push(async () => {
    for (const scope of scopes.toReversed()) await scope.undo();
  });
  for (const scope of scopes) await stepInTime(`setup of '${scope.plugin.name}'`, scope.setup());
  warnAboutUnknownKeys(plugins, loaded, logger);
  const steps = register(plugins, hooks, registry, network);
  await migrate(db, steps, logger);
  const { id, deliver, event } = bus;
  const request: BusRequest = { id, uuid: server.uuid, version: server.version, deliver, event };
  bus.join(mode === 'serve' ? await stepInTime('bus', hooks.bus.promise(request)) : undefined);
  await stepInTime('prepare', hooks.prepare.promise());

  const stop = once(async (reason: string) => {
    const deadline_ms = loaded.head.shutdown_timeout_ms;
    logger.info('stopping', { reason });
    network.stopAccepting();
    stopping.abort();
    await network.stop(deadline_ms);
    await stepInTime('stop', hooks.stop.promise(reason)).catch((error) =>
      logger.error('stop failed', { error }),
    );
    await unwind();
  });
  const app: App = {
    get url() {
      return network.listening.url;
    },
    hooks,
    db,
    version: server.version,
    methods: registry.methods,
    face: (name) => scopes.find(({ plugin }) => plugin.name === name)?.face(),
    service: (service) => shared.services.useOptional(service),
    call: (method, params, caller = system) => call(method, params, caller),
    stop,
  };
  if (mode === 'tool') return app;
  await stepInTime('start', hooks.start.promise());
  undo.push(() => network.stop(0));
  await network.open(loaded.head);
  await stepInTime('ready', hooks.ready.promise(network.listening));
  logger.info('listening', {
    ...network.listening,
    version: server.version,
    server_uuid: server.uuid(),
  });
  return app;
}

async function choosePlugins(
  options: BootOptions,
  { head }: LoadedConfig,
  base: string,
): Promise<Plugin[]> {
  const entries = options.plugins ?? head.plugins ?? builtInNames();
  const plugins = await Promise.all(
    entries.map((entry) => (typeof entry === 'string' ? loadPlugin(entry, base) : entry)),
  );
  // Servers that share a database must hear of each other, whatever the list says.
  const bus = `bus-${parseDatabaseUrl(head.database.database_url).dialect}`;
  const listed = (name: string) => plugins.some((plugin) => plugin.name === name);
  if (!listed(bus) && builtInNames().includes(bus)) plugins.push(await loadPlugin(bus, base));
  for (const { brings = [] } of plugins) {
    for (const name of brings) if (!listed(name)) plugins.push(await loadPlugin(name, base));
  }
  return orderPlugins(plugins, async (service) => {
    for (const name of builtInNames()) {
      // Advice only: a package that does not load must not hide what is missing.
      const plugin = await loadPlugin(name, base).catch(() => undefined);
      if (plugin?.provides?.some((offered) => offered.service === service)) return name;
    }
    return undefined;
  });
}

/** Runs the registration hooks, once: a registry per plugin, so that every entry knows its owner. */
function register(
  plugins: readonly Plugin[],
  hooks: KernelHooks,
  registry: Registry,
  network: Network,
): Step[] {
  const steps: Step[] = [];
  const forEach = (hook: 'methods' | 'routes' | 'migrations', run: (plugin: Plugin) => unknown) => {
    // tapable calls every tap with the same argument; a tap's name tells whose registry it should get.
    for (const tap of hooks[hook].taps) {
      const plugin = plugins.find(({ name }) => name === tap.name);
      if (plugin) (tap.fn as (registry: unknown) => void)(run(plugin));
    }
  };
  forEach('migrations', ({ name }) => ({
    add: (migration: Step['migration']) => {
      if (steps.some((step) => step.plugin === name && step.migration.name === migration.name)) {
        throw new PluginError(name, `migration '${migration.name}' is registered twice`);
      }
      steps.push({ plugin: name, migration });
    },
  }));
  forEach('methods', ({ name, namespaces = [] }) => registry.for(name, namespaces));
  forEach('routes', ({ name }) => network.router.for(name));
  hooks.request.tapPromise({ name: 'kernel', stage: LAST }, (exchange) =>
    network.rpc.handle(exchange),
  );
  return steps;
}

const stepInTime = <T>(step: string, work: Promise<T>): Promise<T> =>
  inTime(
    STEP_TIMEOUT_MS,
    work,
    () => new UserError(`${step} took longer than ${STEP_TIMEOUT_MS} ms`),
  );

function once<A extends unknown[]>(
  run: (...args: A) => Promise<void>,
): (...args: A) => Promise<void> {
  let running: Promise<void> | undefined;
  return (...args) => {
    running ??= run(...args);
    return running;
  };
}
