import { isAddress, PORTS } from '../kinds/smtp.ts';
import { type Filled, fault, filled, lacks, listed, type Parts, type Reader } from './parts.ts';

type Security = 'tls' | 'starttls' | 'none';

/** Mail servers of usual providers, by the domains of their addresses. */
const PROVIDERS: readonly (readonly [domains: string, host: string, security: Security])[] = [
  ['gmail.com googlemail.com', 'smtp.gmail.com', 'starttls'],
  ['outlook.com hotmail.com live.com', 'smtp-mail.outlook.com', 'starttls'],
  ['yahoo.com', 'smtp.mail.yahoo.com', 'tls'],
  ['icloud.com me.com', 'smtp.mail.me.com', 'starttls'],
  ['fastmail.com', 'smtp.fastmail.com', 'tls'],
  ['zoho.com', 'smtp.zoho.com', 'tls'],
  ['gmx.net gmx.de', 'mail.gmx.net', 'starttls'],
  ['yandex.com yandex.ru', 'smtp.yandex.com', 'tls'],
  ['qq.com', 'smtp.qq.com', 'tls'],
  ['163.com', 'smtp.163.com', 'tls'],
];

const providerOf = (domain: string) =>
  PROVIDERS.find(([domains]) => domains.split(' ').includes(domain.toLowerCase()));

const MODES: { readonly [mode: string]: Security } = {
  ssl: 'tls',
  tls: 'tls',
  implicittls: 'tls',
  starttls: 'starttls',
  explicittls: 'starttls',
  none: 'none',
  insecure: 'none',
};

/** A password never goes out in the clear; port 465 begins with TLS. */
function securityOf({ scheme, query, user, port }: Parts): Security {
  const mode = query.get('mode') ?? query.get('encryption');
  const named = MODES[(mode ?? '').toLowerCase()];
  if (named !== undefined) return named;
  if (port === '465' || scheme === 'smtps') return 'tls';
  return user === '' && scheme !== 'mailtos' ? 'none' : 'starttls';
}

/** `Name <address>`, an address, or a name. */
function sender(text: string): { readonly name: string; readonly address: string } {
  const [, name = '', address = ''] = /^([^<]*)<([^>]*)>$/.exec(text) ?? [];
  if (address !== '') return { name: name.trim(), address: address.trim() };
  return text.includes('@') ? { name: '', address: text } : { name: text, address: '' };
}

function mail(parts: Parts): Filled {
  const { scheme, user, password, host, port, path, query } = parts;
  const form = `${scheme}://USER:PASSWORD@HOST?to=ADDRESS`;
  const provider = scheme.startsWith('mailto') ? providerOf(host) : undefined;
  const server = query.get('smtp') ?? provider?.[1] ?? host;
  if (server === '') throw lacks('the mail server', form);
  const login = query.get('user') ?? user;
  const from = sender(query.get('from') ?? query.get('fromaddress') ?? '');
  const own = login.includes('@') || login === '' ? login : `${login}@${host}`;
  const address = from.address || own;
  if (!isAddress(address)) throw lacks('the sender (?from=ADDRESS)', form);
  const targets = [...path, ...listed(query.get('to') ?? query.get('toaddresses'))];
  const to = targets.length === 0 ? [address] : targets;
  if (!to.every(isAddress))
    throw fault(`names a recipient that is no address; its form is ${form}`);
  const security = provider?.[2] ?? securityOf(parts);
  return {
    kind: 'smtp',
    config: filled({
      host: server,
      port: port === '' || provider !== undefined ? PORTS[security] : Number(port),
      security,
      user: provider === undefined ? login : own,
      from: address,
      from_name: query.get('name') ?? query.get('fromname') ?? from.name,
      to,
    }),
    secret: filled({ password: query.get('pass') ?? password }),
  };
}

export const MAILS: { readonly [scheme: string]: Reader } = {
  mailto: mail,
  mailtos: mail,
  smtp: mail,
  smtps: mail,
};
