import type { Methods } from '@svc/client';
import { usePoll, useServer } from '../../../frame/index.ts';

export type Static = Methods['agent_static_data_multi_last_query']['result'][number];

const EVERY_MS = 60_000;
const FIELDS = ['cpu', 'system', 'gpu'] as const;

/** Hardware and system as last reported, as much of it as the token may read; undefined while unknown, or where that is nothing. */
export function useFacts(uuid: string): Static | undefined {
  const { call, covers } = useServer();
  const fields = FIELDS.filter((field) => covers('static_monitoring', 'read', uuid, field));
  const { data } = usePoll(
    `static ${uuid}`,
    async (signal) => {
      if (fields.length === 0) return null;
      const asked = { uuids: [uuid], fields };
      const [row] = await call('agent_static_data_multi_last_query', asked, { signal });
      return row ?? null;
    },
    { every_ms: EVERY_MS },
  );
  return data ?? undefined;
}

const DEVICES_EVERY_MS = 30_000;

/** Disks and interfaces of the newest full report; undefined: not for this token. */
export function useDevices(uuid: string) {
  const { call, covers } = useServer();
  const fields = (['disk', 'network'] as const).filter((field) =>
    covers('dynamic_monitoring', 'read', uuid, field),
  );
  const found = usePoll(
    `devices ${uuid}`,
    async (signal) => {
      if (fields.length === 0) return null;
      const asked = { uuids: [uuid], fields };
      return (await call('agent_dynamic_data_multi_last_query', asked, { signal }))[0] ?? null;
    },
    { every_ms: DEVICES_EVERY_MS },
  );
  return fields.length === 0 ? undefined : found;
}
