import { setImmediate } from 'node:timers/promises';
import type { AgentHistory } from '@svc/plugin-agent-events/api';
import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { verdictOf } from '../evaluate/plan.ts';
import { thresholdText } from '../evaluate/value-text.ts';
import type { KnownMachines } from '../machines.ts';
import type { LoadedRules } from '../rules/loaded.ts';
import { type AlertStore, PAGE_ROWS } from '../store/alerts.ts';
import {
  type Alert,
  CLOSED,
  type LoadedRule,
  OPEN,
  type Transition,
  type Transitions,
} from '../types.ts';
import { store } from './apply.ts';
import { clearOf, type Judgement, judge, type When } from './judge.ts';

/** A machine that was here for a shorter time is still being set up. */
const SETTLED_MS = 600_000;
const CHUNK = 500;
const DAY_MS = 86_400_000;
/** Alerts are looked for this often even where nobody is away: the database may be another one. */
const CALM_MS = 30_000;
/** Pause of the rounds in which another server may have had the turn. */
const BLIND_MS = 6_000;

export interface AbsenceParts {
  readonly alerts: AlertStore;
  readonly rules: LoadedRules;
  readonly machines: KnownMachines;
  readonly registry: AgentRegistry;
  readonly transitions: Transitions;
  readonly history: Pick<AgentHistory, 'seen'>;
}

/** Rules about silence, judged by the machines that are away now: nothing depends on having seen one go. */
export class Absence {
  readonly #parts: AbsenceParts;
  /** Unix ms at which these rules had no alert: only this server begins one while it has the turn. */
  #calm: { readonly rules: string; readonly at: number } | undefined;

  constructor(parts: AbsenceParts) {
    this.#parts = parts;
  }

  /** One look at all machines. While it is `quiet` nothing opens. @throws RpcError 103 */
  async round(when: When, quiet: boolean): Promise<void> {
    const { rules, transitions } = this.#parts;
    const running = rules.slow('presence');
    if (running.length === 0) return;
    const ids = running.map(({ rule }) => rule.id);
    const nobodyAway = this.#parts.machines.away().size === 0;
    if (nobodyAway && this.#isCalm(ids, when)) return;
    this.#calm = undefined;
    const active = await this.#active(ids);
    if (nobodyAway && active.size === 0) {
      this.#calm = { rules: ids.join(), at: when.at };
      return;
    }
    const judged: Judgement[] = [];
    for (const loaded of running) {
      const alerts = active.get(loaded.rule.id) ?? new Map<string, Alert>();
      const subjects = [...new Set([...this.#parts.machines.away().keys(), ...alerts.keys()])];
      for (const [n, uuid] of subjects.entries()) {
        if (n % CHUNK === CHUNK - 1) await setImmediate();
        const found = this.#look(loaded, uuid, { alert: alerts.get(uuid), when, quiet });
        if (found) judged.push(found);
      }
    }
    await store(transitions, await this.#timed(judged, when.at));
  }

  /** Dates ends back to the first report after the silence: they are seen later, and held. @throws RpcError 103 */
  async #timed(judged: readonly Judgement[], now: number): Promise<readonly Judgement[]> {
    const { history, registry } = this.#parts;
    const idOf = ({ subject_id }: Transition) => registry.known(subject_id)?.id ?? 0;
    const ids = judged.flatMap((one) => (isEnd(one) ? idOf(one.change) : []));
    if (ids.length === 0) return judged;
    const seen = await history.seen(ids, Math.floor(now / DAY_MS) + 1);
    return judged.map((one) => {
      if (!isEnd(one)) return one;
      const { change } = one;
      const known = seen.get(idOf(change));
      if (!known?.here || known.since < change.since || known.since > change.at) return one;
      const ended_at = Math.max(known.since, change.from?.opened_at ?? 0);
      return { change: { ...change, ended_at } };
    });
  }

  /** Tells whether there was no alert of these rules lately, and nobody else had the turn since. */
  #isCalm(ids: readonly number[], { at, elapsed_ms }: When): boolean {
    if (!this.#calm || elapsed_ms > BLIND_MS || this.#calm.rules !== ids.join()) return false;
    return Math.abs(at - this.#calm.at) < CALM_MS;
  }

  async #active(rules: readonly number[]): Promise<Map<number, Map<string, Alert>>> {
    const found = new Map<number, Map<string, Alert>>();
    for (let after = 0; ; ) {
      const page = await this.#parts.alerts.activeAfter(after, rules);
      for (const alert of page) {
        const bySubject = found.get(alert.rule_id) ?? new Map<string, Alert>();
        found.set(alert.rule_id, bySubject.set(alert.subject_id, alert));
      }
      if (page.length < PAGE_ROWS) return found;
      after = page.at(-1)?.id ?? 0;
    }
  }

  #look(
    loaded: LoadedRule,
    uuid: string,
    { alert, when, quiet }: { alert: Alert | undefined; when: When; quiet: boolean },
  ): Judgement {
    const { machines, registry, rules } = this.#parts;
    const agent = registry.known(uuid);
    const rule = rules.byId(loaded.rule.id);
    if (!agent || !rule || !rules.applies(rule, agent.id)) return undefined;
    if (quiet && (alert?.state ?? 0) < OPEN) return undefined;
    const since = machines.awaySince(uuid);
    const silent_for = since === undefined ? 0 : Math.max(0, when.at - since) / 1_000;
    const name = machines.nameOf(uuid);
    const tags = machines.tagsOf(uuid);
    const values = { silent_for, name, tags, region: machines.regionOf(uuid) };
    const isSettled = since === undefined || since - (agent.first_seen ?? 0) >= SETTLED_MS;
    const mayOpen = alert !== undefined || rule.shipped !== 'offline' || isSettled;
    const condition = mayOpen ? verdictOf(loaded.condition, values) : false;
    const threshold = thresholdText(loaded.condition);
    const detail = { name, tags, values: { silent_for }, ...(threshold && { threshold }) };
    const key = { subject_kind: 'agent', subject_id: uuid, part: '' } as const;
    const clear = clearOf(loaded, condition, values);
    const look = { loaded, key, alert, condition, clear, value: silent_for, detail, since };
    const judged = judge(look, when);
    // Whoever makes a rule knows of the machines that are away already.
    const isOld = since !== undefined && since < rule.created_at;
    return judged && 'change' in judged && isOld && judged.change.to === OPEN
      ? { change: { ...judged.change, quiet: true } }
      : judged;
  }
}

const isEnd = (one: Judgement): one is { readonly change: Transition } =>
  one !== undefined && 'change' in one && one.change.to === CLOSED;
