import type { FormField } from '@svc/plugin-notify/api';
import type { Kind } from './types.ts';

/** Kind of monitors, as the data of its form. */
export interface KindForm {
  readonly kind: Kind;
  readonly title: string;
  readonly summary: string;
  readonly fields: readonly FormField[];
}

type Given = Partial<FormField> & Pick<FormField, 'name' | 'title'>;

const field = (given: Given): FormField => ({
  ...{ type: 'text', required: false, secret: false },
  ...given,
});
const host = field({
  ...{ name: 'host', title: 'Host', required: true, example: 'db.example.net' },
});
const port = (example: string, given: Partial<FormField> = {}) =>
  field({ name: 'port', title: 'Port', type: 'number', required: true, example, ...given });
const ignoreTls = field({
  ...{ name: 'ignore_tls', title: 'Accept any certificate', type: 'boolean', default: false },
  help: 'an invalid certificate is shown, and is no failure',
});

export const FORMS: readonly KindForm[] = [
  {
    kind: 'http',
    title: 'HTTP',
    summary: 'An address of the web: status, time, content, certificate.',
    fields: [
      field({
        ...{ name: 'url', title: 'URL', type: 'url', required: true },
        example: 'https://shop.example.net/health',
      }),
      field({
        ...{ name: 'method', title: 'Method', type: 'choice', default: 'GET' },
        choices: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      }),
      field({
        ...{ name: 'headers', title: 'Headers', type: 'list', example: 'Accept: text/html' },
        help: 'one a line, as `Name: value`',
      }),
      field({
        ...{ name: 'secret_headers', title: 'Secret headers', type: 'list', secret: true },
        ...{
          example: 'X-Api-Key: …',
          help: 'as headers; they are sent to the host of the URL only',
        },
      }),
      field({ name: 'body', title: 'Body', type: 'multiline' }),
      field({ name: 'user', title: 'User', help: 'for basic authentication' }),
      field({ name: 'password', title: 'Password', secret: true }),
      field({ name: 'bearer', title: 'Bearer token', secret: true }),
      field({
        ...{ name: 'follow', title: 'Redirects to follow', type: 'number', default: 5 },
        help: '0 to 5; with 0 the redirect itself is the answer',
      }),
      field({
        ...{ name: 'family', title: 'Address family', type: 'choice', default: 'any' },
        choices: ['any', 'IPv4', 'IPv6'],
      }),
      ignoreTls,
    ],
  },
  {
    kind: 'tcp',
    title: 'TCP',
    summary: 'A port: whether it takes connections, and what it says.',
    fields: [
      host,
      port('5432'),
      field({ name: 'tls', title: 'TLS', type: 'boolean', default: false }),
      ignoreTls,
      field({ name: 'send', title: 'Text to send', example: 'PING' }),
      field({ name: 'expect', title: 'Text that the answer contains', example: '+PONG' }),
    ],
  },
  {
    kind: 'ping',
    title: 'Ping',
    summary: 'A host: echoes, their loss and their times.',
    fields: [
      host,
      field({ name: 'count', title: 'Echoes', type: 'number', default: 3, help: '1 to 10' }),
    ],
  },
  {
    kind: 'dns',
    title: 'DNS',
    summary: 'A name: what a name server answers.',
    fields: [
      field({ name: 'name', title: 'Name to look up', required: true, example: 'example.net' }),
      field({
        ...{ name: 'type', title: 'Type', type: 'choice', default: 'A' },
        choices: ['A', 'AAAA', 'CAA', 'CNAME', 'MX', 'NS', 'PTR', 'SOA', 'SRV', 'TXT'],
      }),
      field({
        ...{ name: 'server', title: 'Name server', example: '192.0.2.53' },
        help: 'an address, with `:port` where it is not 53; empty: those of the place',
      }),
    ],
  },
  {
    kind: 'tls',
    title: 'Certificate',
    summary:
      'A certificate: whether it is valid, for how long, and what its server forgot to send.',
    fields: [
      host,
      port('443', { required: false, default: 443 }),
      field({ name: 'servername', title: 'Name to ask for', help: 'empty: the host' }),
      field({
        ...{ name: 'starttls', title: 'Protocol before TLS', type: 'choice', default: 'none' },
        choices: ['none', 'smtp', 'imap', 'pop3', 'ftp'],
      }),
    ],
  },
  {
    kind: 'domain',
    title: 'Domain',
    summary: 'A registered name: when it ends, as its registry says (RDAP).',
    fields: [
      field({
        ...{ name: 'name', title: 'Domain', required: true, example: 'example.net' },
        help: 'the registered name, without www',
      }),
    ],
  },
  {
    kind: 'heartbeat',
    title: 'Heartbeat',
    summary: 'A job that calls an address when it has run: it is told when the call does not come.',
    fields: [
      field({
        ...{ name: 'period_s', title: 'Period in seconds', type: 'number', example: '3600' },
        help: 'between two calls; or a cron line instead',
      }),
      field({ name: 'cron', title: 'Cron line', example: '0 5 * * *', help: 'when it runs' }),
      field({
        name: 'zone',
        title: 'Time zone',
        example: 'Europe/Berlin',
        help: 'of the cron line',
      }),
      field({
        ...{ name: 'grace_s', title: 'Grace in seconds', type: 'number', default: 300 },
        help: 'by which a call may be late',
      }),
      field({
        ...{ name: 'run_grace_s', title: 'Longest run in seconds', type: 'number' },
        help: 'from its call /start on; empty: as the grace',
      }),
      field({
        ...{ name: 'methods', title: 'Methods that count', type: 'list', example: 'POST' },
        help: 'empty: HEAD, GET and POST',
      }),
    ],
  },
  {
    kind: 'group',
    title: 'Group',
    summary: 'Several monitors as one.',
    fields: [
      field({
        ...{ name: 'members', title: 'Monitors', type: 'list', required: true },
        help: 'by name',
      }),
      field({
        ...{ name: 'rule', title: 'It is down when', type: 'choice', default: 'worst' },
        choices: ['worst', 'all', 'count'],
        help: '`worst`: one member is down; `all`: all are; `count`: so many are',
      }),
      field({ name: 'down', title: 'Members that must be down', type: 'number' }),
    ],
  },
];
