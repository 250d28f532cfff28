import type { Item, Values } from '../types.ts';
import { listOf, membersOf, numberOf, present, textOf } from '../values.ts';
import { type Env, filled } from './env.ts';

type Filled = { readonly kind: string; readonly config: Values; readonly secret: Values };
type Maker = (values: Values) => Filled;

const hook =
  (kind: string): Maker =>
  (values) => ({ kind, config: {}, secret: { url: textOf(values['webhook-url']) } });

const MAKERS: Readonly<Record<string, Maker>> = {
  discord: hook('discord'),
  slack: hook('slack'),
  mattermost: hook('mattermost'),
  rocketchat: hook('rocketchat'),
  'teams-workflows': hook('teams'),
  googlechat: hook('googlechat'),
  telegram: (values) => ({
    kind: 'telegram',
    config: {
      chat_id: textOf(values['id']),
      thread_id: numberOf(values['topic-id']),
      server: textOf(values['api-url']),
    },
    secret: { token: textOf(values['token']) },
  }),
  ntfy: (values) => ({
    kind: 'ntfy',
    config: { server: textOf(values['url']), topic: textOf(values['topic']) },
    secret: { token: textOf(values['token']) },
  }),
  gotify: (values) => ({
    kind: 'gotify',
    config: { server: textOf(values['server-url']) },
    secret: { token: textOf(values['token']) },
  }),
  pushover: (values) => ({
    kind: 'pushover',
    config: {},
    secret: { token: textOf(values['application-token']), user: textOf(values['user-key']) },
  }),
  matrix: (values) => ({
    kind: 'matrix',
    config: {
      server: textOf(values['server-url']) || 'https://matrix-client.matrix.org',
      room: textOf(values['internal-room-id']),
    },
    secret: { token: textOf(values['access-token']) },
  }),
  pagerduty: (values) => ({
    kind: 'pagerduty',
    config: {},
    secret: { routing_key: textOf(values['integration-key']) },
  }),
  email: (values) => ({
    kind: 'smtp',
    config: {
      ...{
        host: textOf(values['host']),
        port: numberOf(values['port']),
        from: textOf(values['from']),
      },
      ...{
        user: textOf(values['username']) || textOf(values['from']),
        to: textOf(values['to'])
          .split(/[,\s]+/)
          .filter(Boolean),
      },
      ...{ security: numberOf(values['port']) === 465 ? 'tls' : 'starttls' },
    },
    secret: { password: textOf(values['password']) },
  }),
};

/** Returns the channels that are made of `alerting`. */
export function channelsOf(given: unknown, env: Env): Item[] {
  return Object.entries(membersOf(given))
    .slice(0, 100)
    .filter(([, settings]) => settings !== null)
    .map(([was, settings]) => channelOf(was.slice(0, 80), settings, env));
}

function channelOf(was: string, settings: unknown, env: Env): Item {
  const item = { id: `channel:${was}`, type: 'channel', name: was, was } as const;
  const missing = new Set<string>();
  const values = membersOf(filled(settings, env, missing));
  const maker = Object.hasOwn(MAKERS, was) ? MAKERS[was] : undefined;
  if (!maker) return { ...item, notes: [], why: `there is no kind of channel for ${was}` };
  if (missing.size > 0)
    return {
      ...item,
      notes: [],
      why: `${[...missing].map((one) => `$${one}`).join(', ')}: there is no value for it in the environment of the command`,
    };
  const { kind, config, secret } = maker(values);
  const notes = ['which alerts it gets is said by a policy'];
  if (listOf(values['overrides']).length > 0) notes.push('without its overrides for groups');
  return { ...item, notes, make: { kind, config: present(config), secret: present(secret) } };
}
