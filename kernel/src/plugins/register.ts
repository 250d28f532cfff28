import type { Plugin } from '@svc/plugin-sdk';
import type { SyncHook } from 'tapable';

/**
 * Runs a registration hook, once, in the order of the plugins: each registers through a registry of its own, so that every
 * entry knows its owner.
 */
export function register<Registry>(
  { taps }: SyncHook<[Registry]>,
  plugins: readonly Plugin[],
  registryOf: (plugin: Plugin) => Registry,
): void {
  // tapable calls every tap with the same argument; a tap's name tells whose registry it should get.
  for (const plugin of plugins) {
    for (const { fn } of taps.filter(({ name }) => name === plugin.name))
      (fn as (registry: Registry) => void)(registryOf(plugin));
  }
}
