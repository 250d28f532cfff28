import type { Methods } from '@svc/client';
import { usePoll, useServer } from '../../frame/index.ts';

export type Static = Methods['agent_static_data_multi_last_query']['result'][number];

const EVERY_MS = 60_000;

/** Hardware and system as last reported; undefined while unknown, or where the token may not read them. */
export function useFacts(uuid: string): Static | undefined {
  const { call } = useServer();
  const asked = { uuids: [uuid], fields: ['cpu' as const, 'system' as const, 'gpu' as const] };
  const { data } = usePoll(
    `static ${uuid}`,
    async (signal) => {
      const [row] = await call('agent_static_data_multi_last_query', asked, { signal });
      return row ?? null;
    },
    { every_ms: EVERY_MS },
  );
  return data ?? undefined;
}
