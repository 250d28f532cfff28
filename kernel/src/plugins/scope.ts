import type { Clock, Database, Kernel, Logger, Plugin } from '@svc/plugin-sdk';
import { PluginError } from '@svc/plugin-sdk/kernel';
import { isLater } from '@svc/plugin-sdk/util';
import type { KernelHooks } from '../hooks.ts';
import type { LocalBus } from '../local-bus.ts';
import type { Timeline } from '../timeline.ts';
import { messagingOf } from './messaging.ts';
import { inNameOf } from './running.ts';
import type { Services } from './services.ts';
import { tapsOf, wrap } from './taps.ts';

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

/** State that all scopes of one kernel share. */
export interface Shared extends Pick<Kernel, Same | 'call' | 'request'> {
  /** Set when the database is open: after the setup of the plugins that drive one. */
  db: Database;
  readonly hooks: KernelHooks;
  readonly log: Logger;
  readonly services: Services;
  readonly bus: LocalBus;
  readonly checkPayloads: boolean;
  readonly isForeign: (plugin: string) => boolean;
  /** Tells whether this is a server; a command repeats no task of one. */
  readonly serves: boolean;
  readonly timeline: Timeline;
}

/** Time after which a plugin that has not ended is named in the log. */
const SLOW_END_MS = 5_000;
/** Calls get 8 s of the 30 that service managers wait, a plugin the rest. */
const END_MS = 20_000;

/** Stage before all other taps. */
const FIRST = Number.NEGATIVE_INFINITY;

interface Undo {
  readonly label: string;
  readonly run: () => void | Promise<void>;
}

/** Values of a plugin's section and of the top-level keys that it claims, defaults applied. The plugin keeps these objects. */
export interface PluginSettings {
  readonly section: Record<string, unknown>;
  readonly root: Record<string, unknown>;
}

/** Scope of one plugin: what it taps, starts and opens carries its name and ends with it. */
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
      hooks: tapsOf({
        plugin: plugin.name,
        hooks: shared.hooks,
        isForeign: this.isForeign,
        isOpen: () => this.#open,
        bounded: (...tap) => this.#runBounded(...tap),
      }),
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
    const warn = () =>
      log.warn('a plugin takes long to end', { plugin, what, after_ms: SLOW_END_MS });
    let cancel = () => {};
    try {
      const result = work();
      if (!isLater(result)) return;
      cancel = clock.timeout(warn, SLOW_END_MS);
      await timeline.limited(`${what} of '${plugin}'`, () => result, END_MS);
    } catch (error) {
      log.error('a plugin failed to end', { plugin, what, error });
    } finally {
      cancel();
    }
  }

  /** Runs a tap with a deadline; its time is in the log. */
  #runBounded(hook: string, by: 'step' | 'end', work: () => unknown): Promise<unknown> {
    if (by === 'end') return this.#ending(hook, work);
    return this.#shared.timeline.limited(`${hook} of '${this.plugin.name}'`, work);
  }
}
