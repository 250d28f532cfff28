import type { Message, MessageAlert, MessageType, Severity } from '@svc/plugin-notify/api';
import { summaryMembers } from '../alerts/summary.ts';
import type { MonitorFacts } from '../monitor-facts.ts';
import { DEFAULTS } from '../rules/defaults.ts';
import { rankOf } from '../silences/matcher.ts';
import { type Alert, CLOSED, type Rule } from '../types.ts';

/** Alerts that a message lists. */
export const LISTED = 10;
/** Bytes of a message as JSON. */
const MOST_BYTES = 15_000;

/** An alert that is told, with what only its kind of message knows. */
export interface Line {
  readonly alert: Alert;
  readonly rule: Pick<
    Rule,
    'name' | 'source' | 'severity' | 'summary' | 'runbook' | 'labels' | 'shipped'
  >;
  readonly episode: number;
  readonly since: number;
  readonly closed_at: number | null;
  readonly name: string;
  readonly tags: readonly string[];
  readonly value: string;
  readonly below: number;
  readonly note: string;
  readonly closed_by?: string | undefined;
  readonly flaps?: MessageAlert['flaps'];
  readonly url: string;
  readonly ack_url: string;
}

export interface Group {
  readonly type: MessageType;
  readonly key: string;
  /** Alerts in the order of the message; those after the tenth are counted. */
  readonly lines: readonly Line[];
  readonly now: number;
  /** Open alerts of the group that the channel knows, those of the message included. */
  readonly open: number;
  /** Sentence over all of them; undefined: the channel's own words. */
  readonly title?: string | undefined;
}

/** The most severe first, then the oldest. */
export const inOrder = <L extends Pick<Line, 'rule' | 'since'>>(lines: readonly L[]): L[] =>
  lines.toSorted((a, b) => rankOf(b.rule.severity) - rankOf(a.rule.severity) || a.since - b.since);

/** Message about a group, cut so that it fits. */
export function messageOf({ type, key, lines, open, now, title }: Group): Message {
  const alerts = lines.slice(0, LISTED).map((line) => messageAlert(line, now));
  const isEnd = type === 'alert.closed';
  const message: Message = {
    type,
    sent_at: now,
    group: { key, open, closed: isEnd ? lines.length : 0 },
    alerts,
    more: lines.length - alerts.length,
    severity: worst(lines.map(({ rule }) => rule.severity)),
    ...(title !== undefined && { title }),
  };
  return fits(message);
}

const worst = (all: readonly Severity[]): Severity =>
  all.reduce((a, b) => (rankOf(b) > rankOf(a) ? b : a), 'info');

/** First labels go, then texts become short, then alerts are counted instead of listed. */
function fits(message: Message): Message {
  const isFine = (one: Message) => Buffer.byteLength(JSON.stringify(one)) <= MOST_BYTES;
  if (isFine(message)) return message;
  const bare = message.alerts.map((alert) => ({ ...alert, labels: {} }));
  const short = bare.map(({ summary_form: _form, ...alert }) => ({
    ...alert,
    subject: { ...alert.subject, tags: [], name: alert.subject.name.slice(0, 80) },
    part: alert.part.slice(0, 80),
    summary: alert.summary.slice(0, 120),
    runbook: alert.runbook.length > 200 ? '' : alert.runbook,
    note: alert.note.slice(0, 120),
  }));
  for (const alerts of [bare, short]) {
    if (isFine({ ...message, alerts })) return { ...message, alerts };
  }
  for (let count = short.length - 1; count > 0; count--) {
    const cut = {
      ...message,
      alerts: short.slice(0, count),
      more: message.more + short.length - count,
    };
    if (isFine(cut)) return cut;
  }
  return { ...message, alerts: [], more: message.more + short.length };
}

function messageAlert(line: Line, now: number): MessageAlert {
  const { alert, rule, episode, since, closed_at, name, tags, value, note, closed_by, flaps } =
    line;
  const { subject_kind: kind, part, detail } = alert;
  const id = kind === 'monitor' ? name : alert.subject_id;
  const threshold = detail.threshold ?? '';
  const subject = { kind, id, name, tags: tags.slice(0, 20) };
  const duration = (closed_at ?? now) - since;
  const texts = { subject, part, value, threshold, since, duration, monitor: detail.monitor };
  return {
    id: `${alert.id}-${episode}`,
    rule: rule.name,
    source: rule.source,
    severity: rule.severity,
    state: closed_at === null ? (alert.acked_at === null ? 'open' : 'acked') : 'closed',
    subject,
    part,
    since,
    closed_at,
    value,
    threshold,
    ...summaryMembers(rule, texts),
    ...(detail.monitor && { monitor: monitorOf(detail.monitor) }),
    ...(hasFirstName(rule) && { shipped: rule.shipped }),
    runbook: rule.runbook,
    url: line.url,
    ack_url: closed_at === null && alert.state !== CLOSED ? line.ack_url : '',
    labels: rule.labels,
    below: line.below,
    note,
    ...(closed_by !== undefined && { closed_by }),
    ...(flaps && { flaps }),
  };
}

const monitorOf = ({ kind, one_place, not_after }: MonitorFacts) => ({
  ...{ kind, one_place, not_after },
});

/** Tells whether a default rule has the name that it came with. */
const hasFirstName = (rule: Line['rule']): rule is Line['rule'] & { readonly shipped: string } =>
  rule.shipped !== null && DEFAULTS.get(rule.shipped)?.name === rule.name;
