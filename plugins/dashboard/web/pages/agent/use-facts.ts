import type { Methods } from '@svc/client';
import { usePoll, useServer } from '../../frame/index.ts';

export type Static = Methods['agent_static_data_multi_last_query']['result'][number];

const EVERY_MS = 60_000;
const FIELDS = ['cpu', 'system', 'gpu'] as const;

/** Hardware and system as last reported; undefined while unknown, or where the token may not read them. */
export function useFacts(uuid: string): Static | undefined {
  const { call, covers } = useServer();
  const mayRead = FIELDS.every((field) => covers('static_monitoring', 'read', uuid, field));
  const { data } = usePoll(
    `static ${uuid}`,
    async (signal) => {
      if (!mayRead) return null;
      const asked = { uuids: [uuid], fields: [...FIELDS] };
      const [row] = await call('agent_static_data_multi_last_query', asked, { signal });
      return row ?? null;
    },
    { every_ms: EVERY_MS },
  );
  return data ?? undefined;
}
