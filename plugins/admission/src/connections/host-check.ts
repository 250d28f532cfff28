import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import type { Connection, Exchange, Upgrade } from '@svc/plugin-sdk/http';
import type { ConfigWarning } from '@svc/plugin-sdk/kernel';
import type { Refusals } from '../api.ts';
import type { HostSettings } from './config.ts';

const TEXT = { 'content-type': 'text/plain; charset=utf-8' };
const WRONG_HOST =
  'This server does not answer to this host name: allowed_hosts lists those it has\n';
const WRONG_ORIGIN = 'Web pages of this origin may not speak to this server: see allowed_origins\n';

interface Refusal {
  readonly status: 421 | 403;
  readonly text: string;
}

/** Host names, origins, and the header that keeps browsers on TLS. */
export class HostCheck {
  readonly #settings: HostSettings;
  readonly #refusals: Refusals;

  constructor(settings: HostSettings, refusals: Refusals) {
    this.#settings = settings;
    this.#refusals = refusals;
  }

  /** Answers a request for a host name that is not allowed. */
  request(exchange: Exchange): true | undefined {
    const { hsts_seconds: seconds } = this.#settings;
    if (seconds !== undefined && exchange.secure)
      exchange.response.setHeader('strict-transport-security', `max-age=${seconds}`);
    const refusal = this.#host(exchange.connection, exchange.request.headers);
    if (!refusal) return undefined;
    this.#refusals.refused('a host name that is not allowed', exchange.peerAddress);
    exchange.text(refusal.status, refusal.text, TEXT);
    return true;
  }

  /** Answers a JSON-RPC request of a web page whose origin is not allowed. */
  call(exchange: Exchange): true | undefined {
    const refusal = this.#origin(exchange.request.headers);
    if (!refusal) return undefined;
    this.#refusals.refused('an origin that is not allowed', exchange.peerAddress);
    exchange.text(refusal.status, refusal.text, TEXT);
    return true;
  }

  upgrade(upgrade: Upgrade): true | undefined {
    const { connection, headers, peerAddress } = upgrade;
    const wrongHost = this.#host(connection, headers);
    const refusal = wrongHost ?? this.#origin(headers);
    if (!refusal) return undefined;
    const what = wrongHost ? 'a host name' : 'an origin';
    this.#refusals.refused(`${what} that is not allowed`, peerAddress);
    upgrade.refuse(refusal.status, refusal.text, TEXT);
    return true;
  }

  /** Returns warnings about these settings for the operator. @param url where the server listens; empty: it does not */
  advice(url: string): ConfigWarning[] {
    const { allowed_hosts: allowed } = this.#settings;
    const isLocal = url === '' || /^https?:\/\/(?:127\.|\[::1\])/.test(url);
    const isOnlyLocal = allowed?.every((name) => /^(?:.*\.)?localhost$/i.test(name));
    const message = allowed === undefined ? NO_HOSTS : isOnlyLocal && !isLocal ? ONLY_LOCAL : '';
    return message === '' ? [] : [{ kind: 'advice', key: 'allowed_hosts', message }];
  }

  #host({ unix }: Connection, { host }: IncomingHttpHeaders): Refusal | undefined {
    const { allowed_hosts: allowed } = this.#settings;
    if (allowed === undefined || unix || host === undefined) return undefined;
    const name = nameOf(host);
    const isAllowed = isIP(name) !== 0 || allowed.some((entry) => covers(entry, name));
    return isAllowed ? undefined : { status: 421, text: WRONG_HOST };
  }

  /** A page that this server itself delivers names the host it was asked for. */
  #origin({ origin, host }: IncomingHttpHeaders): Refusal | undefined {
    const { allowed_origins: allowed } = this.#settings;
    if (allowed === undefined || origin === undefined) return undefined;
    const given = origin.toLowerCase();
    if (given.replace(/^https?:\/\//, '') === host?.toLowerCase()) return undefined;
    const isAllowed = allowed.some((entry) => entry.replace(/\/$/, '').toLowerCase() === given);
    return isAllowed ? undefined : { status: 403, text: WRONG_ORIGIN };
  }
}

const NO_HOSTS =
  'allowed_hosts is not set: a name that an attacker points at this server reaches it through a browser; list the host names of this server, such as allowed_hosts = ["localhost"]';

const ONLY_LOCAL =
  'allowed_hosts names this machine only, and the server listens for others: they reach it by its address, by a name only when that is listed';

/** The name or address of a `Host` field, without port, brackets and final dot. */
function nameOf(host: string): string {
  const six = /^\[([^\]]*)\]/.exec(host)?.[1];
  return six ?? host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
}

/** `*.example.net` covers every name below `example.net`. */
function covers(entry: string, name: string): boolean {
  const wanted = entry.toLowerCase();
  return wanted.startsWith('*.') ? name.endsWith(wanted.slice(1)) : name === wanted;
}
