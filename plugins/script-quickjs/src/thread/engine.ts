import type { QuickJSContext, QuickJSHandle, QuickJSRuntime } from 'quickjs-emscripten-core';
import type { WasmModule } from '../wasm.ts';
import { type Allocator, bufferLength, fixedMemory, openQuickJs } from './quirks.ts';

const PAGE = 65_536;
const MIB = 1_048_576;
/** Static data and stack of the module, and room for what the bridge allocates. */
const OVERHEAD = 5.1 * MIB + 2 * MIB;
/** Kept for bodies that the host hands over: they do not count as the script's own. */
const BODIES = 8 * MIB + 65_536;
/** Least size of a buffer that is such a body. */
const BODY = 262_144;
/** The module demands this much. */
const LEAST_PAGES = 256;
/** Bytes that a bridge call may need in addition to its text. */
const SLACK = 65_536;

/**
 * QuickJS with a WebAssembly memory of its own, so that exhaustion and broken glue hurt one script only. Its memory is as large as
 * it will ever be; pages cost nothing until they are touched. Nothing is disposed: an engine is forgotten.
 */
export interface Engine {
  readonly context: QuickJSContext;
  readonly runtime: QuickJSRuntime;
  /** Some allocation was refused since this was last reset. */
  exhausted: boolean;
  /** Tells whether so many bytes can still be allocated: the bridge's own calls do not survive exhaustion. */
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
export async function createEngine(module: WasmModule, heap: number): Promise<Engine> {
  const pages = Math.max(LEAST_PAGES, Math.ceil((OVERHEAD + BODIES + heap) / PAGE));
  const refusals = { seen: false };
  const memory = fixedMemory(pages, () => {
    refusals.seen = true;
  });
  const { quickJs, allocator } = await openQuickJs(module, memory);
  const runtime = quickJs.newRuntime();
  runtime.setMemoryLimit(heap);
  const context = runtime.newContext();
  // The engine's own limit counts allocations, not bytes: what a smaller heap may not use is taken away.
  const surplus = pages * PAGE - OVERHEAD - BODIES - heap;
  if (surplus > PAGE) allocator._malloc(surplus);
  return engineOf(context, runtime, { allocator, refusals });
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

  /** Restores what bodies have used, as far as they are gone. */
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

function engineOf(
  context: QuickJSContext,
  runtime: QuickJSRuntime,
  { allocator, refusals }: Memory,
): Engine {
  const room = new Room(allocator, refusals);
  return {
    context,
    runtime,
    fits: (bytes) => room.fits(bytes),
    get exhausted() {
      return refusals.seen;
    },
    set exhausted(seen) {
      refusals.seen = seen;
    },
    // UTF-8 of the host and the script's own copy.
    string: (text) => (room.fits(text.length * 5) ? context.newString(text) : undefined),
    buffer: (bytes) => room.lend(bytes.length, () => newBuffer(context, bytes)),
    tidy: () => room.tidy(),
    bytes(handle) {
      if (!room.fits(bufferLength(context, handle))) return undefined;
      const view = context.getArrayBuffer(handle);
      const copy = view.value.slice();
      view.dispose();
      return copy;
    },
  };
}

function newBuffer(context: QuickJSContext, bytes: Uint8Array): QuickJSHandle {
  // Never the buffer behind a view: small Buffers of Node share one with other data of this process.
  const exact = new Uint8Array(bytes.length);
  exact.set(bytes);
  return context.newArrayBuffer(exact.buffer);
}

/** Room that can still be allocated. Allocations that are only tried do not count as refused. */
class Room {
  readonly #allocator: Allocator;
  readonly #refusals: Memory['refusals'];
  readonly #reserve: Reserve;

  constructor(allocator: Allocator, refusals: Memory['refusals']) {
    this.#allocator = allocator;
    this.#refusals = refusals;
    this.#reserve = this.#quietly(() => new Reserve(allocator));
  }

  fits(bytes: number): boolean {
    const at = this.#quietly(() => this.#allocator._malloc(bytes + SLACK));
    if (at === 0) return false;
    this.#allocator._free(at);
    return true;
  }

  /** Makes something of this size, a large one in the room that is kept for bodies; undefined when it does not fit. */
  lend<T>(bytes: number, make: () => T): T | undefined {
    const tried = () => (this.fits(bytes) ? make() : undefined);
    if (bytes < BODY) return tried();
    return this.#quietly(() => this.#reserve.lend(bytes, tried));
  }

  tidy(): void {
    this.#quietly(() => this.#reserve.restore());
  }

  #quietly<T>(work: () => T): T {
    const { seen } = this.#refusals;
    const result = work();
    this.#refusals.seen = seen;
    return result;
  }
}
