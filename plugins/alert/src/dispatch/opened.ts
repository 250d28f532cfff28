import { UNSET } from '../rules/defaults.ts';
import type { AlertEvent, Rule } from '../types.ts';

/** Facts that reminders and the end need. They stand in the history, because the rule and the group may be gone by then. */
export interface Opening {
  /** Key of the group in which the opening was told. */
  readonly group: string;
  readonly rule: KeptRule;
}
type KeptRule = Pick<
  Rule,
  'name' | 'source' | 'severity' | 'shipped' | 'policy' | 'owner' | 'clear_for_s' | 'labels'
>;

/** Returns what the row of history of an opening keeps. */
export function openingOf(rule: Rule, group: string): Opening {
  const { name, source, severity, shipped, policy, owner, clear_for_s, labels } = rule;
  return { group, rule: { name, source, severity, shipped, policy, owner, clear_for_s, labels } };
}

const GONE = {
  ...UNSET,
  ...{ enable: false, scope: { agents: [] }, condition: '', version: 0, meaning: 0 },
};

/** Returns a deleted rule as far as its end needs it. */
export const keptRule = (id: number, { rule }: Opening): Rule => ({ ...GONE, ...rule, id });

/** History of one episode, from its opening on. */
export interface Episode {
  readonly opening: Opening | undefined;
  /** Decisions that told of it as open. */
  readonly batches: readonly string[];
  readonly isFlapping: boolean;
}

/** Kinds of events that tell of an alert as open. */
export const TOLD_KINDS = ['opened', 'reminded', 'flapping'] as const;

/** Reads one episode out of the history of alerts. */
export function episodeOf(
  history: readonly AlertEvent[],
  { alert_id, episode }: Pick<AlertEvent, 'alert_id' | 'episode'>,
): Episode {
  const own = history.filter((one) => one.alert_id === alert_id && one.episode === episode);
  const opened = own.findLast(({ kind }) => kind === 'opened');
  return {
    opening: opened?.detail['telling'] as Opening | undefined,
    batches: own.flatMap(({ batch }) => batch ?? []),
    isFlapping: own.some(({ kind }) => kind === 'flapping'),
  };
}
