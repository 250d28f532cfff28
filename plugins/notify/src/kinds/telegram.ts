import { type Json, reading, waitOf } from './answers.ts';
import { json, needed, optional, present, secret, server, serverOf, textOf } from './build.ts';
import { anchors, ESCAPES } from './markup.ts';
import type { Kind, Rendered } from './types.ts';

const SERVER = 'https://api.telegram.org';
const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Json)[name] : undefined;

function html({ title, lines, links }: Rendered): string {
  const escaped = ESCAPES.html;
  const parts = [`<b>${escaped(title)}</b>`, escaped(lines.join('\n')), anchors(links)];
  return parts.filter((part) => part !== '').join('\n');
}

export const telegram: Kind = {
  kind: 'telegram',
  title: 'Telegram',
  summary: 'Messages of a Telegram bot, in a chat, a group or a channel.',
  example_url: 'tgram://BOT_TOKEN/CHAT_ID',
  fields: [
    secret('token', 'Bot token', {
      example: '123456789:AAExample',
      help: 'Telegram: write /newbot to @BotFather.',
    }),
    needed('chat_id', 'Chat', {
      example: '-1001234567890',
      help: 'Number of the chat, or @name of a public channel. Write to the bot first, or add it to the group.',
    }),
    optional('thread_id', 'Topic', {
      type: 'number',
      help: 'Number of the topic, in groups that have topics.',
    }),
    server(SERVER, SERVER),
  ],
  check(values) {
    if (!/^\d+:[\w-]+$/.test(textOf(values, 'token')))
      return "'token' is no token of a bot: it looks like 123456789:AAExample; ask @BotFather for it";
    if (!/^(?:-?\d+|@\w+)$/.test(textOf(values, 'chat_id')))
      return "'chat_id' is a number such as -1001234567890, or @name of a public channel";
    return undefined;
  },
  request(values, message) {
    const thread = textOf(values, 'thread_id');
    return json(
      `${serverOf(values, SERVER)}/bot${textOf(values, 'token')}/sendMessage`,
      present({
        chat_id: textOf(values, 'chat_id'),
        message_thread_id: thread === '' ? undefined : Number(thread),
        text: html(message),
        parse_mode: 'HTML',
        disable_notification: message.severity === 'info',
        link_preview_options: { is_disabled: true },
      }),
    );
  },
  answer: reading({
    title: 'Telegram',
    hints: [
      ['chat not found', 'write to the bot first, or add it to the group, and check the chat'],
      ['bot was blocked', 'unblock the bot in Telegram'],
      ['bot was kicked', 'add the bot to the group again'],
      ['unauthorized', 'the token is wrong: copy it from @BotFather'],
      ['not enough rights', 'let the bot post in this chat'],
      ['upgraded to a supergroup', 'the chat has a new number: write that'],
      ['thread not found', 'the topic is gone: check its number'],
    ],
    said: (body) => body['description'],
    fault: (body) => (body['ok'] === true ? undefined : String(body['description'] ?? 'not ok')),
    wait: (body) => waitOf(member(body['parameters'], 'retry_after'), 1_000),
    id: (body) => member(body['result'], 'message_id'),
  }),
  limits: { per_second: 1, per_minute: 20, burst: 3 },
  size: { title: 500, text: 3_200 },
  markup: 'html',
  priorities: { critical: 'with sound', warning: 'with sound', info: 'silent' },
  idempotent: 'none',
};
