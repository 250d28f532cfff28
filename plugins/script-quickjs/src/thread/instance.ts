import variant from '@jitl/quickjs-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core';
import { type WasmModule, wasm } from '../wasm.ts';

const PAGE = 65_536;
const MIB = 1_048_576;
/** Static data and stack of the module, and room for what the bridge allocates. */
const OVERHEAD = 5.1 * MIB + 2 * MIB;
/** Kept for bodies that the host hands over: they do not count as the script's own. */
const BODIES = 8 * MIB + 65_536;
/** From this size on a buffer is such a body. */
const BODY = 262_144;
/** The module demands this much. */
const LEAST_PAGES = 256;
/** What a bridge call may need beside its text. */
const SLACK = 65_536;

interface Allocator {
  _malloc(bytes: number): number;
  _free(at: number): void;
}

/**
 * One wasm instance with one context, so that exhaustion and broken glue hurt one script only. Its memory is as large as
 * it will ever be; pages cost nothing until they are touched. Nothing is disposed: an instance is forgotten.
 */
export interface Instance {
  readonly context: QuickJSContext;
  readonly runtime: QuickJSRuntime;
  /** Some allocation was refused since this was last reset. */
  exhausted: boolean;
  /** True when so many bytes can still be allocated: the bridge's own calls do not survive exhaustion. */
  fits(bytes: number): boolean;
  /** A string of the script; undefined when it does not fit. U+0000 and lone surrogates must be escaped. */
  string(text: string): QuickJSHandle | undefined;
  buffer(bytes: Uint8Array): QuickJSHandle | undefined;
  /** Between two runs. */
  tidy(): void;
  /** Copy of an ArrayBuffer; undefined when the copy in between does not fit. */
  bytes(handle: QuickJSHandle): Uint8Array | undefined;
}

/** @param heap bytes for the script */
export async function createInstance(module: WasmModule, heap: number): Promise<Instance> {
  const pages = Math.max(LEAST_PAGES, Math.ceil((OVERHEAD + BODIES + heap) / PAGE));
  // Not growing: a memory that grows while jobs run makes the library read a stale pointer.
  const memory = new wasm.Memory({ initial: pages, maximum: pages });
  const refusals = { seen: false };
  // The module asks for more memory before it refuses an allocation.
  Object.defineProperty(memory, 'grow', {
    value() {
      refusals.seen = true;
      throw new RangeError('the memory does not grow');
    },
  });
  const quiet = { print() {}, printErr() {} };
  const made = newVariant(variant as unknown as QuickJSSyncVariant, {
    wasmModule: module as never,
    wasmMemory: memory as never,
    emscriptenModule: quiet as never,
  });
  const engine = await newQuickJSWASMModuleFromVariant(made);
  const allocator = (engine as unknown as { module: Allocator }).module;
  const runtime = engine.newRuntime();
  runtime.setMemoryLimit(heap);
  const context = runtime.newContext();
  // The engine's own limit counts allocations, not bytes: what a smaller heap may not use is taken away.
  const surplus = pages * PAGE - OVERHEAD - BODIES - heap;
  if (surplus > PAGE) allocator._malloc(surplus);
  return face(context, runtime, { allocator, refusals });
}

interface Memory {
  readonly allocator: Allocator;
  readonly refusals: { seen: boolean };
}

/** Room that the script's own objects cannot take; untouched pages cost nothing. */
class Reserve {
  readonly #allocator: Allocator;
  #at = 0;
  #size = 0;

  constructor(allocator: Allocator) {
    this.#allocator = allocator;
    this.#hold(BODIES);
  }

  /** Lets `work` use the room; what it leaves is kept again. */
  lend<T>(bytes: number, work: () => T): T {
    const size = this.#size;
    this.#release();
    try {
      return work();
    } finally {
      this.#hold(Math.max(0, size - bytes));
    }
  }

  /** Takes back what bodies have used, as far as they are gone. */
  restore(): void {
    const size = this.#size;
    if (size === BODIES) return;
    this.#release();
    if (!this.#hold(BODIES)) this.#hold(size);
  }

  #release(): void {
    if (this.#at !== 0) this.#allocator._free(this.#at);
    this.#at = 0;
    this.#size = 0;
  }

  #hold(size: number): boolean {
    this.#at = size > 0 ? this.#allocator._malloc(size) : 0;
    this.#size = this.#at === 0 ? 0 : size;
    return this.#at !== 0;
  }
}

function face(
  context: QuickJSContext,
  runtime: QuickJSRuntime,
  { allocator, refusals }: Memory,
): Instance {
  /** What is only tried does not count. */
  const quietly = <T>(work: () => T): T => {
    const { seen } = refusals;
    const result = work();
    refusals.seen = seen;
    return result;
  };
  const reserve = quietly(() => new Reserve(allocator));
  const fits = (bytes: number): boolean => {
    const at = quietly(() => allocator._malloc(bytes + SLACK));
    if (at === 0) return false;
    allocator._free(at);
    return true;
  };
  return {
    context,
    runtime,
    fits,
    get exhausted() {
      return refusals.seen;
    },
    set exhausted(seen) {
      refusals.seen = seen;
    },
    // UTF-8 of the host and the script's own copy.
    string: (text) => (fits(text.length * 5) ? context.newString(text) : undefined),
    buffer(bytes) {
      const make = () => {
        if (!fits(bytes.length)) return undefined;
        // Never the buffer behind a view: small Buffers of Node share one with other data of this process.
        const exact = new Uint8Array(bytes.length);
        exact.set(bytes);
        return context.newArrayBuffer(exact.buffer);
      };
      return bytes.length >= BODY ? quietly(() => reserve.lend(bytes.length, make)) : make();
    },
    tidy: () => quietly(() => reserve.restore()),
    bytes(handle) {
      const { ctx, ffi } = context as unknown as Inside;
      const length = ffi.QTS_GetArrayBufferLength(ctx.value, handle.value);
      if (!fits(length)) return undefined;
      const view = context.getArrayBuffer(handle);
      const copy = view.value.slice();
      view.dispose();
      return copy;
    },
  };
}

interface Inside {
  readonly ctx: { readonly value: number };
  readonly ffi: { QTS_GetArrayBufferLength(context: number, value: unknown): number };
}
