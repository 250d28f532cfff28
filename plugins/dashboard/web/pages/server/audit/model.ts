import { useState } from 'preact/hooks';
import { useMachines, usePoll, useServer, useTokenName } from '../../../frame/index.ts';
import { useWork } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';

/** A row of `audit_query` (plugins/audit/README.md). */
export interface Row {
  readonly at: number;
  readonly token: string;
  readonly name: string;
  readonly method: string;
  readonly target: string;
  readonly address: string;
  /** Outcome: `ok`, or the code of the error. */
  readonly outcome: 'ok' | number;
  readonly count: number;
}

interface Page {
  readonly rows: readonly Row[];
  /** Place where the older ones begin; null: there are none. */
  readonly next: string | null;
}

export const OUTCOMES = ['all', 'done', 'refused'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Filters of the address. */
export function filtersOf(query: URLSearchParams) {
  return {
    method: query.get('method') ?? '',
    token: query.get('token') ?? '',
    outcome: OUTCOMES.find((one) => one === query.get('outcome')) ?? 'all',
  };
}

const PAGE = 100;

/** Rows of the record that fit the filters, the newest first. */
export function useAudit({ method, token, outcome }: ReturnType<typeof filtersOf>) {
  const { call } = useServer();
  const query = {
    ...(method !== '' && { method }),
    ...(token !== '' && { token }),
    ...(outcome !== 'all' && { success: outcome === 'done' }),
  };
  const key = JSON.stringify(query);
  const read = async (more: { readonly before?: string }, signal?: AbortSignal) =>
    (await call('audit_query', { query, limit: PAGE, ...more }, signal ? { signal } : {})) as Page;
  const page = usePoll(`audit ${key}`, (signal) => read({}, signal));
  const [older, setOlder] = useState<Page & { readonly key: string }>();
  const mine = older?.key === key ? older : undefined;
  const { run: readOlder, error } = useWork(async (before: string) => {
    const { rows, next } = await read({ before });
    setOlder({ key, rows: [...(mine?.rows ?? []), ...rows], next });
  });
  return { page, older: mine, readOlder, error };
}

/** Machines by their names: those whose token changed something, and those that were changed. */
export function useNames() {
  const { call, me } = useServer();
  const machines = useMachines();
  const tokenName = useTokenName();
  const tokens = usePoll('audit tokens', async () => {
    const { tokens: all } = me.isSuper ? await call('token_list_all_tokens') : { tokens: [] };
    return new Map(all.map((one) => [one.token_key, one]));
  });
  return ({ token, name, target }: Row) => {
    const found = tokens.data?.get(token) ?? {
      token_key: name || token,
      username: name || null,
      token_limit: [],
    };
    return {
      who: tokenName(found as Parameters<typeof tokenName>[0]) || t.server.audit.noCredential,
      what: machines.of(target)?.name ?? target,
    };
  };
}

const CHECK_MS = 600_000;

/** Check of the chains of the record; it may take a while. */
export function useVerification() {
  const { call } = useServer();
  return usePoll('audit check', () => call('audit_verify', {}, { timeout_ms: CHECK_MS }));
}
