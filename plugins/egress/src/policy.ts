import { BlockList, isIP, isIPv4 } from 'node:net';
import { UserError } from '@svc/plugin-sdk';
import { embedded, isPublic } from './addresses.ts';

/** Policy of the targets that requests may reach. */
export interface Policy {
  /** Tells whether a host may be reached at its resolved address. */
  allows(target: {
    readonly host: string;
    readonly port: number;
    readonly address: string;
  }): boolean;
}

interface Rule {
  readonly port: number | undefined;
  matches(host: string, address: string): boolean;
}

/**
 * Public addresses are always allowed, others where an entry lists them: an address, a network (`10.0.0.0/8`), a
 * host name (whatever it resolves to), each with an optional `:port`, or `*` for everything.
 * @throws UserError that names the entry and `key`, where the entries come from
 */
export function policyOf(entries: readonly string[], key = 'allow'): Policy {
  const rules = entries.map((entry) => ruleOf(entry, key));
  return {
    allows: ({ host, port, address }) =>
      isPublic(address) ||
      rules.some((rule) => (rule.port ?? port) === port && rule.matches(host, address)),
  };
}

const pattern =
  /^(?:\[(?<v6>[0-9a-f:.]+)\]|(?<plain>[^:\s[\]]+)|(?<bare>[0-9a-f:]+(?:\/\d+)?))(?::(?<port>\d+))?$/i;

function ruleOf(entry: string, key: string): Rule {
  const { v6, plain, bare, port: digits } = pattern.exec(entry)?.groups ?? {};
  const text = v6 ?? plain ?? bare;
  const port = digits === undefined ? undefined : Number(digits);
  if (text === undefined || (port !== undefined && port > 65_535)) throw bad(entry, key);
  if (text === '*') return { port, matches: () => true };
  const [address = '', bits] = text.split('/');
  if (isIP(address) === 0) {
    if (bits !== undefined || !/^[\w.-]+$/.test(text)) throw bad(entry, key);
    const name = text.toLowerCase();
    return { port, matches: (host) => host.toLowerCase() === name };
  }
  const list = new BlockList();
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  try {
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  } catch {
    throw bad(entry, key);
  }
  return { port, matches: (_host, given) => isListed(list, given) };
}

function isListed(list: BlockList, address: string): boolean {
  if (isIPv4(address)) return list.check(address, 'ipv4');
  const plain = address.replace(/%.*/s, '');
  const within = embedded(plain);
  return list.check(plain, 'ipv6') || (within !== undefined && list.check(within, 'ipv4'));
}

const bad = (entry: string, key: string): UserError =>
  new UserError(
    `${key}: '${entry}' is neither an address, a network, a host name nor '*', with an optional port`,
  );
