import { setValue, useMachines, useServer } from '../../frame/index.ts';

interface Metadata {
  /** Stores a value in the agent's namespace, which is made where there is none; undefined deletes it. */
  readonly save: (key: string, value: unknown) => Promise<void>;
  readonly mayWrite: (key: string) => boolean;
}

/** What people say of an agent: keys `metadata_*` of the namespace with its UUID. */
export function useMetadata(uuid: string): Metadata {
  const server = useServer();
  const { refresh } = useMachines();
  return {
    mayWrite: (key) =>
      server.has('kv') && server.may('kv_set_value', { namespace: uuid, key, value: '' }) !== false,
    async save(key, value) {
      await setValue(server, uuid, key, value);
      await refresh();
    },
  };
}
