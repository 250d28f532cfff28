import { reading } from './answers.ts';
import { json, optional, present, secret, textOf } from './build.ts';
import type { Kind, Rendered, Values } from './types.ts';

const URL_ = 'https://api.pushover.net/1/messages.json';
const PRIORITIES = { critical: '1', warning: '0', info: '-1' } as const;
/** Priority 2 is shown again until somebody acknowledges it: each minute, for an hour. */
const EMERGENCY = { priority: 2, retry: 60, expire: 3_600 } as const;

function priority(values: Values, { severity, state, message }: Rendered): object {
  if (state === 'over') return { priority: 0 };
  const isUrgent = severity === 'critical' && state === 'open' && message.type !== 'digest';
  if (values['emergency'] === true && isUrgent) return EMERGENCY;
  return { priority: Number(PRIORITIES[severity]) };
}

export const pushover: Kind = {
  kind: 'pushover',
  title: 'Pushover',
  summary: 'Notifications on phones, over Pushover.',
  example_url: 'pover://USER_KEY@API_TOKEN',
  fields: [
    secret('user', 'User key', {
      help: 'Pushover: the key of a user or group, on the first page.',
    }),
    secret('token', 'API token', { help: 'Pushover: Create an Application → API Token.' }),
    optional('device', 'Devices', { help: 'Names with commas; empty: all.' }),
    optional('emergency', 'Repeat critical alerts until acknowledged', {
      type: 'boolean',
      default: false,
    }),
  ],
  request(values, message) {
    const [link] = message.links;
    const body = {
      token: textOf(values, 'token'),
      user: textOf(values, 'user'),
      device: textOf(values, 'device'),
      title: message.text === '' ? '' : message.title,
      message: message.text || message.title,
      ...priority(values, message),
      url: link?.url,
      url_title: link?.label,
      timestamp: Math.floor(message.message.sent_at / 1_000),
    };
    return json(URL_, present(body));
  },
  answer: reading({
    title: 'Pushover',
    said: (body) => (Array.isArray(body['errors']) ? body['errors'].join('; ') : ''),
    fault: (body) => (body['status'] === 1 ? undefined : JSON.stringify(body['errors'] ?? body)),
    hints: [
      ['user identifier', 'copy the user key again'],
      ['application token', 'copy the API token of the application again'],
    ],
    id: (body) => body['receipt'] ?? body['request'],
  }),
  limits: { per_second: 2, burst: 5 },
  size: { title: 250, text: 1_000 },
  markup: 'plain',
  priorities: PRIORITIES,
  idempotent: 'none',
};
