import type { Clock, Database, Hooks, Kernel, Logger, Plugin } from '@svc/plugin-sdk';
import { didYouMean, isLater, PluginError, RpcError, UserError } from '@svc/plugin-sdk';
import { type KernelHooks, SYNC_HOOKS } from '../hooks.ts';
import type { LocalBus } from '../local-bus.ts';
import type { Timeline } from '../timeline.ts';
import { messagingOf } from './messaging.ts';
import { inNameOf } from './running.ts';
import type { Services } from './services.ts';

type Same =
  | 'signal'
  | 'clock'
  | 'brand'
  | 'server'
  | 'auth'
  | 'system'
  | 'plugins'
  | 'methods'
  | 'migrations';

/** What all scopes of one kernel share. */
export interface Shared extends Pick<Kernel, Same | 'call' | 'request'> {
  /** Set when the database is open: after the setup of the plugins that drive one. */
  db: Database;
  readonly hooks: KernelHooks;
  readonly log: Logger;
  readonly services: Services;
  readonly bus: LocalBus;
  readonly checkPayloads: boolean;
  readonly isForeign: (plugin: string) => boolean;
  /** False: a command, which repeats no task of a server. */
  readonly serves: boolean;
  readonly timeline: Timeline;
}

/** Hooks whose taps may wait, at a start or a reload. */
const WAITED_FOR: ReadonlySet<string> = new Set(['prepare', 'start', 'ready', 'reload']);
/** A plugin that takes longer to end is named in the log. */
const SLOW_END_MS = 5_000;
/** Calls get 8 s of the 30 that service managers wait, a plugin the rest. */
const END_MS = 20_000;

/** Before all other taps. */
const FIRST = Number.NEGATIVE_INFINITY;

type Tap = (...args: unknown[]) => unknown;

interface Undo {
  readonly label: string;
  readonly run: () => void | Promise<void>;
}

/** Values of a plugin's section and of the top-level keys that it claims, defaults applied. The plugin keeps these objects. */
export interface PluginSettings {
  readonly section: Record<string, unknown>;
  readonly root: Record<string, unknown>;
}

/** What one plugin acts through: what it taps, starts and opens carries its name and ends with it. */
export class Scope {
  readonly plugin: Plugin;
  readonly #settings: PluginSettings;
  readonly #shared: Shared;
  readonly #undos: Undo[] = [];
  #open = true;

  constructor(plugin: Plugin, settings: PluginSettings | undefined, shared: Shared) {
    this.plugin = plugin;
    this.#settings = settings ?? { section: {}, root: {} };
    this.#shared = shared;
  }

  get isForeign(): boolean {
    return this.#shared.isForeign(this.plugin.name);
  }

  /** Runs `setup`; registration closes when it returns. */
  async setup(): Promise<void> {
    const kernel = this.kernel();
    const { migrations = [] } = this.plugin;
    kernel.hooks.migrations.tap((steps) => migrations.forEach(steps.add), { stage: FIRST });
    try {
      await inNameOf(this.plugin.name, () => this.plugin.setup(kernel as Kernel<never, never>));
    } catch (cause) {
      throw wrap(this.plugin.name, 'setup failed', cause);
    } finally {
      this.#open = false;
    }
  }

  /** Labels of what has not been undone: empty after `undo`. */
  get live(): readonly string[] {
    return this.#undos.map(({ label }) => label);
  }

  async undo(): Promise<void> {
    for (let undo = this.#undos.pop(); undo; undo = this.#undos.pop()) {
      const { label, run } = undo;
      await this.#ending(`undo '${label}'`, run);
    }
  }

  kernel(): Kernel {
    const { plugin } = this;
    const shared = this.#shared;
    const log = shared.log.target(plugin.logTarget ?? plugin.name.replaceAll('-', '_'));
    return {
      ...shared,
      config: this.#settings.section,
      root: this.#settings.root,
      log,
      clock: this.#clock(shared.clock),
      ...messagingOf({
        plugin: plugin.name,
        bus: shared.bus,
        checkPayloads: shared.checkPayloads,
        own: (label, undo) => this.#owned(label, undo),
      }),
      hooks: this.#hooks(),
      provide: (service, value) => {
        if (!plugin.provides?.some((offered) => offered.service === service.service)) {
          throw new PluginError(plugin.name, `provides '${service.service}' without listing it`);
        }
        shared.services.provide(plugin.name, service, value);
      },
      use: (service) => shared.services.use(plugin.name, service),
      useOptional: (service) => shared.services.useOptional(service),
      every: (label, period_ms, task) => this.#every(label, period_ms, task, log),
      defer: (label, run) => void this.#undos.push({ label, run }),
    };
  }

