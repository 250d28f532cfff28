import type { Methods } from '@svc/client';
import { useState } from 'preact/hooks';
import { usePoll, useServer } from '../../../frame/index.ts';
import { TYPED_MS, useAsked } from '../../../parts/asked.ts';
import { toast } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { isNamed } from '../silences/model.ts';
import { daysFrom, isZone } from './zones.ts';

export type Window = Methods['alert_window_list']['result'][number];
type NewWindow = Methods['alert_window_create']['params']['window'];

const EVERY_MS = 30_000;
const DAY_MS = 86_400_000;
/** Days that the calendar and the list of times show. */
export const DAYS = 30;
const HOUR_MS = 3_600_000;

export function useWindows() {
  const { call } = useServer();
  return usePoll('alert windows', () => call('alert_window_list'), { every_ms: EVERY_MS });
}

export interface Draft {
  readonly name: string;
  readonly scope: NewWindow['scope'];
  readonly zone: string;
  readonly way: 'once' | 'again';
  /** Local times as the browser's fields hold them. */
  readonly from: string;
  readonly to: string;
  readonly cron: string;
  readonly duration_s: number;
  readonly effect: 'quiet' | 'pause';
  readonly public: readonly string[];
}

const localInput = (time: number) => {
  const date = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  return date.toISOString().slice(0, 16);
};

const draftOf = (window: Window | undefined): Draft => ({
  name: window?.name ?? '',
  scope: window?.scope ?? {},
  zone: window?.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  way: window?.once ? 'once' : 'again',
  from: localInput(window?.once?.from ?? Date.now() + HOUR_MS),
  to: localInput(window?.once?.to ?? Date.now() + 3 * HOUR_MS),
  cron: window?.cron ?? '0 2 * * 0',
  duration_s: window?.duration_s ?? 7_200,
  effect: window?.effect ?? 'quiet',
  public: window?.public ?? [],
});

/** Window as the server takes it; undefined: something is missing. */
function newWindow({ way, from, to, cron, duration_s, ...rest }: Draft): NewWindow | undefined {
  const { name, scope, zone, effect } = rest;
  const [begin, end] = [Date.parse(from), Date.parse(to)];
  if (!isNamed(scope) || name.trim() === '' || (way === 'once' && !(end > begin))) return undefined;
  return {
    ...{ name: name.trim(), scope, zone, effect, public: [...rest.public] },
    ...(way === 'once'
      ? { once: { from: begin, to: end }, cron: null, duration_s: null }
      : { once: null, cron: cron.trim(), duration_s }),
  };
}

export function useWindowDraft(window: Window | undefined, onDone: () => void) {
  const { call } = useServer();
  const [draft, setDraft] = useState(() => draftOf(window));
  const change = (part: Partial<Draft>) => setDraft((old) => ({ ...old, ...part }));
  const made = newWindow(draft);
  const save = async () => {
    if (!made) return;
    if (window) await call('alert_window_update', { name: window.name, change: made });
    else await call('alert_window_create', { window: made });
    toast(t.alerts.windowSaved(made.name));
    onDone();
  };
  return { draft, change, made, save };
}

interface Preview {
  readonly active?: readonly (readonly number[])[] | undefined;
  readonly error?: unknown;
}

/** End of the last day that the calendar shows, Unix ms. */
export const lastDay = (from: number, zone: string): number =>
  (isZone(zone) ? daysFrom(from, DAYS, zone).at(-1)?.to : undefined) ?? from + DAYS * DAY_MS;

/** Times of a window in the next 30 days, as the server reads it. */
export function useWindowTimes(draft: Draft): Preview {
  const { call } = useServer();
  const window = newWindow({
    ...draft,
    name: '-',
    scope: isNamed(draft.scope) ? draft.scope : { severity: 'critical' },
  });
  const { way, from, to, cron, duration_s, zone } = draft;
  const key = window && JSON.stringify([way, from, to, cron, duration_s, zone]);
  const { data, error } = useAsked(key, TYPED_MS, () => {
    const now = Date.now();
    const range = { from: now, to: lastDay(now, zone) };
    return call('alert_window_preview', { window: window as NewWindow, ...range });
  });
  return window ? { active: data?.active, error } : {};
}

export function useWindowRemoval(name: string, onDone: () => void) {
  const { call } = useServer();
  return async () => {
    await call('alert_window_delete', { name });
    toast(t.alerts.windowDeleted(name));
    onDone();
  };
}

/** Titles, by slug, of the status pages that may show a window; undefined: the token may change none. */
export function useStatusPages(): ReadonlyMap<string, string> | undefined {
  const { call, has, holds } = useServer();
  const sees = has('status-page') && holds('status_page', 'write');
  const { data } = usePoll(`status pages ${sees}`, async () =>
    sees ? await call('status-page_list') : [],
  );
  return sees ? new Map(data?.map(({ slug, title }) => [slug, title])) : undefined;
}
