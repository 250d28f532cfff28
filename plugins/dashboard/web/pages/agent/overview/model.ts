import { usePoll, useServer } from '../../../frame/index.ts';

const MONTH_EVERY_MS = 300_000;

/** Traffic of this month; undefined where it is not counted, or not known yet. */
export function useMonthTraffic(uuid: string) {
  const { call, covers, has } = useServer();
  const isAsked = has('series') && covers('dynamic_monitoring_summary', 'read', uuid);
  const { data } = usePoll(
    isAsked ? `month ${uuid}` : 'none',
    async (signal) => {
      if (!isAsked) return undefined;
      const now = Date.now();
      const asked = { uuids: [uuid], from: now, to: now + 1, by: 'month' as const };
      return (await call('agent_query_traffic', asked, { signal })).at(-1);
    },
    { every_ms: MONTH_EVERY_MS },
  );
  return data;
}

/** The agent writes them at most once a minute. */
const EVERY_MS = 60_000;
const KEYS = ['agent_sensors', 'agent_containers'] as const;

export type Document = Readonly<Record<string, unknown>>;

/**
 * Documents that the agent writes in addition to its reports, in the key-value namespace of its UUID (agent/README.md): none
 * where it writes none, or where the token may not read them.
 */
export function useDocuments(uuid: string) {
  const { call, has, may } = useServer();
  const keys = KEYS.filter(
    (key) => has('kv') && may('kv_get_value', { namespace: uuid, key }) === true,
  );
  const { data } = usePoll(
    `documents ${uuid} ${keys}`,
    async (signal) => {
      if (keys.length === 0) return [];
      const namespace_key = keys.map((key) => ({ namespace: uuid, key }));
      return call('kv_get_multi_value', { namespace_key }, { signal });
    },
    { every_ms: EVERY_MS },
  );
  const of = (key: (typeof KEYS)[number]) =>
    documentOf(data?.find((one) => one.key === key)?.value);
  return { sensors: of('agent_sensors'), containers: of('agent_containers') };
}

const documentOf = (value: unknown): Document | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Document)
    : undefined;

export const listOf = (of: Document, name: string): readonly Document[] => {
  const list: unknown = of[name];
  return Array.isArray(list) ? list.map(documentOf).filter((one) => one !== undefined) : [];
};

export const textOf = (of: Document, name: string): string => {
  const value = of[name];
  return typeof value === 'string' ? value : '';
};

export const numberOf = (of: Document, name: string): number | undefined => {
  const value = of[name];
  return typeof value === 'number' ? value : undefined;
};
