import { setImmediate } from 'node:timers/promises';
import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import type { KnownMachines } from '../machines.ts';
import type { KnownMonitors } from '../monitors.ts';
import { type LoadedRules, NO_MONITORS } from '../rules/loaded.ts';
import { type AlertStore, PAGE_ROWS } from '../store/alerts.ts';
import { endOf } from '../store/next-row.ts';
import { type Alert, PENDING, type Transition, type Transitions } from '../types.ts';

/** Alerts of a machine that is silent for longer are not waited for any more. */
const FROZEN_MS = 86_400_000;
/** A hold that no report has moved on for so long is given up, as in the memory of the server that judged it. */
const UNJUDGED_MS = 15 * 60_000;

export interface EndParts {
  readonly alerts: AlertStore;
  readonly rules: LoadedRules;
  readonly machines: KnownMachines;
  readonly monitors: Pick<KnownMonitors, 'isOn'>;
  readonly registry: AgentRegistry;
  readonly transitions: Transitions;
}

/**
 * Ends alerts that no value will end: their rule, their machine or its owner's right has gone.
 * @returns those of events and of the server that go on, so that nobody else has to read them @throws RpcError 103
 */
export async function endOrphans(parts: EndParts, now: number): Promise<Alert[]> {
  const { alerts, rules, transitions } = parts;
  const kept: Alert[] = [];
  for (let after = 0; ; ) {
    const page = await alerts.activeAfter(after);
    const ends = page.flatMap((alert): Transition[] => {
      const note = reasonOf(parts, alert, now);
      if (!note) {
        const source = rules.byId(alert.rule_id)?.source;
        if (source === 'event' || source === 'server') kept.push(alert);
        return [];
      }
      return [{ ...endOf(alert, now), expired: true, detail: { ...alert.detail, note } }];
    });
    if (ends.length > 0) await transitions.apply(ends);
    if (page.length < PAGE_ROWS) return kept;
    after = page.at(-1)?.id ?? 0;
    await setImmediate();
  }
}

/** Returns the reason for which an alert ends without a recovery; undefined: it does not. */
function reasonOf({ rules, machines, monitors, registry }: EndParts, alert: Alert, now: number) {
  const rule = rules.byId(alert.rule_id);
  if (!rule) return 'the rule was deleted';
  if (!rule.enable) return 'the rule was switched off';
  if (rules.problem(rule) !== null && !rules.runs(rule.id)) return 'the rule does not run';
  if (rule.source === 'monitor') return monitors.isOn ? undefined : NO_MONITORS;
  if (alert.subject_kind !== 'agent') return undefined;
  const agent = registry.known(alert.subject_id);
  if (!agent || agent.soft_delete) return 'the machine was deleted';
  if (!rules.applies(rule, agent.id)) return 'the rule does not apply to this machine any more';
  if (alert.state === PENDING && rules.usesReports(rule.id) && now - alert.updated_at > UNJUDGED_MS)
    return 'no value has come for 15 minutes';
  const since = rule.source === 'presence' ? undefined : machines.awaySince(alert.subject_id);
  return since !== undefined && now - since > FROZEN_MS
    ? 'the machine has been silent for a day'
    : undefined;
}
