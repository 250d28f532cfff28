import { type Message, type MessageAlert, SEVERITIES, type Severity } from '../api.ts';

const MOST_ALERTS = 10;
const MOST_CHARS = 16_000;

/** One message in the place of several: each alert once, as it is now; open ones first. @param messages in their order */
export function digestOf(messages: readonly Message[], now: number): Message {
  const alerts = new Map<string, MessageAlert>();
  let severity: Severity = 'info';
  const unlisted = { open: 0, closed: 0 };
  for (const message of messages) {
    for (const alert of message.alerts) {
      alerts.delete(alert.id);
      alerts.set(alert.id, alert);
    }
    severity = worse(severity, message.severity);
    if (message.type === 'alert.closed') unlisted.closed += message.more;
    else unlisted.open += message.more;
  }
  const all = [...alerts.values()].sort(order);
  const closed = all.filter(({ state }) => state === 'closed').length;
  const open = all.length - closed;
  const listed = all.slice(0, MOST_ALERTS);
  const make = (): Message => ({
    type: 'digest',
    sent_at: now,
    group: { key: 'digest', open: open + unlisted.open, closed: closed + unlisted.closed },
    alerts: listed,
    more: all.length - listed.length + unlisted.open + unlisted.closed,
    severity,
  });
  while (listed.length > 1 && JSON.stringify(make()).length > MOST_CHARS) listed.pop();
  return make();
}

const order = (a: MessageAlert, b: MessageAlert): number =>
  Number(a.state === 'closed') - Number(b.state === 'closed') ||
  SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity);

const worse = (a: Severity, b: Severity): Severity =>
  SEVERITIES.indexOf(b) > SEVERITIES.indexOf(a) ? b : a;
