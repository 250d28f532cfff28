import { createHmac } from 'node:crypto';
import { BoundedCache } from '@svc/plugin-sdk/util';
import { TemplateError } from '../../template/index.ts';
import { fillJson, type JsonTemplate, parseJsonTemplate } from '../../template/json.ts';
import { NAMES, namedValues } from '../../template/names.ts';
import { reading } from '../answers.ts';
import { authorization, json, needed, optional, optionalSecret, textOf } from '../build.ts';
import type { Context, HttpRequest, Kind, Pairs, Rendered, Values } from '../types.ts';
import { alertmanagerOf } from './alertmanager.ts';
import { bodyOf } from './body.ts';

const HEADER = /^([A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}):[ \t]*([\x21-\x7e][\x20-\x7e]{0,1999})$/;
const SECRET = 'whsec_';

const templates = new BoundedCache<string, JsonTemplate>({ most: 50 });
function templateOf(text: string): JsonTemplate {
  const made = templates.get(text) ?? parseJsonTemplate(text, NAMES);
  templates.set(text, made);
  return made;
}

function content(values: Values, message: Rendered, context: Context): unknown {
  const format = textOf(values, 'format') || 'json';
  if (format === 'alertmanager') return alertmanagerOf(message, context);
  if (format === 'template')
    return fillJson(templateOf(textOf(values, 'template')), namedValues(message, context), context);
  return bodyOf(message, context);
}

/** Headers of Standard Webhooks: receivers have libraries that check them. */
function signature(values: Values, body: string, { message_id, now }: Context): Pairs {
  const time = `${Math.floor(now / 1_000)}`;
  const named: Pairs = [
    ['webhook-id', message_id],
    ['webhook-timestamp', time],
  ];
  const secret = textOf(values, 'secret');
  if (secret === '') return named;
  const key = secret.startsWith(SECRET)
    ? Buffer.from(secret.slice(SECRET.length), 'base64')
    : Buffer.from(secret);
  const signed = createHmac('sha256', key).update(`${message_id}.${time}.${body}`).digest('base64');
  return [...named, ['webhook-signature', `v1,${signed}`]];
}

/** Headers that decide the receiver or the form of the request. */
const RESERVED =
  /^(?:host|content-(?:type|length|encoding)|transfer-encoding|connection|keep-alive|upgrade|expect|te|trailer|proxy-.*|webhook-.*)$/i;

/** Fault of the name of the own header. */
function headerFault(name: string, values: Values): string | undefined {
  const is = `'header' is ${name}, which the server sets itself`;
  if (RESERVED.test(name)) return `${is}: choose another name, for example X-Api-Key`;
  if (!/^authorization$/i.test(name) || authorization(values).length === 0) return undefined;
  return `${is}: 'token', or 'user' and 'password', make it. Empty these, or the header`;
}

function ownHeader(values: Values): Pairs {
  const [, name, value] = HEADER.exec(textOf(values, 'header')) ?? [];
  if (name === undefined || value === undefined) return [];
  return headerFault(name, values) === undefined ? [[name, value]] : [];
}

function request(values: Values, message: Rendered, context: Context): HttpRequest {
  const url = new URL(textOf(values, 'url'));
  const query = textOf(values, 'query').replace(/^\?/, '');
  if (query !== '')
    url.search = [url.search.slice(1), query].filter((part) => part !== '').join('&');
  const made = json(url.href, content(values, message, context), [
    ...authorization(values),
    ...ownHeader(values),
  ]);
  const signed = signature(values, made.body as string, context);
  return { ...made, headers: [...made.headers, ...signed] };
}

function fault(values: Values): string | undefined {
  const header = textOf(values, 'header');
  const [, name] = HEADER.exec(header) ?? [];
  if (header !== '' && name === undefined)
    return "'header' is one header: Name: value, in plain letters";
  const reserved = name === undefined ? undefined : headerFault(name, values);
  if (reserved !== undefined) return reserved;
  const isTemplate = textOf(values, 'format') === 'template';
  const template = textOf(values, 'template');
  if (isTemplate && template === '')
    return "'template' is missing: write a JSON document with {{title}} and the like, or choose another 'format'";
  try {
    if (template !== '') templateOf(template);
  } catch (error) {
    if (error instanceof TemplateError) return `'template': ${error.message}`;
    throw error;
  }
  return undefined;
}

export const webhook: Kind = {
  kind: 'webhook',
  title: 'Webhook',
  summary: 'JSON to an address of your own, signed on wish (Standard Webhooks).',
  example_url: 'jsons://user:password@example.com/path',
  fields: [
    needed('url', 'URL', {
      type: 'url',
      host: true,
      example: 'https://example.com/alerts',
      help: 'Everybody who may see the channel sees it: keys belong into the secret fields.',
    }),
    optionalSecret('query', 'Secret part of the URL', {
      example: 'key=…',
      help: 'Follows the ? of the URL.',
    }),
    optional('format', 'Format', {
      type: 'choice',
      choices: ['json', 'alertmanager', 'template'],
      default: 'json',
      help: 'alertmanager: as receivers of Prometheus Alertmanager take it. template: a JSON document of your own.',
    }),
    optional('template', 'Template', {
      type: 'multiline',
      example: '{"text": "{{title}}", "at": "{{sent_at|date}}"}',
      help: `Names: ${NAMES.join(', ')}. Filters: upper, lower, date, duration, json, default.`,
    }),
    optionalSecret('secret', 'Signing secret', {
      example: 'whsec_…',
      help: 'The header webhook-signature is made with it.',
    }),
    optionalSecret('token', 'Bearer token'),
    optional('user', 'User'),
    optionalSecret('password', 'Password'),
    optionalSecret('header', 'Header', { example: 'X-Api-Key: …' }),
  ],
  check: fault,
  request,
  answer: reading({ title: 'The receiver' }),
  limits: { per_second: 10, burst: 20 },
  size: { title: 1_000, text: 16_000 },
  markup: 'plain',
  idempotent: 'header',
};
