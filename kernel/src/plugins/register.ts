import type { Plugin } from '@svc/plugin-sdk';
import { isLater } from '@svc/plugin-sdk/util';
import type { Steps } from '../db/migrate.ts';
import type { KernelHooks } from '../hooks.ts';
import type { Router } from '../http/router.ts';
import type { Registry } from '../rpc/registry.ts';
import type { Timeline } from '../timeline.ts';
import { allInNameOf } from './running.ts';

interface Registrant {
  readonly plugin: Plugin;
  /** Tells whether what it registers runs in its name. */
  readonly isForeign: boolean;
}

interface Registries {
  readonly methods: Registry;
  readonly routes: Router;
  readonly migrations: Steps;
}

/** Runs the registration hooks, and waits for taps that answer with a promise: their errors end the start. */
export async function registerAll(
  hooks: KernelHooks,
  plugins: readonly Registrant[],
  { methods, routes, migrations }: Registries,
  timeline: Timeline,
): Promise<void> {
  const byName = new Map(plugins.map((registrant) => [registrant.plugin.name, registrant]));
  const own = <R extends object>(name: string, registry: R): R =>
    byName.get(name)?.isForeign ? named(name, registry) : registry;
  const results = [
    hooks.methods.run((name) => own(name, methods.for(byName.get(name)?.plugin as Plugin))),
    hooks.routes.run((name) => own(name, routes.for(name))),
    hooks.migrations.run((name) => own(name, migrations.for(name))),
  ].flat();
  migrations.close();
  const unfinished = results.filter(({ result }) => isLater(result));
  await Promise.all(
    unfinished.map(({ plugin, result }) =>
      timeline.limited(`registration of '${plugin}'`, async () => result),
    ),
  );
}

/** Registry whose functions run what is registered, their last argument, in the plugin's name. */
function named<R extends object>(plugin: string, registry: R): R {
  const members = Object.entries(registry).map(([name, add]) => [
    name,
    (...args: unknown[]) => add(...args.slice(0, -1), allInNameOf(plugin, args.at(-1))),
  ]);
  return Object.fromEntries(members) as R;
}
