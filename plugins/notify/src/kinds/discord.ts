import { reading, waitOf } from './answers.ts';
import { colourOf, json, optional, present, secret, textOf } from './build.ts';
import { ESCAPES, inBrackets } from './markup.ts';
import type { Kind, Rendered } from './types.ts';

const { markdown } = ESCAPES;

function embeds(message: Rendered): unknown[] {
  const links = message.links.map(({ label, url }) => `[${label}](${inBrackets(url)})`);
  const description = [markdown(message.text), links.join(' · ')].filter((part) => part !== '');
  if (description.length === 0) return [];
  const timestamp = new Date(message.message.sent_at).toISOString();
  return [{ description: description.join('\n'), color: colourOf(message), timestamp }];
}

export const discord: Kind = {
  kind: 'discord',
  title: 'Discord',
  summary: 'Messages in a Discord channel, over a webhook.',
  example_url: 'https://discord.com/api/webhooks/ID/TOKEN',
  fields: [
    secret('url', 'Webhook URL', {
      type: 'url',
      example: 'https://discord.com/api/webhooks/ID/TOKEN',
      help: 'Discord: Edit Channel → Integrations → Webhooks → Copy Webhook URL.',
    }),
    optional('username', 'Name of the sender'),
    optional('thread_id', 'Thread', { help: 'Number of a thread in the channel.' }),
  ],
  check(values) {
    const { pathname } = new URL(textOf(values, 'url'));
    return /^\/api(?:\/v\d+)?\/webhooks\/\d+\/[\w-]+\/?$/.test(pathname)
      ? undefined
      : "'url' is no webhook of Discord: it looks like https://discord.com/api/webhooks/ID/TOKEN";
  },
  request(values, message) {
    const url = new URL(textOf(values, 'url'));
    url.searchParams.set('wait', 'true');
    const thread = textOf(values, 'thread_id');
    if (thread !== '') url.searchParams.set('thread_id', thread);
    return json(
      url.href,
      present({
        username: textOf(values, 'username'),
        content: markdown(message.title),
        embeds: embeds(message),
        allowed_mentions: { parse: [] },
      }),
    );
  },
  answer: reading({
    title: 'Discord',
    hints: [
      ['unknown webhook', 'the webhook was deleted: make a new one and write its URL'],
      ['invalid webhook token', 'copy the URL of the webhook again'],
      ['unknown channel', 'the channel or thread is gone'],
    ],
    said: (body) => body['message'],
    wait: (body) => waitOf(body['retry_after'], 1_000),
    id: (body) => body['id'],
  }),
  limits: { per_second: 2, per_minute: 30, burst: 5 },
  size: { title: 500, text: 3_400 },
  markup: 'markdown',
  idempotent: 'none',
};
