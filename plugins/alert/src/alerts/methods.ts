import type { Notify } from '@svc/plugin-notify/api';
import {
  type Auth,
  type Clock,
  canonicalUuid,
  described,
  type Methods,
  optional,
  Type,
  Uuid,
} from '@svc/plugin-sdk';
import { MOST_AGENTS } from '@svc/plugin-sdk/schemas';
import type { LoadedRules } from '../rules/loaded.ts';
import { ruleAnswer } from '../rules/methods.ts';
import { mayDo, mayRule } from '../rules/rights.ts';
import { AlertAnswer, AlertPage, EventAnswer, Name, Time } from '../schemas.ts';
import type { AlertStore } from '../store/alerts.ts';
import { type Alert, EVENT_KINDS, type Transitions } from '../types.ts';
import { type Answers, OTHER_CHANNEL } from './answers.ts';
import { alertOf, onAlert, rightTo } from './find.ts';
import { readable, visibleTo } from './visible.ts';

export const MOST_ALERTS = 10_000;
const DEFAULT_EVENTS = 200;
const PAGE_EVENTS = 1_000;

export interface AlertMethodParts {
  readonly auth: Auth;
  readonly clock: Clock;
  readonly store: AlertStore;
  readonly rules: LoadedRules;
  readonly transitions: Transitions;
  readonly answers: Answers;
  /** undefined: the plugin is off, and nothing is sent. */
  readonly notify: Notify | undefined;
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
const uuidsOf = (agents: readonly string[] | null | undefined) =>
  agents ? [...new Set(agents.map(canonicalUuid))] : undefined;

/** `alert_list`, `alert_history` and `alert_get`. */
export function addReads(methods: Methods, parts: AlertMethodParts): void {
  addList(methods, parts);
  addHistory(methods, parts);
  addPage(methods, parts);
}

function addList(methods: Methods, { auth, store, answers }: AlertMethodParts): void {
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
      const active = await store.active(least, agents, MOST_ALERTS);
      const isVisible = visibleTo(auth, caller);
      const seen = await readable(active, isVisible, MOST_ALERTS);
      const [closed] = await readable(await store.lastClosed(), isVisible, 1);
      return {
        alerts: await answers.alerts(seen.slice(0, most), caller),
        counts: await answers.counts(seen),
        last_closed_at: closed?.at ?? null,
      };
    },
  });
}

function addHistory(methods: Methods, parts: AlertMethodParts): void {
  const { auth, clock, store, rules, answers } = parts;
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
      subjects: uuidsOf(agents),
      name: rule ?? undefined,
      kinds: kinds ?? undefined,
      from: from ?? 0,
      to: to ?? clock.now() + 1,
      most: limit ?? DEFAULT_EVENTS,
    }),
    access: 'authenticated',
    async handle({ name, most, ...asked }, { caller }) {
      const rule = name === undefined ? undefined : rules.named(name);
      if (name !== undefined && !rule) return [];
      const limit = (await auth.allows(caller, mayDo('read'))) ? most : MOST_ALERTS;
      const events = await store.history({ ...asked, rule: rule?.id, limit });
      const seen = await readable(events, visibleTo(auth, caller), most);
      return seen.map((event) => answers.event(event));
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
        events: events.map((event) => answers.event(event)),
        deliveries: await Promise.all(deliveries),
      };
    },
  });
}
