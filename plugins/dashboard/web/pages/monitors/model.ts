import { type Methods, RpcError } from '@svc/client';
import { useState } from 'preact/hooks';
import { type Server, usePoll, useServer } from '../../frame/index.ts';
import { format } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';

export type Row = Methods['monitor_list']['result']['monitors'][number];
export type State = Row['state'];
export type Kind = Row['kind'];
export type KindForm = Methods['monitor_kinds']['result'][number];
export type NewMonitor = Methods['monitor_create']['params']['monitor'];
export type Tried = Methods['monitor_try']['result'];

export type Monitor = Methods['monitor_get']['result'];
export type Ping = Methods['monitor_pings']['result'][number];

export const pauseText = ({ window, until }: NonNullable<Monitor['paused_by']>): string =>
  t.monitors.pausedBy(window, format.when(until));

/** The worst first. */
export const STATES = ['down', 'degraded', 'unknown', 'up', 'paused'] as const;

/** Rows of a page. */
const PAGE = 500;
/** Pages that are read at most. */
const MOST_PAGES = 20;
/** Monitors from which on the list is read less often. */
const MANY = 200;
const FEW_MS = 5_000;
const MANY_MS = 20_000;

export async function allMonitors({ call }: Pick<Server, 'call'>): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let after: number | null = 0;
  for (let page = 0; page < MOST_PAGES && after !== null; page++) {
    const answer: Methods['monitor_list']['result'] = await call('monitor_list', {
      limit: PAGE,
      after,
    });
    rows.push(...answer.monitors);
    after = answer.next;
  }
  return rows;
}

/** Monitors that the token may read, read again and again; many of them less often. */
export function useMonitors() {
  const server = useServer();
  const [every_ms, setEvery] = useState(FEW_MS);
  return usePoll(
    'monitors',
    async () => {
      const rows = await allMonitors(server);
      if (rows.length > MANY) setEvery(MANY_MS);
      return rows;
    },
    { every_ms },
  );
}

export function useKinds() {
  const { call } = useServer();
  return usePoll('monitor kinds', () => call('monitor_kinds'));
}

export const mayMake = ({ has, holds }: Pick<Server, 'has' | 'holds'>): boolean =>
  has('monitor') && holds('monitor', 'write');

/** Tells whether the token may change this monitor. */
export const mayWrite = ({ may }: Pick<Server, 'may'>, name: string): boolean =>
  may('monitor_check_now', { name }) === true;

export const mayDelete = ({ may }: Pick<Server, 'may'>, name: string): boolean =>
  may('monitor_delete', { name }) === true;

/** Tells whether a monitor asks; one of the others is called, or consists of monitors. */
export const isChecked = (kind: Kind): boolean => kind !== 'heartbeat' && kind !== 'group';

/** What a row watches, in the reader's words. */
export function targetText({ kind, target }: Pick<Row, 'kind' | 'target'>): string {
  const [count] = /\d+/.exec(target) ?? [];
  if (kind === 'group') return t.monitors.members(Number(count));
  return kind === 'heartbeat' && target.startsWith('every ')
    ? t.monitors.every(format.duration(Number(count) * 1_000))
    : target;
}

/** Tells whether the server says that there is no such monitor. */
export const isMissing = (error: unknown): boolean =>
  error instanceof RpcError && error.code === 105;
