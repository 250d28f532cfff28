import { addressOf } from '../settings.ts';
import type { Item, Values } from '../types.ts';
import { isYes, jsonOf, lineOf, listOf, membersOf, numberOf, present, textOf } from '../values.ts';

type Filled = { readonly kind: string; readonly config: Values; readonly secret: Values };
type Maker = (values: Values) => Filled;

/** A channel of which all that counts is the address of its webhook. */
const hook =
  (kind: string, field: string, more: Readonly<Record<string, string>> = {}): Maker =>
  (values) => ({
    kind,
    config: Object.fromEntries(
      Object.entries(more).map(([name, from]) => [name, textOf(values[from])]),
    ),
    secret: { url: textOf(values[field]) },
  });

const MAKERS: Readonly<Record<string, Maker>> = {
  discord: hook('discord', 'discordWebhookUrl', { username: 'discordUsername' }),
  slack: hook('slack', 'slackwebhookURL'),
  mattermost: hook('mattermost', 'mattermostWebhookUrl', { username: 'mattermostusername' }),
  'rocket.chat': hook('rocketchat', 'rocketwebhookURL', {
    channel: 'rocketchannel',
    username: 'rocketusername',
  }),
  teams: hook('teams', 'webhookUrl'),
  GoogleChat: hook('googlechat', 'googleChatWebhookURL'),
  telegram: (values) => ({
    kind: 'telegram',
    config: {
      chat_id: textOf(values['telegramChatID']),
      thread_id: numberOf(values['telegramMessageThreadID']),
      server: textOf(values['telegramServerUrl']),
    },
    secret: { token: textOf(values['telegramBotToken']) },
  }),
  ntfy: (values) => ({
    kind: 'ntfy',
    config: {
      ...{ server: textOf(values['ntfyserverurl']), topic: textOf(values['ntfytopic']) },
      user:
        values['ntfyAuthenticationMethod'] === 'accessToken' ? '' : textOf(values['ntfyusername']),
    },
    secret: { token: textOf(values['ntfyaccesstoken']), password: textOf(values['ntfypassword']) },
  }),
  gotify: (values) => ({
    kind: 'gotify',
    config: { server: textOf(values['gotifyserverurl']) },
    secret: { token: textOf(values['gotifyapplicationToken']) },
  }),
  pushover: (values) => ({
    kind: 'pushover',
    config: {},
    secret: { user: textOf(values['pushoveruserkey']), token: textOf(values['pushoverapptoken']) },
  }),
  matrix: (values) => ({
    kind: 'matrix',
    config: { server: textOf(values['homeserverUrl']), room: textOf(values['internalRoomId']) },
    secret: { token: textOf(values['accessToken']) },
  }),
  PagerDuty: (values) => ({
    kind: 'pagerduty',
    config: {},
    secret: { routing_key: textOf(values['pagerdutyIntegrationKey']) },
  }),
  serverchan: (values) => ({
    kind: 'serverchan',
    config: {},
    secret: { key: textOf(values['serverChanSendKey']) },
  }),
  WeCom: (values) => ({
    kind: 'wecom',
    config: {},
    secret: { key: textOf(values['weComBotKey']) },
  }),
  webhook(values) {
    const { url, user, password } = addressOf(textOf(values['webhookURL']).split('#', 1).join(''));
    const at = url.indexOf('?');
    // Keys stand in queries, and the address shows to everybody who may see the channel.
    const [open, query] = at < 0 ? [url] : [url.slice(0, at), url.slice(at + 1)];
    return { kind: 'webhook', config: { url: open, user }, secret: { query, password } };
  },
  smtp: (values) => ({
    kind: 'smtp',
    config: {
      ...{ host: textOf(values['smtpHost']), port: numberOf(values['smtpPort']) },
      security: isYes(values['smtpSecure']) ? 'tls' : 'starttls',
      ...{ user: textOf(values['smtpUsername']), ...senderOf(textOf(values['smtpFrom'])) },
      to: listed(values['smtpTo']),
    },
    secret: { password: textOf(values['smtpPassword']) },
  }),
};

const listed = (value: unknown) =>
  textOf(value)
    .split(/[,;\s]+/)
    .filter((one) => one !== '');

/** Returns the address and the name of `"Name" <address>`. */
function senderOf(text: string) {
  const [, name, address] = /^"?([^"<]{0,100})"?\s{0,5}<([^<>]{1,200})>$/.exec(text) ?? [];
  return address === undefined ? { from: text } : { from: address, from_name: name?.trim() };
}

/** Returns what is made of the notifications of a table. */
export const channelsOf = (rows: readonly Values[]): Item[] => rows.map(channelOf);

function channelOf(row: Values): Item {
  const values = membersOf(jsonOf(row['config'] ?? row));
  const was = textOf(values['type']).slice(0, 40);
  const id = textOf(row['id']);
  const item = {
    id: `channel:${id}`,
    type: 'channel',
    name: lineOf(row['name']) || `channel-${id}`,
    was,
  } as const;
  const maker = Object.hasOwn(MAKERS, was) ? MAKERS[was] : undefined;
  if (!maker) return { ...item, notes: [], why: `there is no kind of channel for '${was}'` };
  const { kind, config, secret } = maker(values);
  const notes = ['which monitors it is told of is said by rules and policies'];
  if (was === 'webhook') {
    if (
      listOf(values['webhookAdditionalHeaders']).length > 0 ||
      textOf(values['webhookAdditionalHeaders']) !== ''
    )
      notes.push('without its headers: add them');
    notes.push('its body is that of this server');
  }
  return { ...item, notes, make: { kind, config: present(config), secret: present(secret) } };
}
