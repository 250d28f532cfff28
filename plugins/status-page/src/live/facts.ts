import type { Seen } from '@svc/plugin-agent-events/api';
import type { PublicWindow } from '@svc/plugin-alert/api';
import type { AgentEntry, Incident, Page } from '../page.ts';
import type { Latency } from './latency.ts';
import type { Sentence } from './sentence.ts';
import { type Uptime, uptimeOf } from './uptime.ts';

export type State = 'up' | 'degraded' | 'down' | 'unknown' | 'maintenance';

/** One entry as readers see it: no UUID, no target. */
export interface Row {
  readonly key: string;
  readonly name: string;
  readonly group: string;
  readonly state: State;
  /** Text next to the name. */
  readonly says: Sentence;
  /** Text that stands with the name, where the row has trouble. */
  readonly trouble: Sentence | undefined;
  readonly uptime?: Uptime | undefined;
  readonly latency?: Latency | undefined;
}

/** All that a page shows, at one time. */
export interface Facts {
  readonly page: Page;
  /** Unix ms. */
  readonly at: number;
  readonly rows: readonly Row[];
  /** Going on, or planned; then those that are over, the newest first. */
  readonly open: readonly Incident[];
  readonly past: readonly Incident[];
  readonly state: State;
  readonly sentence: Sentence;
  /** Texts of the rows with trouble, where there is more than one. */
  readonly troubles: readonly Sentence[];
  /** Texts of maintenance windows that hold or come, without the one that `sentence` names. */
  readonly windows: readonly Sentence[];
}

/** Maintenance window with the names of the entries that it is about. */
export interface PageWindow extends Pick<PublicWindow, 'name' | 'from' | 'to'> {
  readonly names: readonly string[];
}

/** Maintenance windows of a page. */
export interface PageWindows {
  readonly active: readonly PageWindow[];
  readonly upcoming: readonly PageWindow[];
}

export function agentRow(
  { key, name, group }: AgentEntry,
  seen: Seen | undefined,
  now: number,
): Row {
  const row = { key, name, group };
  if (!seen) return { ...row, state: 'unknown', says: { form: 'unseen' }, trouble: undefined };
  const uptime = uptimeOf(seen, now);
  const { awayToday: span } = uptime;
  if (!seen.here) {
    const says = { form: 'offline', time: seen.since } as const;
    const trouble = { ...says, form: 'agentOffline', name } as const;
    return { ...row, state: 'down', says, trouble, uptime };
  }
  if (span !== undefined) {
    const says = { form: 'wasAway', span } as const;
    const trouble = { form: 'agentWasAway', span, name } as const;
    return { ...row, state: 'degraded', says, trouble, uptime };
  }
  return { ...row, state: 'up', says: { form: 'runs' }, trouble: undefined, uptime };
}

export function probeRow({ key, name, group }: AgentEntry, latency: Latency | undefined): Row {
  const row = { key, name, group, latency };
  const { lately: loss, silentSince: time, isLossy } = latency ?? {};
  if (loss === undefined) {
    return { ...row, state: 'unknown', says: { form: 'noResults' }, trouble: undefined };
  }
  if (time !== undefined) {
    const trouble = { form: 'probeSilent', time, name } as const;
    return { ...row, state: 'down', says: { form: 'silent', time }, trouble };
  }
  if (isLossy) {
    const trouble = { form: 'probeLoses', loss, name } as const;
    return { ...row, state: 'degraded', says: { form: 'loses', loss }, trouble };
  }
  return { ...row, state: 'up', says: { form: 'answers' }, trouble: undefined };
}

/** States from the worst to the best. */
const ORDER: readonly State[] = ['down', 'degraded', 'maintenance', 'up', 'unknown'];

export function factsOf(
  page: Page,
  rows: readonly Row[],
  { incidents, active, upcoming }: PageWindows & { readonly incidents: readonly Incident[] },
  at: number,
): Facts {
  const isOver = ({ ends_at }: Incident) => ends_at !== null && ends_at <= at;
  // What is planned stands behind what goes on.
  const isPlanned = ({ begins_at }: Incident) => Number(begins_at > at);
  const open = incidents.filter((one) => !isOver(one)).sort((a, b) => isPlanned(a) - isPlanned(b));
  const past = incidents.filter(isOver);
  const troubles = rows.flatMap(({ trouble }) => trouble ?? []);
  const stated = open.filter(({ impact, begins_at }) => impact !== 'notice' && begins_at <= at);
  const states: State[] = [
    ...rows.map(({ state }) => state),
    ...stated.map(({ impact }) => impact as State),
    ...active.map((): State => 'maintenance'),
  ];
  const state = ORDER.find((one) => states.includes(one)) ?? 'unknown';
  const holding = active
    .toSorted((a, b) => b.to - a.to)
    .map(({ name, names, to }): Sentence => {
      return { form: 'windowNow', title: name, names, time: to };
    });
  const coming = upcoming
    .toSorted((a, b) => a.from - b.from)
    .map(({ name, names, from, to }): Sentence => {
      return { form: 'windowNext', title: name, names, time: from, end: to };
    });
  const sentence = overall(rows, troubles, stated, holding[0]);
  return {
    page,
    at,
    rows,
    open,
    past,
    state,
    sentence,
    troubles: troubles.length > 1 ? troubles : [],
    windows: [...holding, ...coming].filter((one) => one !== sentence),
  };
}

function overall(
  rows: readonly Row[],
  troubles: readonly Sentence[],
  stated: readonly Incident[],
  window: Sentence | undefined,
): Sentence {
  const [first] = troubles;
  if (first) {
    const count = troubles.length;
    return count === 1 ? first : { form: 'oneOfMany', count, all: rows.length };
  }
  const incident = stated.find(({ impact }) => impact !== 'maintenance') ?? stated[0];
  if (incident) {
    const form = incident.impact === 'maintenance' ? 'maintenance' : 'incidentOpen';
    return { form, title: incident.title };
  }
  if (window) return window;
  const count = rows.filter(({ state }) => state === 'maintenance').length;
  if (count > 0) return { form: 'someMaintained', count, all: rows.length };
  return { form: rows.some(({ state }) => state === 'up') ? 'allRun' : 'nothing' };
}
