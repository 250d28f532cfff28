import type { QuickJSHandle } from 'quickjs-emscripten-core';
import { wasm } from '../wasm.ts';
import type { HostSync } from './host-sync.ts';
import type { Instance } from './instance.ts';
import { eager, lazy } from './prelude.ts';

/** What a script asks of its host, as the bridge hears it. Texts are JSON. */
export interface Hearing {
  readonly sync: HostSync;
  /** True when the run's time is over: nothing more is done for it. */
  late(): boolean;
  /** @returns why it is refused, or the empty text */
  op(id: number, kind: string, text: string, bytes: Uint8Array | undefined): string;
  done(kind: string, text: string, bytes: Uint8Array | undefined): void;
  /** A piece of a body that is too large for one call. @returns why it is refused, or the empty text */
  out(bytes: Uint8Array): string;
  /** The pieces that came before, as a whole. */
  pieces(): Uint8Array;
  /** Kinds that concern the context itself: timers and log. */
  own(kind: string, value: unknown): { readonly value: unknown } | undefined;
  /** The engine's stack or memory gave way inside the bridge. */
  broken(error: unknown): void;
}

/** Functions of the script side that the host calls. */
export interface Driver {
  readonly loaded: QuickJSHandle;
  readonly run: QuickJSHandle;
  readonly settle: QuickJSHandle;
  readonly fire: QuickJSHandle;
  readonly failed: QuickJSHandle;
  readonly clearTimers: QuickJSHandle;
}

const UNHEARD: Hearing = {
  sync: undefined as never,
  late: () => false,
  op: () => 'nothing is running',
  done() {},
  out: () => 'nothing is running',
  pieces: () => new Uint8Array(),
  own: () => undefined,
  broken() {},
};

/** Evaluates the prelude. `listen` says who hears the script from then on. */
export function installBridge(
  instance: Instance,
  globals: string,
): { driver: Driver; listen: (hearing: Hearing) => void } {
  const { context } = instance;
  let hearing: Hearing = UNHEARD;
  const answer = (value: unknown) => instance.string(JSON.stringify({ v: value ?? null }));
  const text = (handle: QuickJSHandle | undefined) => (handle ? context.getString(handle) : '');
  /** An ArrayBuffer, or `true` for the pieces that came before. @throws NoRoom */
  const bytesOf = (handle: QuickJSHandle | undefined): Uint8Array | undefined => {
    const type = handle && context.typeof(handle);
    if (type === 'boolean') return hearing.pieces();
    if (!handle || type !== 'object') return undefined;
    const bytes = instance.bytes(handle);
    if (!bytes) throw new NoRoom('out of memory');
    return bytes;
  };

  const host = context.newObject();
  const add = (name: string, run: (...args: QuickJSHandle[]) => QuickJSHandle | undefined) => {
    const handle = context.newFunction(name, (...args) => {
      try {
        return hearing.late() ? undefined : run(...args);
      } catch (error) {
        // The script learns that its memory is exhausted; anything else is the end of this context.
        if (!(error instanceof NoRoom)) hearing.broken(error);
        return undefined;
      }
    });
    context.setProp(host, name, handle);
    handle.dispose();
  };
  add('sync', (kind, value, bytes) => {
    const what = text(kind);
    try {
      const given: unknown = JSON.parse(text(value));
      const own = hearing.own(what, given);
      return answer(own ? own.value : hearing.sync.answer(what, given, bytesOf(bytes)));
    } catch (error) {
      if (isBreakdown(error) || error instanceof NoRoom) throw error;
      const { name, message } = error as Error;
      return instance.string(JSON.stringify({ e: [name, message] }));
    }
  });
  add('take', () => {
    const { slot } = hearing.sync;
    hearing.sync.slot = undefined;
    return slot && instance.buffer(slot);
  });
  add('op', (id, kind, value, bytes) =>
    instance.string(
      hearing.op(id ? context.getNumber(id) : 0, text(kind), text(value), bytesOf(bytes)),
    ),
  );
  add('done', (kind, value, bytes) => {
    hearing.done(text(kind), text(value), bytesOf(bytes));
    return context.true;
  });
  add('out', (bytes) => {
    const copy = bytesOf(bytes);
    return copy && instance.string(hearing.out(copy));
  });
  add('load', (file) => {
    const source = lazy(text(file));
    const made = source === undefined ? undefined : context.evalCode(source, '<runtime>');
    return made && context.unwrapResult(made);
  });
  // The machine's clock serves while the prelude is evaluated; nothing else is asked for then.
  hearing = {
    ...UNHEARD,
    own: (kind) => ({ value: kind === 'origin' ? performance.timeOrigin : 0 }),
  };
  const driver = evaluate(instance, host, globals);
  return {
    driver,
    listen(next) {
      hearing = next;
    },
  };
}

class NoRoom extends Error {}

/** Stack exhaustion of the host, or a trap of the engine: the instance cannot be trusted any more. */
const isBreakdown = (error: unknown): boolean =>
  error instanceof wasm.RuntimeError ||
  (error instanceof RangeError && error.message.startsWith('Maximum call stack'));

function evaluate({ context }: Instance, host: QuickJSHandle, globals: string): Driver {
  const make = context.unwrapResult(context.evalCode(eager(globals), '<runtime>'));
  const driver = context.unwrapResult(context.callFunction(make, context.undefined, host));
  for (const handle of [make, host]) handle.dispose();
  const part = (name: string) => context.getProp(driver, name);
  return {
    loaded: part('loaded'),
    run: part('run'),
    settle: part('settle'),
    fire: part('fire'),
    failed: part('failed'),
    clearTimers: part('clearTimers'),
  };
}
