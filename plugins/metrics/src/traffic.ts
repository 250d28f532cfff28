import { type Kernel, type Principal, RpcError } from '@svc/plugin-sdk';
import type { Family } from './api.ts';

const METHOD_NOT_FOUND = -32601;
const DAY_MS = 86_400_000;

const bytes = (name: string, help: string) =>
  ({ name: `agent_traffic_${name}_bytes`, type: 'gauge', unit: 'bytes', help }) as const;

/** Families of the traffic of agents. */
export const TRAFFIC: readonly Omit<Family, 'read'>[] = [
  bytes('day_received', 'Received on this UTC day.'),
  bytes('day_sent', 'Sent on this UTC day.'),
  bytes('month_received', 'Received in this month, which begins on the configured day.'),
  bytes('month_sent', 'Sent in this month.'),
  bytes('quota', 'What may be moved in a month, where a quota is configured.'),
];

interface Period {
  readonly uuid: string;
  readonly begin: number;
  readonly received: number;
  readonly transmitted: number;
  readonly quota?: number;
}

/** Values of at most 100 agents, each with its family and UUID; none on a server that counts no traffic. @throws RpcError 103 */
export async function trafficOf(
  { call, clock }: Pick<Kernel, 'call' | 'clock'>,
  uuids: readonly string[],
  caller: Principal,
): Promise<[name: string, uuid: string, value: number][]> {
  if (uuids.length === 0) return [];
  const now = clock.now();
  const periods = async (by: 'day' | 'month') => {
    const asked = { uuids, from: now - (now % DAY_MS), to: now + 1, by };
    const found = (await call('agent_query_traffic', asked, caller)) as readonly Period[];
    return found.flatMap(({ uuid, received, transmitted, quota }): [string, string, number][] => [
      [`agent_traffic_${by}_received_bytes`, uuid, received],
      [`agent_traffic_${by}_sent_bytes`, uuid, transmitted],
      ...(quota === undefined
        ? []
        : [['agent_traffic_quota_bytes', uuid, quota] as [string, string, number]]),
    ]);
  };
  try {
    return [...(await periods('day')), ...(await periods('month'))];
  } catch (error) {
    if (error instanceof RpcError && error.code === METHOD_NOT_FOUND) return [];
    throw error;
  }
}
