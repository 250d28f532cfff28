import type { Context, Rendered } from '../kinds/types.ts';
import type { TemplateValues } from './index.ts';

/** Names that templates of a message know. */
export const NAMES = [
  'id',
  'type',
  'title',
  'text',
  'severity',
  'state',
  'sent_at',
  'group.key',
  'group.open',
  'group.closed',
  'alert.id',
  'rule',
  'part',
  'subject.kind',
  'subject.id',
  'subject.name',
  'subject.tags',
  'value',
  'threshold',
  'since',
  'closed_at',
  'duration',
  'summary',
  'runbook',
  'note',
  'below',
  'url',
  'ack_url',
] as const;

type Named = { readonly [name in (typeof NAMES)[number]]: string | number | null };

/** Values of the first alert, and of the whole message. */
export function namedValues(rendered: Rendered, { message_id, now }: Context): TemplateValues {
  const { message, alerts, title, text, severity, state } = rendered;
  const { alert, line = title } = alerts[0] ?? {};
  const values: Named = {
    id: message_id,
    type: message.type,
    title,
    text,
    severity,
    state,
    sent_at: message.sent_at,
    'group.key': message.group.key,
    'group.open': message.group.open,
    'group.closed': message.group.closed,
    'alert.id': alert?.id ?? '',
    rule: alert?.rule ?? '',
    part: alert?.part ?? '',
    'subject.kind': alert?.subject.kind ?? '',
    'subject.id': alert?.subject.id ?? '',
    'subject.name': alert?.subject.name ?? '',
    'subject.tags': alert?.subject.tags.join(', ') ?? '',
    value: alert?.value ?? '',
    threshold: alert?.threshold ?? '',
    since: alert?.since ?? null,
    closed_at: alert?.closed_at ?? null,
    duration: alert === undefined ? null : (alert.closed_at ?? now) - alert.since,
    summary: alert?.summary || line,
    runbook: alert?.runbook ?? '',
    note: alert?.note ?? '',
    below: alert?.below ?? 0,
    url: rendered.url,
    ack_url: rendered.ack_url,
  };
  return values;
}
