import { RpcError } from '@svc/plugin-sdk';

/** Runs database work; a failure of the driver becomes 103 with a neutral text (kv.md §7). */
export async function guarded<T>(detail: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof RpcError && !(cause.cause instanceof Error)) throw cause;
    throw RpcError.database(detail, { cause });
  }
}
