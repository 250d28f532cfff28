import { reading } from './answers.ts';
import { colourOf, hexOf, json, optional, present, secret, textOf } from './build.ts';
import { ESCAPES } from './markup.ts';
import type { Field, Kind, Markup, Rendered, Values } from './types.ts';

/** Body that Slack made, and Mattermost and Rocket.Chat took over. */
function attached(message: Rendered, markup: Markup): Record<string, unknown> {
  const escaped = ESCAPES[markup];
  const color = hexOf(colourOf(message));
  const [page, ...others] = message.links.map(({ label, url }) => ({
    color,
    title: escaped(label),
    title_link: url,
  }));
  const text = escaped(message.text);
  const first = { color, fallback: escaped(message.title), ...page, text, mrkdwn_in: [] };
  const isEmpty = text === '' && page === undefined;
  return { text: escaped(message.title), attachments: isEmpty ? [] : [first, ...others] };
}

const hook = (example: string, help: string): Field =>
  secret('url', 'Webhook URL', { type: 'url', example, help });

const SLACK = 'https://hooks.slack.com/services/T000/B000/XXXX';
export const slack: Kind = {
  kind: 'slack',
  title: 'Slack',
  summary: 'Messages in a Slack channel, over an incoming webhook.',
  example_url: SLACK,
  fields: [hook(SLACK, 'Slack: Apps → Incoming Webhooks → Add to a channel → Webhook URL.')],
  request: (values, message) =>
    json(textOf(values, 'url'), {
      ...attached(message, 'mrkdwn'),
      mrkdwn: false,
      parse: 'none',
      link_names: false,
      unfurl_links: false,
    }),
  answer: reading({
    title: 'Slack',
    hints: [
      ['no_service', 'the webhook was removed: make a new one and write its URL'],
      ['no_team', 'the workspace is gone: check the URL'],
      ['invalid_token', 'copy the URL of the webhook again'],
      ['channel_is_archived', 'the channel is archived: choose another'],
      ['channel_not_found', 'the channel is gone: make a webhook for another'],
    ],
    // Good answers are the text `ok`; workflows answer with `{"ok":true}`.
    fault: (body, text) =>
      text.trim() === 'ok' || body['ok'] === true ? undefined : text || 'an empty answer',
  }),
  limits: { per_second: 1, burst: 3 },
  size: { title: 500, text: 3_000 },
  markup: 'mrkdwn',
  idempotent: 'none',
};

const sender = (values: Values) => ({
  username: textOf(values, 'username'),
  channel: textOf(values, 'channel'),
});

const MATTERMOST = 'https://mattermost.example.com/hooks/KEY';
export const mattermost: Kind = {
  kind: 'mattermost',
  title: 'Mattermost',
  summary: 'Messages in a Mattermost channel, over an incoming webhook.',
  example_url: 'mmosts://mattermost.example.com/KEY',
  fields: [
    hook(MATTERMOST, 'Mattermost: Integrations → Incoming Webhooks → Add.'),
    optional('channel', 'Channel', { help: 'Another channel than that of the webhook.' }),
    optional('username', 'Name of the sender'),
  ],
  request: (values, message) =>
    json(textOf(values, 'url'), present({ ...attached(message, 'markdown'), ...sender(values) })),
  answer: reading({
    title: 'Mattermost',
    said: (body) => body['message'],
    hints: [
      ['invalid webhook', 'the webhook is gone: make a new one and write its URL'],
      ["couldn't find the channel", 'check the channel: its name in the address, in small letters'],
    ],
  }),
  limits: { per_second: 5, burst: 10 },
  size: { title: 500, text: 8_000 },
  markup: 'markdown',
  idempotent: 'none',
};

const ROCKETCHAT = 'https://chat.example.com/hooks/ID/TOKEN';
export const rocketchat: Kind = {
  kind: 'rocketchat',
  title: 'Rocket.Chat',
  summary: 'Messages in a Rocket.Chat room, over an incoming webhook.',
  example_url: 'rockets://ID/TOKEN@chat.example.com/#room',
  fields: [
    hook(ROCKETCHAT, 'Rocket.Chat: Administration → Integrations → New → Incoming.'),
    optional('channel', 'Room', {
      example: '#ops',
      help: 'Another room than that of the webhook.',
    }),
    optional('username', 'Name of the sender'),
  ],
  request(values, message) {
    const { channel, username } = sender(values);
    const body = { ...attached(message, 'markdown'), channel, alias: username };
    return json(textOf(values, 'url'), present(body));
  },
  answer: reading({
    title: 'Rocket.Chat',
    said: (body) => body['error'],
    hints: [
      ['invalid integration', 'the webhook is gone or off: check it under Integrations'],
      ['invalid-channel', 'check the room: #room or @user'],
    ],
    fault: (body) => (body['success'] === true ? undefined : String(body['error'] ?? 'no success')),
  }),
  limits: { per_second: 1, burst: 3 },
  size: { title: 500, text: 1_000 },
  markup: 'markdown',
  idempotent: 'none',
};
