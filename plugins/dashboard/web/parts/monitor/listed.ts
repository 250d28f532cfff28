import type { Methods } from '@svc/client';
import { usePoll, useServer } from '../../frame/index.ts';

export type ListedMonitor = Methods['monitor_list']['result']['monitors'][number];

/** Pages of monitors that are read, of 500 each: all that a server may have. */
const MOST_PAGES = 20;
const EVERY_MS = 30_000;

/** Monitors that the token may read; none where the server has no plugin `monitor`. */
export function useListedMonitors(): readonly ListedMonitor[] {
  const { call, has, holds } = useServer();
  const isOn = has('monitor') && holds('monitor', 'read');
  const read = async () => {
    const found: ListedMonitor[] = [];
    let after: number | null = isOn ? 0 : null;
    for (let pages = 0; after !== null && pages < MOST_PAGES; pages++) {
      const answer: Methods['monitor_list']['result'] = await call('monitor_list', { after });
      found.push(...answer.monitors);
      after = answer.next;
    }
    return found;
  };
  return usePoll(`listed monitors ${isOn}`, read, { every_ms: EVERY_MS }).data ?? [];
}
