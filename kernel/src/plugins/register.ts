import { isLater, type Plugin } from '@svc/plugin-sdk';
import type { SyncHook } from 'tapable';
import type { Steps } from '../db/migrate.ts';
import type { KernelHooks } from '../hooks.ts';
import type { Router } from '../http/router.ts';
import type { Registry } from '../rpc/registry.ts';
import type { Timeline } from '../timeline.ts';
import { allInNameOf } from './running.ts';

interface Registrant {
  readonly plugin: Plugin;
  /** True: what it registers runs in its name. */
  readonly isForeign: boolean;
}

interface Registries {
  readonly methods: Registry;
  readonly routes: Router;
  readonly migrations: Steps;
}

/** Takes what plugins register, and waits for taps that answer with a promise: their errors end the start. */
export async function registerAll(
  hooks: KernelHooks,
  plugins: readonly Registrant[],
  { methods, routes, migrations }: Registries,
  timeline: Timeline,
): Promise<void> {
  const unfinished = [
    register(hooks.methods, plugins, (plugin) => methods.for(plugin)),
    register(hooks.routes, plugins, ({ name }) => routes.for(name)),
    register(hooks.migrations, plugins, ({ name }) => migrations.for(name)),
  ].flat();
  migrations.close();
  await Promise.all(
    unfinished.map(({ plugin, done }) =>
      timeline.limited(`registration of '${plugin}'`, async () => done),
    ),
  );
}

/** What a tap that answered with a promise still does. */
interface Unfinished {
  readonly plugin: string;
  readonly done: PromiseLike<unknown>;
}

/**
 * Runs a registration hook, once, in the order of the plugins: each registers through a registry of its own, so that every
 * entry knows its owner.
 * @returns what has not ended
 */
function register<R extends object>(
  { taps }: SyncHook<[R]>,
  plugins: readonly Registrant[],
  registryOf: (plugin: Plugin) => R,
): Unfinished[] {
  const unfinished: Unfinished[] = [];
  // tapable calls every tap with the same argument; a tap's name tells whose registry it should get.
  for (const { plugin, isForeign } of plugins) {
    for (const { fn } of taps.filter(({ name }) => name === plugin.name)) {
      const registry = registryOf(plugin);
      const own = isForeign ? named(plugin.name, registry) : registry;
      const done = (fn as (registry: R) => unknown)(own);
      if (isLater(done)) unfinished.push({ plugin: plugin.name, done });
    }
  }
  return unfinished;
}

/** The registry, whose functions take what is registered as their last argument. */
function named<R extends object>(plugin: string, registry: R): R {
  const members = Object.entries(registry).map(([name, add]) => [
    name,
    (...args: unknown[]) => add(...args.slice(0, -1), allInNameOf(plugin, args.at(-1))),
  ]);
  return Object.fromEntries(members) as R;
}
