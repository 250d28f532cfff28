import type { Verdict } from '@svc/conditions';
import { clearHold, type Held, REST, step } from '../evaluate/machine.ts';
import { type ReadWindow, type Values, verdictOf } from '../evaluate/plan.ts';
import {
  type Alert,
  type AlertDetail,
  type AlertKey,
  type LoadedRule,
  OPEN,
  type Transition,
} from '../types.ts';

/** One look at one place of a rule. */
export interface Look {
  readonly loaded: LoadedRule;
  readonly key: Omit<AlertKey, 'rule_id'>;
  readonly alert: Alert | undefined;
  readonly condition: Verdict;
  readonly clear: Verdict;
  readonly value: number | null;
  readonly detail: AlertDetail;
  /** Unix ms since when it holds, where that is known. */
  readonly since?: number | undefined;
}

export interface When {
  /** Unix ms. */
  readonly at: number;
  /** Time since the look before this one, ms. */
  readonly elapsed_ms: number;
  /** Time between two looks from which on nothing is known of what was between them, ms. */
  readonly gap_ms: number;
}

/** Result of a look: a change of state, the progress of a hold, or nothing. */
export type Judgement =
  | { readonly change: Transition }
  | {
      readonly progress: Pick<Alert, 'id' | 'version' | 'since' | 'true_ms' | 'false_ms' | 'value'>;
    }
  | undefined;

/** Judges one place by the machine that all alerts have. */
export function judge(look: Look, { at, elapsed_ms, gap_ms }: When): Judgement {
  const { loaded, key, alert, condition, clear } = look;
  const { rule } = loaded;
  const held: Held = alert ? { ...alert, gap_ms: 0 } : REST;
  const clear_for_ms = clearHold(rule.clear_for_s * 1_000, alert?.flaps ?? [], at);
  const holds = { for_ms: rule.for_s * 1_000, clear_for_ms };
  const next = step(held, { condition, clear, at, elapsed_ms, gap_after_ms: gap_ms }, holds);
  if (next === held) return undefined;
  const { true_ms, false_ms, state } = next;
  // Value and detail of the opening stay until the alert is over.
  const isOpen = alert !== undefined && alert.state >= OPEN && state >= OPEN;
  const { value, detail: seen } = isOpen ? alert : look;
  const since = held.state < 2 && look.since !== undefined ? look.since : next.since;
  if (alert && state === held.state) {
    const { id, version } = alert;
    return { progress: { id, version, since, true_ms, false_ms, value } };
  }
  const detail = { ...alert?.detail, ...seen, meaning: rule.meaning };
  const judged = { since, at, true_ms, false_ms, value, detail };
  return { change: { ...key, rule_id: rule.id, from: alert, to: state, ...judged } };
}

/** Verdict of the end: that of `clear`, or that the condition, of which this is the verdict, does not hold. */
export function clearOf(
  { clear }: LoadedRule,
  condition: Verdict,
  ...values: [values: Values, window?: ReadWindow]
): Verdict {
  if (clear) return verdictOf(clear, ...values);
  return condition === undefined ? undefined : !condition;
}
