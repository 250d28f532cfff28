import { present, shortId } from '../build.ts';
import type { Context, Rendered, RenderedAlert } from '../types.ts';

/** End of an alert that has none yet. */
const NEVER = '0001-01-01T00:00:00Z';
const time = (ms: number) => new Date(ms).toISOString();

type Labels = Readonly<Record<string, string>>;

/** Members that all have, with the same value. */
function common(all: readonly Labels[]): Labels {
  const [first = {}, ...others] = all;
  const isCommon = ([name, value]: [string, string]) => others.every((one) => one[name] === value);
  return Object.fromEntries(Object.entries(first).filter(isCommon));
}

function alertOf({ alert, line }: RenderedAlert) {
  const { subject } = alert;
  return {
    status: alert.state === 'closed' ? 'resolved' : 'firing',
    labels: present({
      ...alert.labels,
      alertname: alert.rule,
      severity: alert.severity,
      instance: subject.name || subject.id,
      subject: `${subject.kind}/${subject.id}`,
      part: alert.part,
    }),
    annotations: present({
      summary: alert.summary || line,
      value: alert.value,
      runbook_url: alert.runbook,
    }),
    startsAt: time(alert.since),
    endsAt: alert.closed_at === null ? NEVER : time(alert.closed_at),
    generatorURL: alert.url,
    fingerprint: shortId(alert.id).slice(0, 16),
  };
}

/** A message without alerts, as one. */
const plainAlert = ({ message, title, text, severity }: Rendered, { message_id }: Context) => ({
  status: 'firing',
  labels: { alertname: title, severity },
  annotations: present({ summary: title, description: text }),
  startsAt: time(message.sent_at),
  endsAt: NEVER,
  generatorURL: '',
  fingerprint: shortId(message_id).slice(0, 16),
});

/** Form that receivers of Alertmanager's webhooks read, version 4. */
export function alertmanagerOf(rendered: Rendered, context: Context) {
  const { message } = rendered;
  const alerts =
    rendered.alerts.length === 0 ? [plainAlert(rendered, context)] : rendered.alerts.map(alertOf);
  return {
    version: '4',
    groupKey: message.group.key,
    truncatedAlerts: message.more,
    status: alerts.every(({ status }) => status === 'resolved') ? 'resolved' : 'firing',
    receiver: context.brand,
    groupLabels: {},
    commonLabels: common(alerts.map(({ labels }) => labels as Labels)),
    commonAnnotations: common(alerts.map(({ annotations }) => annotations)),
    externalURL: '',
    alerts,
  };
}
