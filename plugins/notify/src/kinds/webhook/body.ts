import type { Context, Rendered, RenderedAlert } from '../types.ts';

/** Version of the form. */
const VERSION = 1;

const alertOf = ({ alert, line }: RenderedAlert) => ({
  id: alert.id,
  rule: alert.rule,
  severity: alert.severity,
  state: alert.state,
  subject: alert.subject,
  part: alert.part,
  since: alert.since,
  closed_at: alert.closed_at,
  value: alert.value,
  threshold_text: alert.threshold,
  summary: alert.summary || line,
  runbook: alert.runbook,
  note: alert.note,
  below: alert.below,
  url: alert.url,
  ack_url: alert.ack_url,
  labels: alert.labels,
});

/** Message as programs get it: webhooks, and workers as their argument. */
export const bodyOf = ({ message, title, text, alerts }: Rendered, { message_id }: Context) => ({
  version: VERSION,
  id: message_id,
  type: message.type,
  sent_at: message.sent_at,
  severity: message.severity,
  title,
  text,
  group: message.group,
  alerts: alerts.map(alertOf),
  more: message.more,
});
