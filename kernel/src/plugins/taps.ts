import { type Hooks, RpcError, UserError } from '@svc/plugin-sdk';
import { PluginError } from '@svc/plugin-sdk/kernel';
import { didYouMean, isLater } from '@svc/plugin-sdk/util';
import { HOOKS, type KernelHooks } from '../hooks.ts';
import { inNameOf } from './running.ts';

type Tap = (...args: unknown[]) => unknown;

interface Options {
  readonly plugin: string;
  readonly hooks: KernelHooks;
  /** Tells whether its taps run in its name, so that stray errors are known as its own. */
  readonly isForeign: boolean;
  /** Tells whether `setup` has not returned yet. */
  readonly isOpen: () => boolean;
  /** Runs a tap of a hook that is bounded (`HOOKS`). */
  readonly bounded: (hook: string, by: 'step' | 'end', work: () => unknown) => unknown;
}

/** The hooks as one plugin taps them: taps are named after it, and errors of a tap say whose it was. */
export function tapsOf({ plugin, hooks, isForeign, isOpen, bounded }: Options): Hooks {
  const taps = Object.entries(HOOKS).map(([hook, { kind, bounded: by }]) => {
    const tap = (run: Tap, { stage = 0 } = {}) => {
      if (!isOpen())
        throw new PluginError(plugin, 'taps a hook after setup has returned (too late)');
      const named: Tap = (...args) => inNameOf(plugin, () => run(...args));
      const plain = isForeign ? named : run;
      const limited: Tap = by ? (...args) => bounded(hook, by, () => named(...args)) : plain;
      const telling = naming(plugin, hook, limited);
      const options = { name: plugin, stage };
      if (kind === 'async') hooks[hook as 'request'].tapAsync(options, calling(telling));
      else hooks[hook as 'settled'].tap(options, telling as never);
    };
    return [hook, { tap }];
  });
  return strict(Object.fromEntries(taps), plugin) as Hooks;
}

/** Hooks of an earlier version whose place data of definePlugin has taken. */
const DATA = ['permissions'];

/** Returns hooks of which one that does not exist is an error with a hint, not an undefined that cannot be tapped. */
function strict<T extends object>(hooks: T, plugin: string): T {
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

/** Tap whose errors say whose it was. */
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

/** Tap in callback form, so that one that answers at once costs no promise. */
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

/** Returns errors meant for the caller or the operator as they are, others with the plugin's name. */
export function wrap(plugin: string, what: string, cause: unknown): Error {
  if (cause instanceof RpcError || cause instanceof UserError || cause instanceof PluginError)
    return cause;
  return new PluginError(plugin, `${what}: ${(cause as Error)?.message ?? cause}`, { cause });
}
