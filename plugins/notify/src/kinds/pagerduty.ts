import { countsOf } from '../words/group.ts';
import { reading } from './answers.ts';
import { json, optional, present, secret, textOf } from './build.ts';
import type { Context, Kind, Rendered } from './types.ts';

const SERVERS: { readonly [region: string]: string } = {
  us: 'https://events.pagerduty.com',
  eu: 'https://events.eu.pagerduty.com',
};
const PRIORITIES = { critical: 'critical', warning: 'warning', info: 'info' } as const;
const MOST_KEY = 255;

/** An incident is a group of alerts: it ends with the last of them, and is taken when all are. */
function actionOf({ message, state, alerts }: Rendered): 'trigger' | 'acknowledge' | 'resolve' {
  if (alerts.length === 0) return 'trigger';
  if (message.group.open === 0 && state === 'over') return 'resolve';
  const areAcked = alerts.every(({ alert }) => alert.state === 'acked');
  const all = message.more === 0 && message.group.open <= countsOf(message).open;
  return state === 'acked' && areAcked && all ? 'acknowledge' : 'trigger';
}

function payload({ message, title, text, severity, alerts }: Rendered, brand: string): object {
  const first = alerts[0]?.alert;
  return present({
    summary: title,
    source: first?.subject.name || first?.subject.id || brand,
    severity: PRIORITIES[severity],
    component: first?.part,
    group: message.group.key,
    class: first?.rule,
    timestamp: new Date(first?.since ?? message.sent_at).toISOString(),
    custom_details: present({
      text,
      alerts: alerts.length > 1 ? alerts.map(({ line }) => line) : undefined,
      ...first?.labels,
    }),
  });
}

/** Messages without alerts are incidents of their own. */
const keyOf = ({ message, alerts }: Rendered, { message_id }: Context): string =>
  (alerts.length === 0 ? message_id : message.group.key).slice(0, MOST_KEY);

export const pagerduty: Kind = {
  kind: 'pagerduty',
  title: 'PagerDuty',
  summary: 'Incidents in PagerDuty: opened, acknowledged and resolved with the alerts.',
  example_url: 'pagerduty://INTEGRATION_KEY',
  fields: [
    secret('routing_key', 'Integration key', {
      help: 'PagerDuty: Service → Integrations → Events API V2 → Integration Key.',
    }),
    optional('region', 'Region', {
      type: 'choice',
      choices: ['us', 'eu'],
      default: 'us',
      host: true,
    }),
  ],
  check: (values) =>
    /^\w{32}$/.test(textOf(values, 'routing_key'))
      ? undefined
      : "'routing_key' is the integration key of an Events API V2 integration: 32 letters and digits",
  request(values, message, context) {
    const event_action = actionOf(message);
    const key = { routing_key: textOf(values, 'routing_key'), event_action };
    const dedup_key = keyOf(message, context);
    const server = SERVERS[textOf(values, 'region')] ?? SERVERS['us'];
    const links = message.links.map(({ label, url }) => ({ href: url, text: label }));
    const trigger = {
      client: context.brand,
      client_url: message.url,
      links: links.length === 0 ? undefined : links,
      payload: payload(message, context.brand),
    };
    const body = { ...key, dedup_key, ...(event_action === 'trigger' ? trigger : {}) };
    return json(`${server}/v2/enqueue`, present(body));
  },
  answer: reading({
    title: 'PagerDuty',
    said: (body) =>
      [body['message'], ...(Array.isArray(body['errors']) ? body['errors'] : [])].join(': '),
    hints: [['routing_key', 'write the integration key of an Events API V2 integration']],
    id: (body) => body['dedup_key'],
  }),
  limits: { per_minute: 100, burst: 10 },
  size: { title: 1_024, text: 8_000 },
  markup: 'plain',
  priorities: PRIORITIES,
  idempotent: 'field',
  resolves: true,
};
