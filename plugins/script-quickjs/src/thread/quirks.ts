/** Everything that reaches into libraries beyond what they document. `test/script-quickjs-quirks.test.ts` fails when they change. */
import variant from '@jitl/quickjs-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core';
import { type WasmMemory, type WasmModule, wasm } from '../wasm.ts';

/** Allocator of a WebAssembly memory. */
export interface Allocator {
  /** @returns an address, or 0 when there is no room */
  _malloc(bytes: number): number;
  _free(at: number): void;
}

/**
 * Memory that never grows. The module asks for more before it refuses an allocation: `onRefusal` hears of it.
 * Memory that grows while jobs run would make quickjs-emscripten read a stale pointer.
 */
export function fixedMemory(pages: number, onRefusal: () => void): WasmMemory {
  const memory = new wasm.Memory({ initial: pages, maximum: pages });
  Object.defineProperty(memory, 'grow', {
    value() {
      onRefusal();
      throw new RangeError('the memory does not grow');
    },
  });
  return memory;
}

/** Instantiates the compiled module in this memory, without its prints. */
export async function openQuickJs(
  module: WasmModule,
  memory: WasmMemory,
): Promise<{ readonly quickJs: QuickJSWASMModule; readonly allocator: Allocator }> {
  const quiet = { print() {}, printErr() {} };
  // Node's types have no WebAssembly, the library's have the browser's.
  const made = newVariant(variant as unknown as QuickJSSyncVariant, {
    wasmModule: module as never,
    wasmMemory: memory as never,
    emscriptenModule: quiet as never,
  });
  const quickJs = await newQuickJSWASMModuleFromVariant(made);
  // A private member of the library's.
  return { quickJs, allocator: (quickJs as unknown as { module: Allocator }).module };
}

/** Bytes of an ArrayBuffer of a script; the documented way copies them. */
export function bufferLength(context: QuickJSContext, handle: QuickJSHandle): number {
  const { ctx, ffi } = context as unknown as Inside;
  return ffi.QTS_GetArrayBufferLength(ctx.value, handle.value);
}

interface Inside {
  readonly ctx: { readonly value: number };
  readonly ffi: { QTS_GetArrayBufferLength(context: number, value: unknown): number };
}

/** JavaScript: whether a stream of web-streams-polyfill has been read from. */
export const STREAM_IS_READ = '(stream) => stream._disturbed === true';
