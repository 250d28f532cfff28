import type { Notify } from '@svc/plugin-notify/api';
import {
  type Auth,
  type Clock,
  canonicalUuid,
  described,
  type Methods,
  optional,
  type Principal,
  Type,
  Uuid,
} from '@svc/plugin-sdk';
import { MOST_AGENTS } from '@svc/plugin-sdk/schemas';
import type { MonitorNames } from '../monitors.ts';
import type { LoadedRules } from '../rules/loaded.ts';
import { ruleAnswer } from '../rules/methods.ts';
import { mayRule } from '../rules/rights.ts';
import { AlertAnswer, AlertPage, EventAnswer, Name, Time } from '../schemas.ts';
import { type AlertStore, PAGE_ROWS } from '../store/alerts.ts';
import { slices } from '../store/slices.ts';
import { type Alert, EVENT_KINDS, type ListedAlert, type Transitions } from '../types.ts';
import { type Answers, OTHER_CHANNEL } from './answers.ts';
import { alertOf, onAlert, rightTo } from './find.ts';
import { readableOf, visibleTo } from './visible.ts';

export const MOST_ALERTS = 10_000;
const DEFAULT_EVENTS = 200;
const PAGE_EVENTS = 1_000;

export interface AlertMethodParts {
  readonly auth: Auth;
  readonly clock: Clock;
  readonly store: AlertStore;
  readonly rules: LoadedRules;
  readonly monitors: MonitorNames;
  readonly transitions: Transitions;
  readonly answers: Answers;
  /** undefined: the plugin is off, and nothing is sent. */
  readonly notify: Notify | undefined;
  /** Agents of which the caller may read alerts; undefined: all, or each right is asked. */
  readonly agentsOf: (caller: Principal) => readonly string[] | undefined;
  /** Hears of alerts whose acknowledgement changed. */
  readonly touched: (alerts: readonly Alert[]) => void;
}

export const Counts = Type.Object({
  critical: Type.Integer(),
  warning: Type.Integer(),
  info: Type.Integer(),
  unacked: Type.Integer({
    description: 'Open alerts that nobody acknowledged, and nothing hides.',
  }),
});
const Agents = optional(
  Type.Array(Uuid, {
    minItems: 1,
    maxItems: MOST_AGENTS,
    description: 'Machines to which it is limited. Absent: all.',
  }),
);
const limitOf = (default_: number) =>
  optional(
    Type.Integer({
      minimum: 1,
      maximum: MOST_ALERTS,
      description: `Largest number of rows. Default: ${default_}.`,
    }),
  );
/** Order of lists: what opened last, or began to hold last, comes first. */
export const newestFirst = (
  a: Pick<ListedAlert, 'id' | 'since' | 'opened_at'>,
  b: Pick<ListedAlert, 'id' | 'since' | 'opened_at'>,
): number => (b.opened_at ?? b.since) - (a.opened_at ?? a.since) || b.id - a.id;
const uuidsOf = (agents: readonly string[] | null | undefined) =>
  agents ? [...new Set(agents.map(canonicalUuid))] : undefined;

/** `alert_list`, `alert_history` and `alert_get`. */
export function addReads(methods: Methods, parts: AlertMethodParts): void {
  addList(methods, parts);
  addHistory(methods, parts);
  addPage(methods, parts);
}

