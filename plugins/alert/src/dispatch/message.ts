import type { Message, MessageAlert, MessageType, Severity } from '@svc/plugin-notify/api';
import { filled } from '../alerts/words.ts';
import { rankOf } from '../silences/matcher.ts';
import { type Alert, CLOSED, type Rule } from '../types.ts';

/** Alerts that a message lists. */
export const LISTED = 10;
/** Bytes of a message as JSON. */
const MOST_BYTES = 15_000;

/** An alert that is told, with what only its kind of message knows. */
export interface Line {
  readonly alert: Alert;
  readonly rule: Pick<Rule, 'name' | 'severity' | 'summary' | 'runbook' | 'labels'>;
  readonly episode: number;
  readonly since: number;
  readonly closed_at: number | null;
  readonly name: string;
  readonly tags: readonly string[];
  readonly value: string;
  readonly below: number;
  readonly note: string;
  readonly url: string;
  readonly ack_url: string;
}

export interface Group {
  readonly type: MessageType;
  readonly key: string;
  /** In the order of the message; further ones than ten are counted. */
  readonly lines: readonly Line[];
  readonly now: number;
  /** Sentence over all of them; undefined: the channel's own words. */
  readonly title?: string | undefined;
}

/** The most severe first, then the oldest. */
export const inOrder = <L extends Pick<Line, 'rule' | 'since'>>(lines: readonly L[]): L[] =>
  lines.toSorted((a, b) => rankOf(b.rule.severity) - rankOf(a.rule.severity) || a.since - b.since);

/** Message about a group, cut so that it fits. */
export function messageOf({ type, key, lines, now, title }: Group): Message {
  const alerts = lines.slice(0, LISTED).map(messageAlert);
  const isEnd = type === 'alert.closed';
  const counts = isEnd ? { open: 0, closed: lines.length } : { open: lines.length, closed: 0 };
  const message: Message = {
    type,
    sent_at: now,
    group: { key, ...counts },
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
  const short = bare.map((alert) => ({
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

function messageAlert(line: Line): MessageAlert {
  const { alert, rule, episode, since, closed_at, name, tags, value, note } = line;
  const threshold = alert.detail.threshold ?? '';
  return {
    id: `${alert.id}-${episode}`,
    rule: rule.name,
    severity: rule.severity,
    state: closed_at === null ? (alert.acked_at === null ? 'open' : 'acked') : 'closed',
    subject: { kind: alert.subject_kind, id: alert.subject_id, name, tags: tags.slice(0, 20) },
    part: alert.part,
    since,
    closed_at,
    value,
    threshold,
    summary: summaryOf(line, threshold),
    runbook: rule.runbook,
    url: line.url,
    ack_url: closed_at === null && alert.state !== CLOSED ? line.ack_url : '',
    labels: rule.labels,
    below: line.below,
    note,
  };
}

const MOST_SUMMARY = 500;

const summaryOf = ({ alert: { part }, rule, name, value }: Line, threshold: string): string => {
  const words = { subject: name, part, rule: rule.name, value, threshold };
  return filled(rule.summary, words).slice(0, MOST_SUMMARY);
};
