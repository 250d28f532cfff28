import type { Message, MessageAlert } from '../api.ts';
import { clean, cleanLine, cut } from './clean.ts';

const [NAME, TEXT, MANY] = [200, 1_000, 20];
const name = (text: string): string => cut(cleanLine(text), NAME);
const text = (value: string): string => cut(clean(value).trim(), TEXT);

/** An address that browsers open and nothing runs from; empty otherwise. */
function address(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : '';
}

function cleanAlert(alert: MessageAlert): MessageAlert {
  const { subject } = alert;
  const labels = Object.entries(alert.labels).slice(0, MANY);
  return {
    ...alert,
    rule: name(alert.rule),
    part: name(alert.part),
    value: name(alert.value),
    threshold: name(alert.threshold),
    summary: cut(cleanLine(alert.summary), TEXT),
    runbook: text(alert.runbook),
    note: text(alert.note),
    ...(alert.closed_by !== undefined && { closed_by: name(alert.closed_by) }),
    url: address(alert.url),
    ack_url: address(alert.ack_url),
    subject: {
      kind: subject.kind,
      // The id of a monitor is a name.
      id: name(subject.id),
      name: name(subject.name),
      tags: subject.tags.slice(0, MANY).map(name),
    },
    labels: Object.fromEntries(labels.map(([key, value]) => [name(key), name(value)])),
  };
}

/** The message with foreign texts that show as they are. */
export const cleanMessage = (message: Message): Message => ({
  ...message,
  alerts: message.alerts.map(cleanAlert),
  ...(message.title === undefined ? {} : { title: cleanLine(message.title) }),
  ...(message.text === undefined ? {} : { text: clean(message.text).trim() }),
});
