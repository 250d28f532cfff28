import { escapeHtml } from '@svc/plugin-sdk/http';
import { retry, says } from './answers.ts';
import {
  colourOf,
  hexOf,
  listOf,
  needed,
  optional,
  optionalSecret,
  shortId,
  textOf,
  threadOf,
  withLinks,
} from './build.ts';
import type { Answer, Context, Kind, Rendered, Values } from './types.ts';

/** Address without a name, without anything that a mail server could read as a command. */
const ADDRESS =
  /^[^\s\p{Cc}@<>()[\],;:\\"]{1,64}@[\p{L}\p{N}](?:[\p{L}\p{N}.-]{0,250}[\p{L}\p{N}])?$/u;
export const isAddress = (text: string): boolean => ADDRESS.test(text) && text.length <= 254;

/** Message as nodemailer takes it. */
export interface Mail {
  readonly from: { readonly name: string; readonly address: string };
  readonly to: string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly messageId: string;
  readonly references: string;
  readonly date: Date;
  readonly priority: 'high' | 'normal' | 'low';
  readonly headers: Record<string, string>;
}

function html(message: Rendered): string {
  const colour = hexOf(colourOf(message));
  const lines = message.lines.map((line) => escapeHtml(line)).join('<br>');
  const links = message.links.map(
    ({ label, url }) => `<a href="${escapeHtml(url)}">${escapeHtml(label)}</a>`,
  );
  const parts = [`<strong>${escapeHtml(message.title)}</strong>`, lines, links.join(' · ')];
  const paragraphs = parts.filter((part) => part !== '').map((part) => `<p>${part}</p>`);
  return `<div style="border-left:4px solid ${colour};padding-left:12px">${paragraphs.join('')}</div>`;
}

/** Usual port of each `security`. */
export const PORTS: { readonly [security: string]: number } = {
  tls: 465,
  starttls: 587,
  none: 25,
};
const PRIORITIES = { critical: 'high', warning: 'normal', info: 'low' } as const;

/** Mail that tells the message. The same message has the same `Message-ID`; what belongs together is one thread. */
export function mailOf(values: Values, message: Rendered, context: Context): Mail {
  const address = textOf(values, 'from');
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return {
    from: { name: textOf(values, 'from_name') || context.brand, address },
    to: listOf(values, 'to'),
    subject: message.title,
    text: [message.title, withLinks(message)].filter((part) => part !== '').join('\n\n'),
    html: html(message),
    messageId: `<${shortId(context.message_id)}@${domain}>`,
    references: `<thread-${shortId(threadOf(message))}@${domain}>`,
    date: new Date(message.message.sent_at),
    priority: message.state === 'over' ? 'normal' : PRIORITIES[message.severity],
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  };
}

const HINTS: readonly (readonly [string, string])[] = [
  ['535', 'the user or the password is wrong; some providers want a password for apps'],
  ['534', 'the provider wants a password for apps: make one in your account there'],
  ['530', 'the server wants a user and a password, or STARTTLS'],
  ['550', 'the server does not take mail for this address, or from this sender'],
  ['553', 'the server does not take mail from this sender: write the address of the account'],
  ['554', 'the server takes it for unwanted mail'],
];

/** Meaning of a reply of the mail server: its code and its text. */
function answer(status: number, _headers: unknown, text: string): Answer {
  if (status >= 200 && status < 400) return 'ok';
  const words = says('The mail server', text === '' ? `${status}` : text);
  if (status < 500) return retry(words, undefined);
  const hint = HINTS.find(([code]) => code === `${status}`)?.[1];
  return { permanent: hint === undefined ? words : `${words} — ${hint}` };
}

function fault(values: Values): string | undefined {
  if (
    !/^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[?[0-9a-fA-F:.]+\]?)$/.test(
      textOf(values, 'host'),
    )
  )
    return "'host' is the name or address of the mail server, without a port";
  const port = Number(values['port'] ?? 587);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return "'port' is a number up to 65535";
  if (!isAddress(textOf(values, 'from')))
    return "'from' is an address such as alerts@example.com; a name belongs into 'from_name'";
  const to = listOf(values, 'to');
  const wrong = to.find((one) => !isAddress(one));
  if (wrong !== undefined)
    return `'to' has ${JSON.stringify(wrong.slice(0, 80))}, which is no address such as me@example.com`;
  return textOf(values, 'user') !== '' && values['security'] === 'none'
    ? "'security' is none, which would send the password in the clear: choose tls or starttls, or leave out 'user'"
    : undefined;
}

export const smtp: Kind = {
  kind: 'smtp',
  title: 'E-mail',
  summary: 'Mail over an SMTP server.',
  example_url: 'mailtos://user:password@example.com?to=me@example.com',
  fields: [
    needed('host', 'Mail server', { host: true, example: 'smtp.example.com' }),
    optional('port', 'Port', {
      type: 'number',
      help: 'Empty: 465 for tls, 587 for starttls, 25 for none.',
    }),
    optional('security', 'Security', {
      type: 'choice',
      choices: ['tls', 'starttls', 'none'],
      default: 'starttls',
    }),
    optional('user', 'User'),
    optionalSecret('password', 'Password', { help: 'Many providers want a password for apps.' }),
    needed('from', 'Sender', { example: 'alerts@example.com' }),
    optional('from_name', 'Name of the sender'),
    needed('to', 'Recipients', { type: 'list', example: 'me@example.com' }),
  ],
  check: fault,
  answer,
  limits: { per_minute: 20, burst: 5 },
  size: { title: 200, text: 16_000 },
  markup: 'plain',
  priorities: PRIORITIES,
  idempotent: 'header',
};
