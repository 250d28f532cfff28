// Messages that the tests of channels send, and a channel of each kind.
import { createECDH } from 'node:crypto';
import type { Message, MessageAlert } from '../../plugins/notify/src/api.ts';
import type { Context, Values } from '../../plugins/notify/src/kinds/index.ts';

/** A Tuesday in winter: 12:05 UTC. */
export const NOW = Date.UTC(2026, 0, 13, 12, 5);
const MINUTE = 60_000;

export const context: Context = {
  now: NOW,
  message_id: 'msg-0001',
  language: 'en',
  zone: 'Europe/Berlin',
  brand: 'svc',
};

export const FOREIGN = '<b>@everyone</b>\r\nBcc: x';

export function alertOf(change: Partial<MessageAlert> = {}, name = 'web-1'): MessageAlert {
  return {
    id: '12-3',
    rule: 'Disk almost full',
    severity: 'warning',
    state: 'open',
    subject: { kind: 'agent', id: `uuid-of-${name}`, name, tags: ['prod'] },
    part: '/',
    since: NOW - 2 * MINUTE,
    closed_at: null,
    value: '96 %',
    threshold: '> 90 %',
    summary: '',
    runbook: '',
    url: 'https://svc.example.com/#/alerts/12',
    ack_url: 'https://svc.example.com/svc/alert/ack/KEY',
    labels: {},
    below: 0,
    note: '',
    ...change,
  };
}

export function messageOf(alerts: readonly MessageAlert[], change: Partial<Message> = {}): Message {
  const closed = alerts.filter(({ state }) => state === 'closed').length;
  return {
    type: closed === alerts.length ? 'alert.closed' : 'alert.opened',
    sent_at: NOW,
    group: { key: 'rule-4', open: alerts.length - closed, closed },
    alerts,
    more: 0,
    severity: alerts[0]?.severity ?? 'info',
    ...change,
  };
}

export const offline = (name: string, change: Partial<MessageAlert> = {}): MessageAlert =>
  alertOf(
    {
      source: 'presence',
      rule: 'Machine offline',
      severity: 'critical',
      part: '',
      since: NOW - 5 * MINUTE,
      value: '5 min',
      threshold: '> 2 min',
      ...change,
    },
    name,
  );

export const opened = messageOf([alertOf()]);
export const closed = messageOf([
  alertOf({ state: 'closed', since: NOW - 12 * MINUTE, closed_at: NOW, value: '70 %' }),
]);
const ten = Array.from({ length: 10 }, (_, index) => offline(`web-${index + 1}`));
export const group = messageOf(ten, {
  more: 21,
  group: { key: 'rule-1', open: 31, closed: 0 },
});
export const foreign = messageOf([alertOf({ part: '' }, FOREIGN)]);

export const MESSAGES = { opened, closed, group, foreign } as const;

const pair = createECDH('prime256v1');
pair.setPrivateKey(Buffer.alloc(32, 7));
const SERVER_KEY = pair.getPublicKey('base64url');

/** A channel of each kind, as `config` and `secret`. */
export const CHANNELS: { readonly [kind: string]: readonly [config: Values, secret: Values] } = {
  smtp: [
    { host: 'smtp.example.com', user: 'ops', from: 'svc@example.com', to: ['me@example.com'] },
    { password: 'word' },
  ],
  webhook: [
    { url: 'https://example.com/alerts' },
    { secret: `whsec_${Buffer.from('key').toString('base64')}` },
  ],
  telegram: [{ chat_id: '-100123', thread_id: 7 }, { token: '123:abc' }],
  discord: [{}, { url: 'https://discord.com/api/webhooks/1/token' }],
  slack: [{}, { url: 'https://hooks.slack.com/services/T/B/X' }],
  mattermost: [{ channel: 'ops' }, { url: 'https://mattermost.example.com/hooks/key' }],
  rocketchat: [{ channel: '#ops' }, { url: 'https://chat.example.com/hooks/id/token' }],
  teams: [{}, { url: 'https://prod.westeurope.logic.azure.com/workflows/1?sig=x' }],
  googlechat: [{}, { url: 'https://chat.googleapis.com/v1/spaces/S/messages?key=K&token=T' }],
  matrix: [{ server: 'https://matrix.example.org/', room: '!room:example.org' }, { token: 'tok' }],
  ntfy: [{ server: 'https://ntfy.example.com', topic: 'alerts' }, { token: 'tk_1' }],
  gotify: [{ server: 'https://gotify.example.com' }, { token: 'tok' }],
  pushover: [{ emergency: true }, { user: 'user', token: 'tok' }],
  bark: [{}, { device_key: 'key' }],
  serverchan: [{}, { key: 'sctp12tKEY' }],
  pushplus: [{}, { token: 'tok' }],
  wecom: [{ mentions: ['@all'] }, { key: 'key' }],
  feishu: [{ service: 'lark' }, { hook: 'hook', secret: 'sign' }],
  dingtalk: [{ mobiles: ['13800000000'] }, { token: 'tok', secret: 'SECsign' }],
  pagerduty: [{ region: 'eu' }, { routing_key: '0123456789abcdef0123456789abcdef' }],
  webpush: [
    { p256dh: SERVER_KEY, public_key: SERVER_KEY, contact: 'mailto:admin@example.com' },
    {
      endpoint: 'https://push.example.net/p/1',
      auth: Buffer.alloc(16, 3).toString('base64url'),
      private_key: Buffer.alloc(32, 7).toString('base64url'),
    },
  ],
  worker: [{ worker: 'tell' }, {}],
};

export const valuesOf = (kind: string): Values => Object.assign({}, ...(CHANNELS[kind] ?? []));
