import { type Methods, RpcError } from '@svc/client';
import { useState } from 'preact/hooks';
import { type Method, type Server, usePoll, useServer } from '../../frame/index.ts';

export type Row = Methods['monitor_list']['result']['monitors'][number];
export type State = Row['state'];
export type Kind = Row['kind'];
export type KindForm = Methods['monitor_kinds']['result'][number];
export type NewMonitor = Methods['monitor_create']['params']['monitor'];
export type Tried = Methods['monitor_try']['result'];

/** Last answer that was not good, for those who may read answers. */
export interface LastAnswer {
  readonly at: number;
  readonly place?: string;
  readonly code?: number | null;
  readonly detail?: string | null;
  readonly sample?: string | null;
}

/** A monitor with what only some readers get. */
export type Monitor = Methods['monitor_get']['result'] & {
  readonly last_answer?: LastAnswer | null;
  readonly ping_url?: string | null;
  readonly push_url?: string | null;
};

/** Call of a heartbeat. */
export interface Ping {
  readonly at: number;
  readonly kind: string;
  readonly exit_status: number | null;
  readonly address: string;
  readonly ms: number | null;
  readonly body: string;
}

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

/** Method that servers have which tell what a heartbeat was sent. */
export const PINGS = 'monitor_pings' as Method;

/** Tells whether the server says that there is no such monitor. */
export const isMissing = (error: unknown): boolean =>
  error instanceof RpcError && error.code === 105;
