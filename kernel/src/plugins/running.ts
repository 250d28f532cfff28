import { AsyncLocalStorage } from 'node:async_hooks';

/** Earlier versions follow every promise for it, which costs a tenth of all work. */
const IS_CHEAP = Number(process.versions.node.split('.')[0]) >= 24;

const running = IS_CHEAP ? new AsyncLocalStorage<string>() : undefined;

/** Runs what is a plugin's: what that begins, and does not wait for, goes on in its name. */
export const inNameOf = <T>(plugin: string, work: () => T): T =>
  running ? running.run(plugin, work) : work();

/** The plugin in whose name code runs; in a handler of stray errors, that of the error. Undefined also before Node 24. */
export const runningPlugin = (): string | undefined => running?.getStore();

/** The members of this object that are functions, run in the plugin's name. */
export function allInNameOf<T>(plugin: string, given: T): T {
  if (typeof given !== 'object' || given === null) return given;
  const members = Object.entries(given).map(([name, value]) => [
    name,
    typeof value === 'function'
      ? (...args: unknown[]) => inNameOf(plugin, () => value.apply(given, args))
      : value,
  ]);
  return Object.fromEntries(members) as T;
}
