import { RpcError } from '@svc/client';
import type { Server } from './server.ts';

/** Says that a key-value namespace or a key is not there (kv.md §3). */
export const isMissing = (error: unknown): boolean =>
  error instanceof RpcError && error.code === 103 && error.message.includes('not found');

/** Stores a value of a machine; one without a namespace gets it. Undefined deletes the key. */
export async function setValue(
  { call }: Server,
  namespace: string,
  key: string,
  value: unknown,
): Promise<void> {
  const set = () =>
    value === undefined
      ? call('kv_delete_key', { namespace, key })
      : call('kv_set_value', { namespace, key, value });
  try {
    await set();
  } catch (error) {
    if (!isMissing(error) || value === undefined) throw error;
    await call('kv_create', { namespace });
    await set();
  }
}
