import { reading } from './answers.ts';
import { json, secret, textOf, threadOf, wholeText } from './build.ts';
import { ESCAPES } from './markup.ts';
import type { Kind } from './types.ts';

const EXAMPLE = 'https://chat.googleapis.com/v1/spaces/SPACE/messages?key=KEY&token=TOKEN';

export const googlechat: Kind = {
  kind: 'googlechat',
  title: 'Google Chat',
  summary: 'Messages in a space of Google Chat; what belongs together is one thread.',
  example_url: EXAMPLE,
  fields: [
    secret('url', 'Webhook URL', {
      type: 'url',
      example: EXAMPLE,
      help: 'Google Chat: the space → Apps & integrations → Webhooks → Copy link.',
    }),
  ],
  check(values) {
    const { searchParams } = new URL(textOf(values, 'url'));
    return searchParams.has('key') && searchParams.has('token')
      ? undefined
      : "'url' is no webhook of Google Chat: it ends with ?key=…&token=…";
  },
  request(values, message) {
    const url = new URL(textOf(values, 'url'));
    url.searchParams.set('messageReplyOption', 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD');
    return json(url.href, {
      text: ESCAPES.chat(wholeText(message)),
      thread: { threadKey: threadOf(message) },
    });
  },
  answer: reading({
    title: 'Google Chat',
    said: (body) => (body['error'] as { message?: unknown } | undefined)?.message,
    id: (body) => body['name'],
  }),
  limits: { per_second: 1, burst: 2 },
  size: { title: 500, text: 3_000 },
  markup: 'chat',
  idempotent: 'none',
};
