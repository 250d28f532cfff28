import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { type Finding, finding } from '@svc/plugin-sdk';
import type { Connection, Forwarded } from '@svc/plugin-sdk/http';
import { Networks, plainAddress } from './address.ts';

/** Addresses of this machine: a program on it may say over which scheme it was asked. */
const HERE = new Networks('trusted_proxies', ['127.0.0.0/8', '::1', 'unix']);

/**
 * The one place that reads `x-forwarded-for` and `x-forwarded-proto`: they count from trusted proxies only. Where none are
 * listed the scheme counts from this machine, since a proxy there is the rule and an address would be worth inventing.
 */
export class Proxies {
  #networks = new Networks('trusted_proxies', []);
  #areListed = false;

  /** @throws UserError for an entry that is no address and no network */
  configure(entries: readonly string[]): void {
    this.#networks = new Networks('trusted_proxies', entries);
    this.#areListed = entries.length > 0;
  }

  /** Has the address and scheme of the client read from its requests, where the peer is a trusted proxy. */
  attach(connection: Connection): void {
    const { address, unix } = connection;
    if (this.#networks.has(address, unix))
      connection.forwarded = (request) => this.#forwarded(request);
    else if (!this.#areListed && HERE.has(address, unix)) connection.tookSecurely = secureIn;
  }

  #forwarded(request: IncomingMessage): Forwarded {
    const client = this.#client(String(request.headers['x-forwarded-for'] ?? ''));
    return { address: client, secure: secureIn(request) };
  }

  /** The last address of the list that is no trusted proxy: what stands before it may be invented by the client. */
  #client(field: string): string | undefined {
    let found: string | undefined;
    for (const entry of field.split(',').reverse()) {
      const address = addressIn(entry.trim());
      if (address === undefined) return found;
      found = address;
      if (!this.#networks.has(address)) return found;
    }
    return found;
  }
}

function secureIn({ headers }: IncomingMessage): boolean | undefined {
  const [first = ''] = String(headers['x-forwarded-proto'] ?? '').split(',', 1);
  const said = first.trim().toLowerCase();
  return said === 'https' ? true : said === 'http' ? false : undefined;
}

/** Returns what `doctor` reports of the proxies of a configuration. */
export function proxyFinding(entries: readonly string[]): Finding {
  const wide = entries.find((entry) => /^(?:0\.0\.0\.0|::)\/[0-7]$/.test(entry));
  if (wide !== undefined) {
    const message = `trusted_proxies has ${wide}: every client may claim the address of another one.`;
    return finding('proxies', 'problem', message, 'List the addresses of your proxies only.');
  }
  if (entries.length > 0) {
    const message = `x-forwarded-for and x-forwarded-proto count from ${entries.join(', ')}.`;
    return finding('proxies', 'ok', message);
  }
  return finding(
    'proxies',
    'ok',
    'No proxy is trusted: x-forwarded-for does not count, and x-forwarded-proto from this machine only.',
  );
}

/** `192.0.2.1`, `192.0.2.1:1234`, `2001:db8::1`, `[2001:db8::1]:1234`. */
function addressIn(entry: string): string | undefined {
  const six = /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1];
  const four = /^([\d.]+):\d+$/.exec(entry)?.[1];
  const address = plainAddress(six ?? four ?? entry);
  return isIP(address) === 0 ? undefined : address;
}
