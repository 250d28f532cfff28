import { setImmediate as breathe } from 'node:timers/promises';
import { flapsOf, flapText, SUMMARY_MS } from './flapping.ts';
import { openingOf } from './opened.ts';
import { nextAt } from './schedule.ts';
import { eventFor } from './store.ts';
import type { Teller, Telling } from './teller.ts';
import { type Decision, type Due, noDecision } from './work.ts';

/** Alerts of one turn of the loop. */
const CHUNK = 200;

/** Openings that are told together. */
export interface OpeningGroup {
  readonly key: string;
  readonly items: readonly Due[];
  readonly title?: string | undefined;
}

/** Decides how a group of openings is told: by the first steps of their policies. */
export async function tellOpenings(
  { key, items, title }: OpeningGroup,
  teller: Teller,
  below: ReadonlyMap<string, number>,
  now: number,
): Promise<Decision> {
  const decision = noDecision();
  const tellings: Telling[] = [];
  for (const [at, due] of items.entries()) {
    tellings.push(await tellingOf(due, teller));
    if (at % CHUNK === CHUNK - 1) await breathe();
  }
  const batch = `opened-${items[0]?.event.id}`;
  await teller.tell(tellings, { type: 'alert.opened', batch, key, title }, below, decision);
  for (const [at, due] of items.entries()) {
    const ids = tellings[at]?.channels.map(({ id }) => id) ?? [];
    decide(due, { ids, batch: ids.length > 0 ? batch : null, now, key }, decision);
  }
  const [first] = items;
  if (first && decision.outgoing.length > 0) decision.groups.set(key, first.policy.id);
  return decision;
}

async function tellingOf({ alert, rule, policy }: Due, teller: Teller): Promise<Telling> {
  const names = policy.steps.filter(({ after_s }) => after_s === 0).flatMap((one) => one.channels);
  const { episode, since, value } = alert;
  const { channels } = await teller.byName(names, rule);
  return {
    alert,
    rule,
    channels,
    episode,
    since,
    closed_at: null,
    value,
    note: alert.ack_note ?? '',
  };
}

interface Told {
  readonly ids: readonly number[];
  readonly batch: string | null;
  readonly now: number;
  readonly key: string;
}

function decide(
  { event, alert, rule, policy }: Due,
  { ids, batch, now, key }: Told,
  decision: Decision,
): void {
  const told = union(alert.told, ids);
  const done = { told_at: now, repeated_at: now, steps: new Set<number>(), told };
  const next_at = nextAt({ rule, policy, ...done });
  const detail = { ...event.detail, told_at: now, telling: openingOf(rule, key) };
  decision.decided.push({ id: event.id, batch, detail });
  decision.alerts.push({ id: alert.id, version: alert.version, told, next_at });
}

/** Ids of both, each once; null where nobody was told. */
export function union(a: readonly number[] | null, b: readonly number[]): readonly number[] | null {
  const all = [...new Set([...(a ?? []), ...b])];
  return all.length > 0 ? all : null;
}

export interface Flap {
  readonly due: Due;
  readonly key: string;
  /** Ends of earlier episodes that are not told yet: who would hear of them. */
  readonly ends: readonly { readonly id: number; readonly told: readonly number[] }[];
  /** Unix ms of the last message that said that it flaps. */
  readonly saidAt: number | undefined;
  readonly calm_ms: number;
}

/** Decides on an opening of an alert that opens again and again: one message an hour, and one once it stays as it is. */
export async function tellFlap(flap: Flap, teller: Teller, now: number): Promise<Decision> {
  const { due, key, ends, saidAt, calm_ms } = flap;
  const { alert, event } = due;
  const decision = noDecision();
  for (const { id } of ends) decision.decided.push({ id, batch: null });
  const heard = union(
    alert.told,
    ends.flatMap(({ told }) => told),
  );
  if (saidAt !== undefined && now - saidAt < SUMMARY_MS) {
    decision.moved.push({ id: event.id, due: (alert.opened_at ?? now) + calm_ms });
    const { id, version, next_at } = alert;
    decision.alerts.push({ id, version, told: heard, next_at });
    decision.suppressed.push({ id, suppressed_by: 'flapping' });
    return decision;
  }
  const flaps = flapsOf(alert, now);
  const note = flapText(flaps);
  const telling = { ...(await tellingOf(due, teller)), flaps };
  const batch = `flapping-${event.id}`;
  const named = { type: 'alert.flapping', batch, key } as const;
  await teller.tell([telling], named, new Map(), decision);
  const ids = telling.channels.map(({ id }) => id);
  const whole = { ...due, alert: { ...alert, told: heard } };
  decide(whole, { ids, batch: ids.length > 0 ? batch : null, now, key }, decision);
  const said = { at: now, kind: 'flapping', detail: { text: note }, batch } as const;
  decision.events.push(eventFor(alert, said));
  return decision;
}
