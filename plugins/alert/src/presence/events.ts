import type { AgentHistory, StoredEvent } from '@svc/plugin-agent-events/api';
import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { verdictOf } from '../evaluate/plan.ts';
import { identityOf } from '../evaluate/variables.ts';
import type { KnownMachines } from '../machines.ts';
import type { LoadedRules } from '../rules/loaded.ts';
import type { EventPlace } from '../store/event-place.ts';
import { endOf } from '../store/next-row.ts';
import { type Alert, type LoadedRule, OPEN, type Transitions } from '../types.ts';
import { store } from './apply.ts';
import type { Judgement, When } from './judge.ts';

/** An alert about an event ends when the event did not come again for so long. */
const LASTS_MS = 3_600_000;

export interface EventParts {
  readonly history: AgentHistory;
  readonly rules: LoadedRules;
  readonly machines: KnownMachines;
  readonly registry: AgentRegistry;
  readonly transitions: Transitions;
  readonly place: Pick<EventPlace, 'read' | 'move'>;
}

/** Events of one rule and machine since the last round. */
interface Happened {
  readonly loaded: LoadedRule;
  /** The newest. */
  readonly event: StoredEvent;
  readonly count: number;
}

/** Rules about events of agents: one alert an hour for a rule and a machine, however often it happens. */
export class AgentEvents {
  readonly #parts: EventParts;

  constructor(parts: EventParts) {
    this.#parts = parts;
  }

  /** Looks at the events since the last round; `active` are the alerts of such rules. @throws RpcError 103 */
  async round({ at }: When, active: readonly Alert[]): Promise<void> {
    const { history, place, registry, rules, transitions } = this.#parts;
    const running = rules.slow('event');
    if (running.length === 0) return;
    const uuids = new Map(registry.list().map(({ id, uuid }) => [id, uuid]));
    const events = await history.events(await place.read(), at - LASTS_MS);
    const happened = new Map<string, Happened>();
    for (const event of events)
      for (const loaded of running) {
        if (!this.#holds(loaded, event, uuids.get(event.agent))) continue;
        const key = `${loaded.rule.id} ${uuids.get(event.agent)}`;
        happened.set(key, { loaded, event, count: (happened.get(key)?.count ?? 0) + 1 });
      }
    const known = await this.#known(running, happened, active);
    const judged = [...happened].map(([key, one]) =>
      this.#happened(one, { uuid: uuids.get(one.event.agent) ?? '', alert: known.get(key), at }),
    );
    const over = [...known].flatMap(([key, alert]): Judgement[] =>
      alert.state >= OPEN && !happened.has(key) && at - alert.updated_at > LASTS_MS
        ? [{ change: endOf(alert, at) }]
        : [],
    );
    await store(transitions, [...judged, ...over]);
    const newest = events.at(-1);
    if (newest) await place.move(newest.id);
  }

  #holds({ rule, condition }: LoadedRule, event: StoredEvent, uuid: string | undefined): boolean {
    const { machines, rules } = this.#parts;
    if (uuid === undefined || !rules.applies(rule, event.agent)) return false;
    // A rule says nothing of what was before it.
    if (event.time < (rules.byId(rule.id)?.created_at ?? 0)) return false;
    const { reason, code } = event.detail;
    const values = { event: event.kind, reason, code, ...identityOf(machines, uuid) };
    return verdictOf(condition, values) === true;
  }

  /** Alerts of these rules, by rule and machine: those that are open, and those that events are about. */
  async #known(
    running: readonly LoadedRule[],
    happened: ReadonlyMap<string, unknown>,
    active: readonly Alert[],
  ) {
    const ids = new Set(running.map(({ rule }) => rule.id));
    const concerned = new Set([...happened.keys()].map((key) => key.split(' ')[1] ?? ''));
    const alerts = [
      ...active,
      ...(concerned.size > 0 ? await this.#parts.transitions.load('agent', [...concerned]) : []),
    ];
    return new Map(
      alerts
        .filter(({ rule_id }) => ids.has(rule_id))
        .map((alert) => [`${alert.rule_id} ${alert.subject_id}`, alert]),
    );
  }

  #happened(
    {
      loaded: { rule },
      event: {
        time,
        kind,
        detail: { reason, code },
      },
      count,
    }: Happened,
    { uuid, alert, at }: { uuid: string; alert: Alert | undefined; at: number },
  ): Judgement {
    const { machines } = this.#parts;
    if (alert && alert.state >= OPEN) {
      const { id, version, since, true_ms, false_ms, value } = alert;
      return { progress: { id, version, since, true_ms, false_ms, value: (value ?? 1) + count } };
    }
    // Somebody has closed it since.
    if (alert?.closed_at && time <= alert.closed_at) return undefined;
    const values = { event: kind, ...(reason && { reason }), ...(code && { code }) };
    const facts = { name: machines.nameOf(uuid), tags: machines.tagsOf(uuid) };
    const detail = { ...facts, values, meaning: rule.meaning };
    const key = { rule_id: rule.id, subject_kind: 'agent', subject_id: uuid, part: '' } as const;
    const judged = { since: time, at, true_ms: 0, false_ms: 0, value: count, detail };
    return { change: { ...key, from: alert, to: OPEN, ...judged } };
  }
}
