/** The parts of WebAssembly that are used here; Node's types leave them to the browser's. */

/** A compiled module; can be sent to threads. */
export interface WasmModule {
  readonly [Symbol.toStringTag]: 'WebAssembly.Module' | string;
}
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
}
interface Wasm {
  compile(bytes: Uint8Array): Promise<WasmModule>;
  readonly Memory: new (limits: { initial: number; maximum: number }) => WasmMemory;
  readonly RuntimeError: new (message?: string) => Error;
}

export const wasm: Wasm = (globalThis as unknown as { WebAssembly: Wasm }).WebAssembly;
