import { reading } from './answers.ts';
import {
  authorization,
  json,
  needed,
  optional,
  optionalSecret,
  present,
  secret,
  server,
  serverOf,
  textOf,
  withLinks,
} from './build.ts';
import type { Kind, Rendered } from './types.ts';

/** Title and text of a notification: some receivers refuse an empty text. */
const shown = ({ title, text }: Rendered) =>
  text === '' ? { title: '', text: title } : { title, text };

const NTFY = 'https://ntfy.sh';
const NTFY_PRIORITIES = { critical: '5', warning: '4', info: '2' } as const;
const TAGS = {
  critical: 'rotating_light',
  warning: 'warning',
  info: 'information_source',
} as const;

export const ntfy: Kind = {
  kind: 'ntfy',
  title: 'ntfy',
  summary: 'Notifications on phones and desktops, over ntfy.sh or a server of your own.',
  example_url: 'ntfys://ntfy.example.com/topic',
  fields: [
    server(NTFY, NTFY, 'whole'),
    needed('topic', 'Topic', { help: 'On ntfy.sh whoever knows the name can read along.' }),
    optionalSecret('token', 'Access token', { help: 'ntfy: Account → Access tokens.' }),
    optional('user', 'User'),
    optionalSecret('password', 'Password'),
  ],
  check: (values) =>
    /^[\w-]{1,64}$/.test(textOf(values, 'topic'))
      ? undefined
      : "'topic' has letters, digits, _ and -, at most 64",
  request(values, message) {
    const { severity, state, links, url } = message;
    const { title, text } = shown(message);
    const body = {
      topic: textOf(values, 'topic'),
      title,
      message: text,
      priority: state === 'over' ? 3 : Number(NTFY_PRIORITIES[severity]),
      tags: [state === 'over' ? 'white_check_mark' : TAGS[severity]],
      click: url,
      actions: links.map((link) => ({ action: 'view', label: link.label, url: link.url })),
    };
    return json(serverOf(values, NTFY), present(body), authorization(values));
  },
  answer: reading({
    title: 'ntfy',
    said: (body) => body['error'],
    hints: [
      ['unauthorized', 'the topic needs an access token, or a user and a password'],
      ['forbidden', 'the user may not write to this topic'],
      ['daily message quota', 'too many messages today: use an account or a server of your own'],
    ],
    id: (body) => body['id'],
  }),
  limits: { per_minute: 12, burst: 30 },
  size: { title: 200, text: 3_500, bytes: true },
  markup: 'plain',
  priorities: NTFY_PRIORITIES,
  idempotent: 'none',
};

const GOTIFY_PRIORITIES = { critical: '8', warning: '5', info: '2' } as const;
export const gotify: Kind = {
  kind: 'gotify',
  title: 'Gotify',
  summary: 'Notifications over a Gotify server.',
  example_url: 'gotifys://gotify.example.com/TOKEN',
  fields: [
    server(undefined, 'https://gotify.example.com'),
    secret('token', 'Application token', { help: 'Gotify: Apps → Create application → Token.' }),
  ],
  request(values, message) {
    const { severity, state, url } = message;
    const { title, text } = shown({ ...message, text: withLinks(message) });
    const click = url === '' ? {} : { 'client::notification': { click: { url } } };
    const body = {
      title,
      message: text,
      priority: state === 'over' ? 4 : Number(GOTIFY_PRIORITIES[severity]),
      extras: { 'client::display': { contentType: 'text/plain' }, ...click },
    };
    const key = ['X-Gotify-Key', textOf(values, 'token')] as const;
    return json(`${serverOf(values)}/message`, present(body), [key]);
  },
  answer: reading({
    title: 'Gotify',
    said: (body) => body['errorDescription'],
    hints: [['access token', 'write the token of an application, not of a client']],
    id: (body) => body['id'],
  }),
  limits: { per_second: 5, burst: 10 },
  size: { title: 250, text: 8_000 },
  markup: 'plain',
  priorities: GOTIFY_PRIORITIES,
  idempotent: 'none',
};

const BARK = 'https://api.day.app';
const LEVELS = { critical: 'critical', warning: 'timeSensitive', info: 'passive' } as const;
export const bark: Kind = {
  kind: 'bark',
  title: 'Bark',
  summary: 'Notifications on iPhones, over the Bark app.',
  example_url: 'barks://api.day.app/DEVICE_KEY',
  fields: [
    server(BARK, BARK),
    secret('device_key', 'Device key', { help: 'Bark app: the part after the server in its URL.' }),
    optional('group', 'Group', { help: 'Notifications of a group lie together on the phone.' }),
    optional('sound', 'Sound', { example: 'alarm' }),
  ],
  request(values, message, { message_id, brand }) {
    const { severity, state, url } = message;
    const { title, text } = shown(message);
    const body = {
      device_key: textOf(values, 'device_key'),
      title,
      body: text,
      group: textOf(values, 'group') || brand,
      level: state === 'over' ? 'active' : LEVELS[severity],
      sound: textOf(values, 'sound'),
      url,
      id: message_id,
    };
    return json(`${serverOf(values, BARK)}/push`, present(body));
  },
  answer: reading({
    title: 'Bark',
    said: (body) => body['message'],
    hints: [['device', 'copy the key from the app again']],
    fault: (body) => (body['code'] === 200 ? undefined : String(body['message'] ?? 'no code 200')),
  }),
  limits: { per_second: 2, burst: 5 },
  size: { title: 250, text: 2_500, bytes: true },
  markup: 'plain',
  priorities: LEVELS,
  idempotent: 'field',
};
