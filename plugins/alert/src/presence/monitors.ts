import { setImmediate } from 'node:timers/promises';
import type { MonitorNow } from '@svc/plugin-monitor/api';
import { SEVERITIES } from '@svc/plugin-notify/api';
import type { Owners } from '@svc/plugin-token/api';
import { isEnded } from '../alerts/words.ts';
import { monitorValues } from '../evaluate/monitor-values.ts';
import { detailOf, measureOf, type Values, verdictOf } from '../evaluate/plan.ts';
import type { KnownMonitors } from '../monitors.ts';
import type { LoadedRules } from '../rules/loaded.ts';
import { mayWatch } from '../rules/rights.ts';
import { hasMonitor } from '../rules/scope.ts';
import { type AlertStore, PAGE_ROWS } from '../store/alerts.ts';
import { endOf } from '../store/next-row.ts';
import {
  type Alert,
  type AlertDetail,
  CLEARING,
  CLOSED,
  type LoadedRule,
  OPEN,
  PENDING,
  type Transition,
  type Transitions,
} from '../types.ts';
import { store } from './apply.ts';
import { clearOf, type Judgement, judge, type When } from './judge.ts';

/** Monitors of one turn of the event loop. */
const CHUNK = 200;
const DAY_MS = 86_400_000;
/** Variables that became what they are when the verdict did. */
const OF_VERDICT = new Set(['state', 'down_for']);
const [CRITICAL] = SEVERITIES.slice(-1);

export interface MonitorRuleParts {
  readonly alerts: Pick<AlertStore, 'activeAfter'>;
  readonly rules: LoadedRules;
  readonly monitors: KnownMonitors;
  readonly owners: Pick<Owners, 'may'>;
  readonly transitions: Transitions;
}

interface Seen {
  readonly monitor: MonitorNow;
  readonly values: Values;
  readonly alert: Alert | undefined;
  readonly when: When;
}

/** Rules about monitors, judged by what the monitors say now: nothing depends on having seen one change. */
export class MonitorRules {
  readonly #parts: MonitorRuleParts;
  /** Tells whether a hold goes on, which every round moves. */
  #isHolding = false;

  constructor(parts: MonitorRuleParts) {
    this.#parts = parts;
  }

  get isHolding(): boolean {
    return this.#isHolding;
  }

  /** One look at all monitors. @throws RpcError 103 */
  async round(when: When): Promise<void> {
    const { rules, monitors, transitions } = this.#parts;
    const running = rules.slow('monitor');
    this.#isHolding = false;
    if (running.length === 0 || !monitors.isOn) return;
    const all = await monitors.read();
    const active = await this.#active(running.map(({ rule }) => rule.id));
    const mayWatchAs = this.#rights();
    const judged: Judgement[] = [];
    for (const [n, monitor] of all.entries()) {
      if (n % CHUNK === CHUNK - 1) await setImmediate();
      const values = monitorValues(monitor, when.at);
      for (const loaded of running) {
        const key = keyOf(loaded.rule.id, `${monitor.id}`);
        const alert = active.get(key);
        active.delete(key);
        judged.push(await this.#look(loaded, { monitor, values, alert, when }, mayWatchAs));
      }
    }
    for (const alert of active.values())
      judged.push(expiry(alert, when.at, 'the monitor was deleted or switched off'));
    this.#isHolding = judged.some(
      (one) =>
        one && ('progress' in one || one.change.to === PENDING || one.change.to === CLEARING),
    );
    await store(transitions, judged);
  }

