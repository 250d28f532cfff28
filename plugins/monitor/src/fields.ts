import { type CheckedForm, checkFields, type Values } from '@svc/plugin-notify/api';
import { RpcError } from '@svc/plugin-sdk';
import { isZone } from '@svc/plugin-sdk/util';
import { Cron } from 'croner';
import { FORMS } from './kinds.ts';
import { domainOf, headerOf, isHost } from './spec.ts';
import type { Kind } from './types.ts';

type Fault = string | undefined;
type Check = (values: Values) => Fault;

const HOST = /^[^\s/?#@\\]{1,253}$/;
const YEAR_S = 31_622_400;
const METHODS = ['HEAD', 'GET', 'POST'];

const within =
  (name: string, least: number, most: number): Check =>
  ({ [name]: value }) =>
    typeof value === 'number' && (value < least || value > most)
      ? `'${name}' must be from ${least} to ${most}`
      : undefined;
const host: Check = ({ host: value }) =>
  HOST.test(String(value)) ? undefined : `'host' is a name or an address, without a port`;
const port = within('port', 1, 65_535);
const headers =
  (name: string): Check =>
  ({ [name]: lines }) => {
    const bad = (Array.isArray(lines) ? lines : []).find((line) => !headerOf(String(line)));
    // A secret line is not repeated.
    return bad === undefined ? undefined : `each line of '${name}' is \`Name: value\``;
  };

const openHost: Check = ({ secret_headers: lines }) =>
  Array.isArray(lines) && lines.some((line) => isHost(headerOf(String(line))?.[0] ?? ''))
    ? `'Host' says whom the secrets are for: write it into 'headers'`
    : undefined;

const CHECKS: { readonly [kind in Kind]: readonly Check[] } = {
  http: [headers('headers'), headers('secret_headers'), openHost, within('follow', 0, 5)],
  tcp: [host, port],
  ping: [host, within('count', 1, 10)],
  dns: [
    ({ name }) => (HOST.test(String(name)) ? undefined : `'name' is a name, or for PTR an address`),
    ({ server }) =>
      server === undefined || HOST.test(String(server))
        ? undefined
        : `'server' is an address, with \`:port\` where it is not 53`,
  ],
  tls: [host, port],
  domain: [
    (values) =>
      /^(?:[a-z0-9-]{1,63}\.)+[a-z0-9-]{2,63}$/.test(domainOf(values))
        ? undefined
        : `'name' is a registered name, as example.net`,
  ],
  heartbeat: [
    within('period_s', 10, YEAR_S),
    within('grace_s', 1, YEAR_S),
    within('run_grace_s', 1, YEAR_S),
    timesFault,
    ({ methods }) =>
      Array.isArray(methods) && methods.some((method) => !METHODS.includes(String(method)))
        ? `'methods' are some of ${METHODS.join(', ')}`
        : undefined,
  ],
  group: [
    within('down', 1, 50),
    ({ rule, down }) =>
      (rule === 'count') === (down === undefined)
        ? `'down' says how many members must be down with the rule \`count\`, and with no other`
        : undefined,
    ({ down, members }) =>
      Array.isArray(members) && Number(down) > members.length
        ? `'down' is at most the number of members, ${members.length}`
        : undefined,
  ],
};

/** A heartbeat has a period, or a cron line in a zone. */
function timesFault({ period_s, cron, zone }: Values): Fault {
  if ((period_s === undefined) === (cron === undefined)) return `write either 'period_s' or 'cron'`;
  if (zone !== undefined && !isZone(String(zone)))
    return `'${zone}' is no time zone: write one as Europe/Berlin`;
  if (cron === undefined)
    return zone === undefined ? undefined : `'zone' is the one of a 'cron' line: leave it out`;
  if (String(cron).trim().split(/\s+/).length !== 5)
    return `'cron' has five fields: minute, hour, day of month, month, day of week`;
  try {
    const times = new Cron(String(cron), { timezone: String(zone ?? 'UTC') });
    return times.nextRun() ? undefined : `'cron' names a time that never comes`;
  } catch (error) {
    return `'cron' cannot be read: ${(error as Error).message}`;
  }
}

/** Fields that have a value; forms leave the others empty. */
export const filledIn = (values: Values): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== ''));

/** Checks the fields of a monitor, those that are secret apart. @throws RpcError 108 that names the field and what to write */
export function checkSpec(kind: Kind, spec: Values, secret: Values): void {
  const form = FORMS.find((one) => one.kind === kind);
  if (!form) throw RpcError.invalid(`there is no kind '${kind}'`);
  const checked: CheckedForm = {
    ...{ kind, fields: form.fields, open: 'spec' },
    check: (values) => CHECKS[kind].map((check) => check(values)).find((fault) => fault),
  };
  checkFields(checked, spec, secret);
}
