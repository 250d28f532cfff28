import type { Example } from '@svc/plugin-sdk';

const channel = {
  name: 'phone',
  kind: 'ntfy',
  config: { server: 'https://ntfy.example.net', topic: 'ops' },
  secret: { token: { set: true } },
  language: 'en' as const,
  zone: 'Europe/Berlin',
  enable: false,
  created_at: 1781000000000,
  updated_at: 1781000000000,
  failing_since: null,
  last_ok_at: null,
  last_status: null,
  last_error: null,
  sent: 0,
  failed: 0,
  dropped: 0,
  waiting: 0,
  problem: null,
};
const message = {
  id: 1,
  channel: 'phone',
  message_id: '5d7e2f0c-2f0b-4a39-9a4e-8d1f1c1c2b77',
  type: 'text',
  title: 'Backup is done',
  severity: 'info' as const,
  state: 'waiting' as const,
  tries: 0,
  due: 1781000000000,
  created_at: 1781000000000,
  sent_at: null,
  status: null,
  last_error: null,
};

/** Calls for the documentation, in an order in which they work (test/discovery/examples.test.ts). Nothing of them leaves the machine. */
export const examples: readonly Example[] = [
  {
    method: 'channel_kinds',
    params: {},
    result: [
      {
        kind: 'smtp',
        title: 'E-mail',
        summary: 'Mail over an SMTP server.',
        fields: [
          {
            name: 'host',
            title: 'Mail server',
            type: 'text',
            required: true,
            secret: false,
            example: 'smtp.example.com',
          },
        ],
        priorities: { critical: 'high', warning: 'normal', info: 'low' },
        example_url: 'mailtos://user:password@example.com?to=me@example.com',
      },
    ],
  },
  {
    method: 'channel_read_url',
    params: { url: 'ntfys://me:PASSWORD@ntfy.example.net/ops' },
    result: {
      kind: 'ntfy',
      config: { server: 'https://ntfy.example.net', topic: 'ops', user: 'me' },
      secret: { password: 'PASSWORD' },
    },
  },
  {
    method: 'channel_create',
    params: {
      channel: {
        name: 'phone',
        kind: 'ntfy',
        config: channel.config,
        secret: { token: 'tk_example' },
        zone: 'Europe/Berlin',
        enable: false,
      },
    },
    result: channel,
  },
  { method: 'channel_get', params: { name: 'phone' }, result: channel },
  {
    method: 'channel_get',
    params: { name: 'desk' },
    error: { code: 105, message: "Not found in database: there is no channel 'desk'" },
  },
  { method: 'channel_list', params: {}, result: [channel] },
  {
    method: 'channel_update',
    params: {
      name: 'phone',
      change: { config: { server: 'https://push.example.org', topic: 'ops' } },
    },
    result: {
      ...channel,
      config: { server: 'https://push.example.org', topic: 'ops' },
      secret: {},
      emptied: ['token'],
    },
  },
  {
    method: 'channel_send',
    params: {
      name: 'phone',
      title: 'Backup is done',
      text: '12 GB in 4 min',
      key: 'backup-1781000000',
    },
    result: { message_id: message.message_id },
  },
  { method: 'channel_outbox', params: { name: 'phone', state: 'waiting' }, result: [message] },
  { method: 'channel_retry', params: { name: 'phone' }, result: { waiting: 1 } },
  {
    method: 'channel_test',
    params: { channel: { name: 'desk', kind: 'webhook', config: { url: 'http://127.0.0.1:1/' } } },
    result: {
      ok: false,
      host: '127.0.0.1:1',
      status: null,
      ms: 1,
      message: 'Invalid port in URL',
    },
  },
  { method: 'channel_delete', params: { name: 'phone' }, result: { success: true, dropped: 1 } },
];