  async #active(ids: readonly number[]): Promise<Map<string, Alert>> {
    const found = new Map<string, Alert>();
    for (let after = 0; ; ) {
      const page = await this.#parts.alerts.activeAfter(after, ids);
      for (const alert of page) found.set(keyOf(alert.rule_id, alert.subject_id), alert);
      if (page.length < PAGE_ROWS) return found;
      after = page.at(-1)?.id ?? 0;
    }
  }

  /** Rights of owners, each asked once a round. */
  #rights(): MayWatch {
    const { owners } = this.#parts;
    const asked = new Map<string, boolean | Promise<boolean>>();
    return (owner, name) => {
      if (owner === null) return true;
      const key = `${owner} ${name}`;
      const known = asked.get(key) ?? owners.may(owner, mayWatch(name));
      asked.set(key, known);
      return known;
    };
  }

  async #look(loaded: LoadedRule, seen: Seen, mayWatchAs: MayWatch): Promise<Judgement> {
    const { monitor, values, alert, when } = seen;
    const { rule } = loaded;
    const end = (note: string) => alert && expiry(alert, when.at, note);
    if (!hasMonitor(rule.scope, monitor))
      return end('the rule does not apply to this monitor any more');
    const isFrozen = monitor.state === 'unknown' || monitor.state === 'paused';
    if (isFrozen && when.at - monitor.since > DAY_MS)
      return end('nothing was known of the monitor for a day');
    const condition = isFrozen ? undefined : verdictOf(loaded.condition, values);
    if (!alert && !condition) return undefined;
    const may = rule.owner === null || this.#parts.rules.applies(rule, 0);
    if (!may || !(await mayWatchAs(rule.owner, monitor.name)))
      return end('the owner of the rule may not see this monitor');
    const hasNoCertificate = monitor.state === 'up' && monitor.not_after === null;
    if (hasNoCertificate && loaded.condition.variables.some((name) => name.startsWith('tls.')))
      return end('the monitor has no certificate any more');
    const clear = isFrozen ? undefined : clearOf(loaded, condition, values);
    const isDated = loaded.condition.variables.some((name) => OF_VERDICT.has(name));
    const since = isDated ? monitor.since : undefined;
    const key = { subject_kind: 'monitor', subject_id: `${monitor.id}`, part: '' } as const;
    const value = measureOf(loaded.condition, values);
    const { threshold, ...seenAs } = detailOf(loaded, values, monitor);
    // A certificate that has ended is beyond any limit.
    const isCompared = threshold !== undefined && !isEnded(value, loaded.condition);
    const detail = { ...seenAs, ...(isCompared && { threshold }), ...factsOf(monitor) };
    const judged = judge({ loaded, key, alert, condition, clear, value, detail, since }, when);
    if (!judged || !('change' in judged) || since === undefined) return judged;
    return { change: this.#dated(judged.change, since) };
  }

  /** Dates an end back to when the monitor changed; one that was down before the rule was made is shown, and not told. */
  #dated(change: Transition, since: number): Transition {
    if (change.to === CLOSED) {
      if (since <= change.since) return change;
      return {
        ...change,
        ended_at: Math.min(change.at, Math.max(since, change.from?.opened_at ?? 0)),
      };
    }
    const created_at = this.#parts.rules.byId(change.rule_id)?.created_at ?? 0;
    return change.to === OPEN && since < created_at ? { ...change, quiet: true } : change;
  }
}

type MayWatch = (owner: string | null, name: string) => boolean | Promise<boolean>;

const keyOf = (rule: number, subject_id: string): string => `${rule} ${subject_id}`;

const expiry = (alert: Alert, at: number, note: string): Judgement => ({
  change: { ...endOf(alert, at), expired: true, detail: { ...alert.detail, note } },
});

/** Facts of a monitor for messages, and its severity where it lowers that of the rule. */
function factsOf(monitor: MonitorNow): AlertDetail {
  const { name, kind, target, group, detail, up, down, unknown, not_after } = monitor;
  const severity = SEVERITIES[monitor.severity] ?? 'critical';
  const one_place = up + down === 1 && unknown > 0;
  return {
    subject: name,
    monitor: {
      ...{ kind, detail: detail.slice(0, 300), one_place, not_after },
      ...{ target: target.slice(0, 200), group: group ?? '', places: `${down}/${up + down}` },
    },
    ...(severity !== CRITICAL && { severity }),
  };
}
