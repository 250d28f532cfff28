import type { QuickJSHandle } from 'quickjs-emscripten-core';
import { wasm } from '../wasm.ts';
import type { Engine } from './engine.ts';
import type { HostSync } from './host-sync.ts';
import { eager, lazy } from './prelude.ts';

/** Requests of a script to its host, as the bridge receives them. Texts are JSON. */
export interface Hearing {
  readonly sync: HostSync;
  /** Tells whether the run's time is over: nothing more is done for it. */
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

/** The machine's clock serves while the prelude is evaluated; it asks for nothing else. */
const PRELUDE: Hearing = {
  ...UNHEARD,
  own: (kind) => ({ value: kind === 'origin' ? performance.timeOrigin : 0 }),
};

/** Evaluates the prelude. `listen` names what hears the script from then on. */
export function installBridge(
  engine: Engine,
  globals: string,
): { driver: Driver; listen: (hearing: Hearing) => void } {
  const bridge = new Bridge(engine);
  const driver = evaluate(engine, bridge.host(), globals);
  return {
    driver,
    listen(next) {
      bridge.hearing = next;
    },
  };
}

type HostFunction = (...args: QuickJSHandle[]) => QuickJSHandle | undefined;

/** The functions of the host that the prelude calls. */
class Bridge {
  readonly #engine: Engine;
  hearing: Hearing = PRELUDE;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** An object of the script side with all of them. */
  host(): QuickJSHandle {
    const { context } = this.#engine;
    const host = context.newObject();
    for (const [name, run] of Object.entries(this.#functions())) {
      const handle = context.newFunction(name, (...args) => this.#guarded(run, args));
      context.setProp(host, name, handle);
      handle.dispose();
    }
    return host;
  }

  #functions(): { readonly [name: string]: HostFunction } {
    const { context } = this.#engine;
    return {
      sync: (...args) => this.#sync(...args),
      take: () => this.#take(),
      op: (id, kind, value, bytes) => {
        const number = id ? context.getNumber(id) : 0;
        return this.#string(
          this.hearing.op(number, this.#text(kind), this.#text(value), this.#bytes(bytes)),
        );
      },
      done: (kind, value, bytes) => {
        this.hearing.done(this.#text(kind), this.#text(value), this.#bytes(bytes));
        return context.true;
      },
      out: (bytes) => {
        const copy = this.#bytes(bytes);
        return copy && this.#string(this.hearing.out(copy));
      },
      load: (file) => {
        const source = lazy(this.#text(file));
        const made = source === undefined ? undefined : context.evalCode(source, '<runtime>');
        return made && context.unwrapResult(made);
      },
    };
  }

  #guarded(run: HostFunction, args: QuickJSHandle[]): QuickJSHandle | undefined {
    try {
      return this.hearing.late() ? undefined : run(...args);
    } catch (error) {
      // The script learns that its memory is exhausted; anything else is the end of this context.
      if (!(error instanceof NoRoom)) this.hearing.broken(error);
      return undefined;
    }
  }

  #sync(kind?: QuickJSHandle, value?: QuickJSHandle, bytes?: QuickJSHandle) {
    const what = this.#text(kind);
    try {
      const given: unknown = JSON.parse(this.#text(value));
      const own = this.hearing.own(what, given);
      const answer = own ? own.value : this.hearing.sync.answer(what, given, this.#bytes(bytes));
      return this.#string(JSON.stringify({ v: answer ?? null }));
    } catch (error) {
      if (isBreakdown(error) || error instanceof NoRoom) throw error;
      const { name, message } = error as Error;
      return this.#string(JSON.stringify({ e: [name, message] }));
    }
  }

  /** The bytes that the last `sync` has left. */
  #take(): QuickJSHandle | undefined {
    const { sync } = this.hearing;
    const { slot } = sync;
    sync.slot = undefined;
    return slot && this.#engine.buffer(slot);
  }

  #string(text: string): QuickJSHandle | undefined {
    return this.#engine.string(text);
  }

  #text(handle: QuickJSHandle | undefined): string {
    return handle ? this.#engine.context.getString(handle) : '';
  }

  /** An ArrayBuffer, or `true` for the pieces that came before. @throws NoRoom */
  #bytes(handle: QuickJSHandle | undefined): Uint8Array | undefined {
    const type = handle && this.#engine.context.typeof(handle);
    if (type === 'boolean') return this.hearing.pieces();
    if (!handle || type !== 'object') return undefined;
    const bytes = this.#engine.bytes(handle);
    if (!bytes) throw new NoRoom('out of memory');
    return bytes;
  }
}

class NoRoom extends Error {}

/** Stack exhaustion of the host, or a trap of the engine: its context cannot be trusted any more. */
const isBreakdown = (error: unknown): boolean =>
  error instanceof wasm.RuntimeError ||
  (error instanceof RangeError && error.message.startsWith('Maximum call stack'));

function evaluate({ context }: Engine, host: QuickJSHandle, globals: string): Driver {
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
