import type { Methods } from '@svc/client';
import { type Resource, usePoll, useServer } from '../../../frame/index.ts';
import type { Gap } from '../../../parts/chart/index.ts';
import { t } from '../../../strings/index.ts';

export type Event = Methods['agent_events']['result'][number];

const SUMMARY = 'dynamic_monitoring_summary';
const LIMIT = 500;
const EVERY_MS = 20_000;
/** Distance of an event from a gap that it may explain, ms. */
const NEAR_MS = 5_000;

/** Events of the agent, and starts of servers where the token may see them; the newest first. */
export function useEvents(uuid: string): Resource<readonly Event[]> {
  const { call, has, may, covers } = useServer();
  const seesServers = may('agent_events', {}) === true;
  const load = async (): Promise<readonly Event[]> => {
    if (!has('agent-events') || !covers(SUMMARY, 'read', uuid)) return [];
    const query = (params: Methods['agent_events']['params']) => call('agent_events', params);
    const [own, servers] = await Promise.all([
      query({ agents: [uuid], limit: LIMIT }),
      seesServers ? query({ kinds: ['server_restarted'], limit: LIMIT }) : [],
    ]);
    return [...own, ...servers].sort((a, b) => b.time - a.time);
  };
  return usePoll(`events ${uuid} ${seesServers}`, load, { every_ms: EVERY_MS });
}

/** Reason why there were no reports, as far as the events tell. */
export function reasonOf({ from, to }: Gap, events: readonly Event[]): string | undefined {
  const inside = (kind: Event['kind']) =>
    events.find(
      (event) => event.kind === kind && event.time >= from - NEAR_MS && event.time <= to + NEAR_MS,
    );
  if (inside('server_restarted')) return t.agent.gaps.restart;
  const refused = inside('refused');
  if (refused) return t.agent.gaps.refused(refused.reason ?? '');
  if (inside('went')) return t.agent.gaps.offline;
  return undefined;
}
