import type { WasmModule } from '../wasm.ts';
import { type Driver, type Hearing, installBridge } from './bridge.ts';
import { createEngine, type Engine } from './engine.ts';

/** Heap of contexts that are made in advance. */
export const DEFAULT_HEAP = 8_388_608;
/** Idle time of the thread after which the next context is made in advance, ms: a call that came meanwhile would wait for it. */
const REFILL_MS = 15;

/** Context with its prelude and the owner's globals, without a script. */
export interface EmptyContext {
  readonly engine: Engine;
  readonly driver: Driver;
  readonly listen: (hearing: Hearing) => void;
}

/** Makes contexts, one of them in advance. */
export class EmptyContexts {
  readonly #module: WasmModule;
  readonly #globals: string;
  #spare: Promise<EmptyContext> | undefined;
  #refill: NodeJS.Timeout | undefined;

  constructor(module: WasmModule, globals: string) {
    this.#module = module;
    this.#globals = globals;
  }

  acquire(heap: number): Promise<EmptyContext> {
    const ready = heap === DEFAULT_HEAP ? this.#spare : undefined;
    if (ready) this.#spare = undefined;
    return ready ?? this.#make(heap);
  }

  /** A failure is no error here: the next `acquire` makes a context of its own, or learns why not. */
  async fill(): Promise<void> {
    const made = this.#make(DEFAULT_HEAP);
    this.#spare = made;
    await made.catch(() => {
      if (this.#spare === made) this.#spare = undefined;
    });
  }

  /** Begins to wait anew for a time in which nothing happens on this thread. */
  fillLater(): void {
    if (this.#spare) return;
    clearTimeout(this.#refill);
    this.#refill = setTimeout(() => void this.fill(), REFILL_MS);
  }

  async #make(heap: number): Promise<EmptyContext> {
    const engine = await createEngine(this.#module, heap);
    return { engine, ...installBridge(engine, this.#globals) };
  }
}
