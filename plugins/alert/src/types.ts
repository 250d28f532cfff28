import type { Condition } from '@svc/conditions';
import type { Severity } from '@svc/plugin-notify/api';
import type { MonitorFacts } from './monitor-facts.ts';

/** Kinds of what a rule looks at: values of a machine, its parts (disks, cards, interfaces), its absence, its events, the server itself, and monitors. */
export const SOURCES = ['machine', 'part', 'presence', 'event', 'server', 'monitor'] as const;
export type Source = (typeof SOURCES)[number];

/** Scope of a rule: all, or lists of which one must match. Agents are lower-case UUIDs. */
export type RuleScope =
  | { readonly all: true }
  | {
      readonly agents?: readonly string[];
      readonly tags?: readonly string[];
      readonly monitors?: readonly string[];
    };

/** Scope of a silence or a window: all kinds that are present must match, and of each kind one name. */
export interface Matcher {
  readonly rules?: readonly string[];
  readonly agents?: readonly string[];
  readonly tags?: readonly string[];
  readonly monitors?: readonly string[];
  /** Alerts of this severity or a lower one. */
  readonly severity?: Severity;
}

/** Row of `alert_rule`. */
export interface Rule {
  readonly id: number;
  readonly name: string;
  readonly enable: boolean;
  readonly source: Source;
  readonly scope: RuleScope;
  readonly condition: string;
  /** Condition under which an open alert begins to end; null: when `condition` does not hold. */
  readonly clear: string | null;
  readonly for_s: number;
  readonly clear_for_s: number;
  readonly severity: Severity;
  /** Tells whether messages are sent; without it the alert shows in the dashboard only. */
  readonly notify: boolean;
  /** Name of a policy; null: `default`. */
  readonly policy: string | null;
  readonly repeat_s: number | null;
  readonly summary: string;
  readonly runbook: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly shipped: string | null;
  readonly owner: string | null;
  readonly version: number;
  /** Grows with each change of source, condition, clear, holds or scope: then open alerts are judged anew. */
  readonly meaning: number;
}

export type SubjectKind = 'agent' | 'monitor' | 'server' | 'channel';

/** Place of one alert: what is measured, by which rule. */
export interface AlertKey {
  readonly rule_id: number;
  readonly subject_kind: SubjectKind;
  /** Lower-case UUID of an agent, id of a monitor, or a name. */
  readonly subject_id: string;
  /** Disk by mount point, card, interface; empty: the subject as a whole. */
  readonly part: string;
}

export const CLOSED = 0;
export const PENDING = 1;
export const OPEN = 2;
export const CLEARING = 3;
export type State = typeof CLOSED | typeof PENDING | typeof OPEN | typeof CLEARING;

/** Row of `alert`. */
export interface Alert extends AlertKey {
  readonly id: number;
  readonly state: State;
  /** Unix ms: when the condition began to hold; gaps move it on. */
  readonly since: number;
  readonly opened_at: number | null;
  readonly closed_at: number | null;
  /** Time for which the condition (pending) or the clear condition (clearing) held, and did not, ms. */
  readonly true_ms: number;
  readonly false_ms: number;
  readonly value: number | null;
  readonly detail: AlertDetail;
  readonly version: number;
  readonly episode: number;
  /** Ids of the channels that heard of this episode's opening; null: nobody did. */
  readonly told: readonly number[] | null;
  readonly acked_by: string | null;
  readonly acked_at: number | null;
  /** Unix ms until which the acknowledgement holds; null: until it closes. */
  readonly acked_until: number | null;
  readonly ack_note: string | null;
  /** Openings within the last hours, Unix ms, the newest last, at most 21. */
  readonly flaps: readonly number[];
  readonly next_at: number | null;
  readonly updated_at: number;
}

/** Alert as far as rights, counts and what hides it need it. */
export type ListedAlert = Placed &
  Pick<Alert, 'id' | 'state' | 'since' | 'opened_at' | 'acked_by' | 'acked_until'>;
/** Place of an alert, with the tags of a subject that is no agent. */
export type Placed = AlertKey & Pick<Alert, 'detail'>;

/** Facts of an alert as people read them. */
export interface AlertDetail {
  /** Name of the subject when it opened, its tags, and the measured values by variable. */
  readonly name?: string;
  readonly tags?: readonly string[];
  readonly values?: Readonly<Record<string, number | string | boolean>>;
  /** Text of what the value was compared with: `> 90`. */
  readonly threshold?: string;
  /** `meaning` of the rule by which it was judged last. */
  readonly meaning?: number;
  readonly note?: string;
  /** Severity of a monitor that is less than critical: that of its alert is no higher. */
  readonly severity?: Severity;
  readonly monitor?: MonitorFacts;
  /** Name of the monitor at that time; it is kept for when the monitor has gone. Absent: it is about something else. */
  readonly subject?: string;
}

