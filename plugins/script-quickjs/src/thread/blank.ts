import type { WasmModule } from '../wasm.ts';
import { type Driver, type Hearing, installBridge } from './bridge.ts';
import { createInstance, type Instance } from './instance.ts';

/** Heap of contexts that are made in advance. */
export const DEFAULT_HEAP = 8_388_608;

/** An instance with its prelude, not yet anybody's. */
export interface Blank {
  readonly instance: Instance;
  readonly driver: Driver;
  readonly listen: (hearing: Hearing) => void;
}

export async function createBlank(module: WasmModule, heap: number, brand: string): Promise<Blank> {
  const instance = await createInstance(module, heap);
  return { instance, ...installBridge(instance, brand) };
}
