import { type Resource, setValue, useMachines, usePoll, useServer } from '../../../frame/index.ts';

/** How long each kind of row is kept; the names are those of keys of the namespace. */
export const LIMITS = [
  'dynamic_monitoring_summary',
  'dynamic_monitoring',
  'static_monitoring',
  'task',
] as const;
export const keyOfLimit = (kind: (typeof LIMITS)[number]) => `database_limit_${kind}`;

/** What people say of a machine (kv.md §5.2). */
export const NOTES = [
  'metadata_name',
  'metadata_tags',
  'metadata_region',
  'metadata_expire_time',
  'metadata_price',
  'metadata_price_unit',
  'metadata_price_cycle',
] as const;

/** Values by their keys; those that are not there, or not for this token, are missing. */
export type Stored = Readonly<Record<string, unknown>>;

interface Metadata {
  /** Stores a value in the agent's namespace, which is made where there is none; undefined deletes it. */
  readonly save: (key: string, value: unknown) => Promise<void>;
  readonly mayWrite: (key: string) => boolean;
  readonly mayRead: (key: string) => boolean;
  /** A form shows what it may read and store. */
  readonly mayEdit: (key: string) => boolean;
}

/** What people say of an agent, and its limits: keys of the namespace with its UUID. */
export function useMetadata(uuid: string): Metadata {
  const server = useServer();
  const { refresh } = useMachines();
  const mayRead = (key: string) => server.has('kv') && server.covers('kv', 'read', uuid, key);
  const mayWrite = (key: string) =>
    server.has('kv') && server.may('kv_set_value', { namespace: uuid, key, value: '' }) !== false;
  return {
    mayRead,
    mayWrite,
    mayEdit: (key) => mayRead(key) && mayWrite(key),
    async save(key, value) {
      await setValue(server, uuid, key, value);
      await refresh();
    },
  };
}

/** What is stored of the machine, as far as the token may read it. */
export function useStored(uuid: string): Resource<Stored> {
  const { call } = useServer();
  const { mayRead } = useMetadata(uuid);
  const keys = [...NOTES, ...LIMITS.map(keyOfLimit)].filter(mayRead);
  return usePoll<Stored>(`stored ${uuid} ${keys.length}`, async (signal) => {
    if (keys.length === 0) return {};
    const namespace_key = keys.map((key) => ({ namespace: uuid, key }));
    const rows = await call('kv_get_multi_value', { namespace_key }, { signal });
    return Object.fromEntries(
      rows.filter(({ value }) => value !== null).map(({ key, value }) => [key, value]),
    );
  });
}