  /** Remembers an undo until it is used. */
  #owned(label: string, remove: () => void): () => void {
    const undo: Undo = { label, run: () => remove() };
    this.#undos.push(undo);
    return () => {
      const at = this.#undos.indexOf(undo);
      if (at >= 0) this.#undos.splice(at, 1);
      remove();
    };
  }

  #clock(clock: Clock): Clock {
    return {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      timeout: (callback, delay_ms) => {
        const cancel = this.#owned(
          'timeout',
          clock.timeout(() => {
            cancel();
            callback();
          }, delay_ms),
        );
        return cancel;
      },
      interval: (callback, period_ms) =>
        this.#owned('interval', clock.interval(callback, period_ms)),
    };
  }

  #every(label: string, period_ms: number, task: () => void | Promise<void>, log: Logger): void {
    const { clock, serves } = this.#shared;
    if (!serves) return;
    let running = false;
    const run = async () => {
      if (running) return;
      running = true;
      try {
        await task();
      } catch (error) {
        log.error('repeated task failed', { task: label, error });
      } finally {
        running = false;
      }
    };
    const cancel = clock.interval(() => void run(), period_ms);
    this.#owned(label, cancel);
  }

  /** Runs a part of the plugin's end: however it goes, the others come next. */
  async #ending(what: string, work: () => unknown): Promise<void> {
    const { clock, log, timeline } = this.#shared;
    const plugin = this.plugin.name;
    const tell = () =>
      log.warn('a plugin takes long to end', { plugin, what, after_ms: SLOW_END_MS });
    let cancel = () => {};
    try {
      const result = work();
      if (!isLater(result)) return;
      cancel = clock.timeout(tell, SLOW_END_MS);
      await timeline.limited(`${what} of '${plugin}'`, () => result, END_MS);
    } catch (error) {
      log.error('a plugin failed to end', { plugin, what, error });
    } finally {
      cancel();
    }
  }

  /** The tap as a step of its own: it has a deadline, and its time is in the log. */
  #timed(hook: string, run: Tap): Tap {
    const { name } = this.plugin;
    const { timeline } = this.#shared;
    const named: Tap = (...args) => inNameOf(name, () => run(...args));
    if (hook === 'stop') return (...args) => this.#ending('stop', () => named(...args));
    if (!WAITED_FOR.has(hook)) return this.isForeign ? named : run;
    return (...args) => timeline.limited(`${hook} of '${name}'`, () => named(...args));
  }

  /** The hooks with taps named after the plugin; errors of a tap say whose it was. */
  #hooks(): Hooks {
    const { name } = this.plugin;
    const guard = () => {
      if (!this.#open)
        throw new PluginError(name, 'taps a hook after setup has returned (too late)');
    };
    const hooks = Object.fromEntries(
      Object.entries(this.#shared.hooks).map(([hook, tapable]) => [
        hook,
        {
          tap: (run: Tap, { stage = 0 } = {}) => {
            guard();
            const named = naming(name, hook, this.#timed(hook, run));
            const options = { name, stage };
            if (SYNC_HOOKS.has(hook)) tapable.tap(options, named as never);
            else (tapable as KernelHooks['request']).tapAsync(options, calling(named) as never);
          },
        },
      ]),
    );
    return known(hooks, name) as unknown as Hooks;
  }
}

/** Hooks of an earlier version whose place data of definePlugin has taken. */
const DATA = ['permissions'];

/** A hook that does not exist is an error with a hint, not an undefined that cannot be tapped. */
function known<T extends object>(hooks: T, plugin: string): T {
  return new Proxy(hooks, {
    get(target, name) {
      if (typeof name === 'symbol' || Object.hasOwn(target, name)) return Reflect.get(target, name);
      const hint = DATA.includes(name)
        ? `: list them as '${name}' of definePlugin`
        : didYouMean(name, Object.keys(target));
      throw new PluginError(plugin, `there is no hook '${name}'${hint}`);
    },
  });
}

/** Errors meant for the caller or the operator pass as they are; others learn the plugin's name. */
function naming(plugin: string, hook: string, run: Tap): Tap {
  const rethrow = (cause: unknown): never => {
    throw wrap(plugin, `tap of '${hook}' failed`, cause);
  };
  return (...args) => {
    try {
      const result = run(...args);
      return isLater(result) ? Promise.resolve(result).catch(rethrow) : result;
    } catch (cause) {
      return rethrow(cause);
    }
  };
}

/** A tap in callback form, so that one that answers at once costs no promise. */
export const calling =
  (run: Tap) =>
  (...given: unknown[]): void => {
    const done = given.pop() as (error: unknown, result?: unknown) => void;
    let result: unknown;
    try {
      result = run(...given);
    } catch (error) {
      done(error);
      return;
    }
    if (isLater(result)) result.then((value) => done(null, value), done);
    else done(null, result);
  };

function wrap(plugin: string, what: string, cause: unknown): Error {
  if (cause instanceof RpcError || cause instanceof UserError || cause instanceof PluginError)
    return cause;
  return new PluginError(plugin, `${what}: ${(cause as Error)?.message ?? cause}`, { cause });
}