export const EVENT_KINDS = [
  'opened',
  'closed',
  'expired',
  'acked',
  'unacked',
  'suppressed',
  'reminded',
  'flapping',
  'note',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** `due` of an event that nobody has looked at yet: the clocks of the server that writes and of the one that tells may differ. */
export const FRESH = 0;

/** Row of `alert_event`. */
export interface AlertEvent extends AlertKey {
  readonly id: number;
  readonly alert_id: number;
  readonly episode: number;
  readonly at: number;
  readonly kind: EventKind;
  readonly by: string | null;
  readonly detail: { readonly [name: string]: unknown; readonly subject?: string };
  /** Channels that heard of the opening; ends have it. */
  readonly told: readonly number[] | null;
  /** Unix ms at which it is decided whether and how it is told; null: it is decided. */
  readonly due: number | null;
  readonly batch: string | null;
}

/** A change of one alert, as judged on one server. */
export interface Transition extends AlertKey {
  /** Row that it was judged from; undefined: there was none. */
  readonly from: Alert | undefined;
  readonly to: State;
  /** The end is no recovery: the machine is gone, the rule changed, or a day went by without a value. */
  readonly expired?: boolean;
  /** The opening is shown and never told: the machine has been away since before the rule existed. */
  readonly quiet?: boolean;
  readonly since: number;
  /** Unix ms of the change. */
  readonly at: number;
  /** Unix ms of the end, where it was earlier than it was noticed. */
  readonly ended_at?: number;
  readonly true_ms: number;
  readonly false_ms: number;
  readonly value: number | null;
  readonly detail: AlertDetail;
  /** Name of the person who did it; absent: the server. */
  readonly by?: string;
}

/** The one way in which alerts change (plugins/alert/src/store/transitions.ts). */
export interface Transitions {
  /**
   * Stores changes by compare and set on `version`; with an opening or an end go its row of history and its `due`, in one transaction.
   * Returns the rows as they are now, in the order of the changes: where another server was first (or `from` was stale), the
   * current row, and the change is not made. At most 200 a statement. @throws RpcError 103, with nothing changed
   */
  apply(
    changes: readonly Transition[],
  ): Promise<readonly { readonly alert: Alert; readonly made: boolean }[]>;
  /** Stores how far holds have come, without a change of state; rows that were changed meanwhile stay as they are. */
  progress(
    alerts: readonly Pick<Alert, 'id' | 'version' | 'since' | 'true_ms' | 'false_ms' | 'value'>[],
  ): Promise<void>;
  /** Rows of these subjects that are not closed, and those closed within seven days. */
  load(kind: SubjectKind, subjects: readonly string[]): Promise<readonly Alert[]>;
}

/** Row of `alert_silence`. */
export interface Silence {
  readonly id: number;
  readonly scope: Matcher;
  readonly reason: string;
  readonly created_by: string | null;
  readonly created_at: number;
  readonly starts_at: number;
  readonly ends_at: number;
  readonly ended_by: string | null;
  readonly owner: string | null;
}

/** Row of `alert_window`. */
export interface MaintenanceWindow {
  readonly id: number;
  readonly name: string;
  readonly scope: Matcher;
  /** IANA zone of `cron`. */
  readonly zone: string;
  readonly once_from: number | null;
  readonly once_to: number | null;
  /** Five fields; with `duration_s` instead of `once_*`. */
  readonly cron: string | null;
  readonly duration_s: number | null;
  /** `pause` stops checks of monitors, too. */
  readonly effect: 'quiet' | 'pause';
  /** Slugs of status pages that show it. */
  readonly public: readonly string[];
  readonly enable: boolean;
  readonly owner: string | null;
  readonly version: number;
}

export interface PolicyStep {
  readonly after_s: number;
  /** Names of channels. */
  readonly channels: readonly string[];
}

/** Row of `alert_policy`. */
export interface Policy {
  readonly id: number;
  readonly name: string;
  readonly steps: readonly PolicyStep[];
  readonly group_by: 'rule' | 'subject' | 'group' | 'severity' | 'all';
  readonly wait_s: number;
  readonly interval_s: number;
  /** Seconds until an open alert that nobody acknowledged is told again, by severity; absent: never. */
  readonly repeat_s: Readonly<Partial<Record<Severity, number>>>;
  /** Hours in which only critical alerts are told; the others wait for their end. */
  readonly quiet: { readonly from: string; readonly to: string; readonly zone: string } | null;
  readonly send_close: boolean;
  readonly owner: string | null;
  readonly version: number;
}

/** A rule that runs, with its checked conditions. */
export interface LoadedRule {
  readonly rule: Rule;
  readonly condition: Condition;
  readonly clear: Condition | undefined;
}

/** The rules, in memory and equal on all servers a moment after a change. */
export interface Rules {
  /** Every rule, those that do not run included. */
  list(): readonly Rule[];
  byId(id: number): Rule | undefined;
  /** Rules of source `machine` that need nothing but reports, for this agent (`Agent.id`); one array until something changes. */
  ofMachine(agent: number): readonly LoadedRule[];
  /** Rules of source `part` for this agent, likewise. */
  ofParts(agent: number): readonly LoadedRule[];
  /** Tells whether any rule of source `part` runs: without one full reports are not looked at. */
  readonly anyParts: boolean;
  /** Tells whether the alerts of this rule are judged by reports as they arrive. All others are judged by the server whose turn it is. */
  usesReports(id: number): boolean;
  /** Rules of these sources that run, for the server whose turn it is. Source `machine` has only those with stored values here (`traffic`, `predict`, `expires_in_days`, long windows). */
  slow(source: Source): readonly LoadedRule[];
  /** Tells whether the rule applies to this agent: its scope names it and its owner may read it. */
  applies(rule: Rule, agent: number): boolean;
  /** Calls after rules, tags or rights changed. @returns removes the listener */
  onChange(listener: () => void): () => void;
}

/** Metadata of machines (kv), from memory. */
export interface Machines {
  nameOf(uuid: string): string;
  tagsOf(uuid: string): readonly string[];
  regionOf(uuid: string): string | null;
  /** UUID of the machine through which this one is reached (`metadata_parent`). */
  parentOf(uuid: string): string | undefined;
  /** Unix ms at which the contract of the machine ends (`metadata_expire_time`). */
  expiresAt(uuid: string): number | undefined;
  /** Machines (UUIDs) that are reached at an address or a name, lower case: by `metadata_address`, and from where they report. */
  atHost(host: string): ReadonlySet<string>;
  /** Unix ms since which the agent does not report; undefined: it is here. From `agent_presence`, at most some seconds old. */
  awaySince(uuid: string): number | undefined;
}
