import { type Signal, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import {
  type Alert,
  type Counts,
  measuredText,
  type Rule,
  ruleTitle,
  toldCounts,
} from '../parts/alert/index.ts';
import { useMachines } from './machines.ts';
import { useLive, usePoll } from './resources.ts';
import { type Server, useServer } from './server.ts';

/** Alerts that are open, as the server tells them. */
export interface OpenAlerts {
  /** Undefined: not for this token, or not here yet. */
  readonly list: readonly Alert[] | undefined;
  readonly counts: Counts;
  /** The same without what people have silenced. */
  readonly told: Counts;
  /** Reason why they cannot be followed. */
  readonly error?: unknown;
}

interface Item {
  readonly alerts: readonly Alert[];
  readonly closed: readonly number[];
  readonly counts: Counts;
}

const ZERO: Counts = { critical: 0, warning: 0, info: 0, unacked: 0 };
const NONE: OpenAlerts = { list: undefined, counts: ZERO, told: ZERO };
const states = new WeakMap<Server, Signal<OpenAlerts>>();

function stateOf(server: Server): Signal<OpenAlerts> {
  const found = states.get(server) ?? signal(NONE);
  states.set(server, found);
  return found;
}

/** Tells whether the server has alerts that this token may see. */
export const seesAlerts = ({ has, holds }: Pick<Server, 'has' | 'holds'>): boolean =>
  has('alert') && holds('alert', 'read');

/** The open alerts, for every page: the frame follows them once. */
export const useOpenAlerts = (): OpenAlerts => stateOf(useServer()).value;

type Rules = ReadonlyMap<string, Rule>;
const NO_RULES: Rules = new Map();
const ruleStates = new WeakMap<Server, Signal<Rules>>();

function rulesOf(server: Server): Signal<Rules> {
  const found = ruleStates.get(server) ?? signal(NO_RULES);
  ruleStates.set(server, found);
  return found;
}

/** Words for rules and alerts by what their rules are; until those are here, as the server wrote them. */
export interface AlertWords {
  readonly titleOf: (rule: string) => string;
  readonly measuredOf: (alert: Alert) => string;
}

export function useAlertWords(): AlertWords {
  const rules = rulesOf(useServer()).value;
  return {
    titleOf: (name) => ruleTitle(rules.get(name) ?? { name, shipped: null }),
    measuredOf: (alert) => measuredText(alert, rules.get(alert.rule)),
  };
}

const RULES_MS = 60_000;

/** Follows the rules, which alerts name, for as long as the frame is shown. */
function useRuleFeed(): void {
  const server = useServer();
  const sees = seesAlerts(server);
  const { data } = usePoll(
    `rules of alerts ${sees}`,
    async () => (sees ? server.call('alert_rule_list') : []),
    { every_ms: RULES_MS },
  );
  useEffect(() => {
    if (data) rulesOf(server).value = new Map(data.map((rule) => [rule.name, rule]));
  }, [data]);
}

type Subject = Alert['subject'];

/** Names of what alerts are about: of machines the one that every page shows. */
export function useSubjects() {
  const machines = useMachines();
  const nameOf = ({ kind, id, name }: Subject): string =>
    kind === 'agent' ? (machines.of(id)?.name ?? name) : name;
  /** The machine, and its disk or card. */
  const placeOf = ({ subject, part }: Pick<Alert, 'subject' | 'part'>): string =>
    part === '' ? nameOf(subject) : `${nameOf(subject)} · ${part}`;
  return { nameOf, placeOf };
}

/** Follows the open alerts for as long as the frame is shown. Each connection begins with all of them. */
export function useAlertFeed(): void {
  useRuleFeed();
  const server = useServer();
  const state = stateOf(server);
  const turn = server.connection.value.turn ?? 0;
  const known = useRef<{ turn: number; byId: Map<number, Alert>; frame: number }>(undefined);
  const onItem = ({ alerts, closed, counts }: Item) => {
    if (known.current?.turn !== turn) known.current = { turn, byId: new Map(), frame: 0 };
    const held = known.current;
    for (const alert of alerts)
      if (alert.state === 'open' || alert.state === 'clearing') held.byId.set(alert.id, alert);
      else held.byId.delete(alert.id);
    for (const id of closed) held.byId.delete(id);
    cancelAnimationFrame(held.frame);
    held.frame = requestAnimationFrame(() => {
      const list = [...held.byId.values()];
      state.value = { list, counts, told: toldCounts(list) };
    });
  };
  const subscribe = () => server.subscribe('alert_subscribe');
  const sees = seesAlerts(server);
  const { error } = useLive<Item>(`${server.origin} ${turn}`, sees ? subscribe : undefined, onItem);
  useEffect(() => {
    if (error !== undefined) state.value = { ...state.value, error };
  }, [error]);
}
