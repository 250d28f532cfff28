import { RpcError } from '@svc/client';
import { useMachines, useServer } from '../../frame/index.ts';

interface Metadata {
  /** Stores a value in the agent's namespace, which is made where there is none; undefined deletes it. */
  readonly save: (key: string, value: unknown) => Promise<void>;
  readonly mayWrite: (key: string) => boolean;
}

/** What people say of an agent: keys `metadata_*` of the namespace with its UUID. */
export function useMetadata(uuid: string): Metadata {
  const { call, has, may } = useServer();
  const { refresh } = useMachines();
  const set = (key: string, value: unknown) =>
    value === undefined
      ? call('kv_delete_key', { namespace: uuid, key })
      : call('kv_set_value', { namespace: uuid, key, value });
  return {
    mayWrite: (key) =>
      has('kv') && may('kv_set_value', { namespace: uuid, key, value: '' }) !== false,
    async save(key, value) {
      try {
        await set(key, value);
      } catch (error) {
        if (!isMissing(error) || value === undefined) throw error;
        await call('kv_create', { namespace: uuid });
        await set(key, value);
      }
      await refresh();
    },
  };
}

export const isMissing = (error: unknown): boolean =>
  error instanceof RpcError && error.code === 103 && error.message.includes('not found');