/** Alerts with these ids that are still of this state, in the order of the ids. */
async function inOrder(
  ids: readonly number[],
  least: number,
  store: AlertStore,
): Promise<readonly Alert[]> {
  const found = new Map<number, Alert>();
  for (const some of slices(ids, PAGE_ROWS))
    for (const alert of await store.byIds(some))
      if (alert.state >= least) found.set(alert.id, alert);
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** Agents to which a call is limited: those that it names, of those that the caller may read. */
const among = (named: readonly string[] | undefined, own: readonly string[] | undefined) => {
  if (!named || !own) return named ?? own;
  const set = new Set(own);
  return named.filter((uuid) => set.has(uuid));
};

function addList(methods: Methods, parts: AlertMethodParts): void {
  const { store, answers, agentsOf } = parts;
  methods.add('alert_list', {
    summary: 'Alerts that are open now, the newest first.',
    description: 'The answer holds alerts that the caller may read.',
    addition: true,
    params: {
      state: described(
        optional(Type.Enum(['open', 'all'])),
        '`open` (default): open and clearing ones. `all`: those that still wait for their time as well.',
      ),
      agents: Agents,
      limit: limitOf(MOST_ALERTS),
    },
    result: Type.Object({
      alerts: Type.Array(AlertAnswer),
      counts: Counts,
      last_closed_at: described(Type.Union([Time(), Type.Null()]), 'null: none within a week.'),
    }),
    prepare: ({ state, agents, limit }) => ({
      least: state === 'all' ? 1 : 2,
      agents: uuidsOf(agents),
      most: limit ?? MOST_ALERTS,
    }),
    access: 'authenticated',
    async handle({ least, agents, most }, { caller }) {
      const own = agentsOf(caller);
      const isVisible = visibleTo(parts, caller);
      const active = store.active(least, among(agents, own));
      const seen = await readableOf(active, isVisible, Number.POSITIVE_INFINITY);
      const ids = seen.sort(newestFirst).slice(0, most);
      const shown = await inOrder(
        ids.map(({ id }) => id),
        least,
        store,
      );
      const [closed] = await readableOf(store.ends(own), isVisible, 1);
      return {
        alerts: await answers.alerts(shown, caller),
        counts: await answers.counts(seen),
        last_closed_at: closed?.at ?? null,
      };
    },
  });
}

function addHistory(methods: Methods, parts: AlertMethodParts): void {
  const { clock, store, rules, answers, agentsOf } = parts;
  methods.add('alert_history', {
    summary: 'History of alerts, the newest event first.',
    addition: true,
    params: {
      agents: Agents,
      rule: described(optional(Name), 'Rule to which it is limited. Absent: all.'),
      kinds: described(
        optional(Type.Array(Type.Enum([...EVENT_KINDS]), { minItems: 1, maxItems: 20 })),
        'Kinds of events. Absent: all.',
      ),
      from: optional(Time('Unix ms. Default: the oldest event.')),
      to: optional(Time('Unix ms; this time itself lies outside. Default: now.')),
      limit: limitOf(DEFAULT_EVENTS),
    },
    result: Type.Array(EventAnswer),
    prepare: ({ agents, rule, kinds, from, to, limit }) => ({
      agents: uuidsOf(agents),
      name: rule ?? undefined,
      kinds: kinds ?? undefined,
      from: from ?? 0,
      to: to ?? clock.now() + 1,
      most: limit ?? DEFAULT_EVENTS,
    }),
    access: 'authenticated',
    async handle({ name, most, agents, ...asked }, { caller }) {
      const rule = name === undefined ? undefined : rules.named(name);
      if (name !== undefined && !rule) return [];
      const of = { agents: among(agents, agentsOf(caller)), rule: rule?.id };
      const events = store.history({ ...asked, ...of }, most);
      const seen = await readableOf(events, visibleTo(parts, caller), most);
      return answers.events(seen, caller);
    },
  });
}

function addPage(methods: Methods, parts: AlertMethodParts): void {
  const { auth, store, rules, answers, notify } = parts;
  methods.add('alert_get', {
    summary: 'An alert with its rule, its history, and what was sent about it.',
    addition: true,
    params: { id: Type.Integer({ minimum: 1, description: 'Id of the alert.' }) },
    result: AlertPage,
    right: rightTo('read'),
    access: onAlert('read', parts),
    async handle({ id }, { caller }) {
      const alert = await alertOf(store, id);
      const [shown] = await answers.alerts([alert], caller);
      const events = await store.eventsOf(id, PAGE_EVENTS);
      const batches = new Map(
        events.flatMap((one) => (one.batch ? [[one.batch, one.id] as const] : [])),
      );
      const sent = batches.size > 0 ? ((await notify?.deliveries([...batches.keys()])) ?? []) : [];
      const rule = rules.byId(alert.rule_id);
      const channelFor = answers.channelsFor(caller);
      const deliveries = sent.map(async ({ batch, channel, ...delivery }) => ({
        ...delivery,
        channel: (await channelFor(channel)) ? channel : OTHER_CHANNEL,
        event_id: batches.get(batch) ?? 0,
      }));
      const mayRead = rule && (await auth.allows(caller, mayRule('read', rule.scope)));
      return {
        alert: shown as NonNullable<typeof shown>,
        rule: mayRead ? ruleAnswer(rule, rules.problem(rule)) : null,
        events: await answers.events(events, caller),
        deliveries: await Promise.all(deliveries),
      };
    },
  });
}
