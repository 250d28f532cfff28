import type { Plugin } from '@svc/plugin-sdk';
import type { SyncHook } from 'tapable';
import { allInNameOf } from './running.ts';

interface Registrant {
  readonly plugin: Plugin;
  /** True: what it registers runs in its name. */
  readonly isForeign: boolean;
}

/**
 * Runs a registration hook, once, in the order of the plugins: each registers through a registry of its own, so that every
 * entry knows its owner.
 */
export function register<Registry extends object>(
  { taps }: SyncHook<[Registry]>,
  plugins: readonly Registrant[],
  registryOf: (plugin: Plugin) => Registry,
): void {
  // tapable calls every tap with the same argument; a tap's name tells whose registry it should get.
  for (const { plugin, isForeign } of plugins) {
    for (const { fn } of taps.filter(({ name }) => name === plugin.name)) {
      const registry = registryOf(plugin);
      const own = isForeign ? named(plugin.name, registry) : registry;
      (fn as (registry: Registry) => void)(own);
    }
  }
}

/** The registry, whose functions take what is registered as their last argument. */
function named<Registry extends object>(plugin: string, registry: Registry): Registry {
  const members = Object.entries(registry).map(([name, add]) => [
    name,
    (...args: unknown[]) => add(...args.slice(0, -1), allInNameOf(plugin, args.at(-1))),
  ]);
  return Object.fromEntries(members) as Registry;
}
