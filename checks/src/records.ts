import type { CaaRecord } from 'node:dns';
import type { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

export const RECORD_TYPES = [
  'a',
  'aaaa',
  'cname',
  'mx',
  'txt',
  'ns',
  'srv',
  'ptr',
  'soa',
  'caa',
] as const;
export type RecordType = (typeof RECORD_TYPES)[number];

type LookUp = (resolver: Resolver, domain: string) => Promise<string[]>;

/** Answers hold names with a trailing dot, which Node's resolver removes. */
const dotted = (name: string): string => (name.endsWith('.') ? name : `${name}.`);

/** The query of each type, and the text of its records (task.md §2.1). */
const LOOK_UPS: Record<RecordType, LookUp> = {
  a: (resolver, domain) => resolver.resolve4(domain),
  aaaa: (resolver, domain) => resolver.resolve6(domain),
  cname: async (resolver, domain) => (await resolver.resolveCname(domain)).map(dotted),
  mx: async (resolver, domain) =>
    (await resolver.resolveMx(domain)).map((mx) => `${mx.priority} ${dotted(mx.exchange)}`),
  txt: async (resolver, domain) =>
    // Node gives one character per byte.
    (await resolver.resolveTxt(domain)).map((chunks) =>
      Buffer.from(chunks.join(''), 'latin1').toString('utf8'),
    ),
  ns: async (resolver, domain) => (await resolver.resolveNs(domain)).map(dotted),
  srv: async (resolver, domain) =>
    (await resolver.resolveSrv(domain)).map(
      (srv) => `${srv.priority} ${srv.weight} ${srv.port} ${dotted(srv.name)}`,
    ),
  ptr: async (resolver, domain) => (await resolver.resolvePtr(reverseName(domain))).map(dotted),
  soa: async (resolver, domain) => {
    const soa = await resolver.resolveSoa(domain);
    const numbers = [soa.serial, soa.refresh, soa.retry, soa.expire, soa.minttl];
    return [`${dotted(soa.nsname)} ${dotted(soa.hostmaster)} ${numbers.join(' ')}`];
  },
  caa: async (resolver, domain) => (await resolver.resolveCaa(domain)).flatMap(caaText),
};

/**
 * The records of one type as text.
 * @throws Error when the name has none, or no server answers
 */
export const lookUp = (resolver: Resolver, domain: string, type: RecordType): Promise<string[]> =>
  LOOK_UPS[type](resolver, domain);

/** Tag and quoted value, without the flags. */
function caaText(record: CaaRecord): string[] {
  return Object.entries(record)
    .filter(([tag]) => tag !== 'critical' && tag !== 'type')
    .map(([tag, value]) => `${tag} ${JSON.stringify(value)}`);
}

/** The name to ask for the names of an address: `4.3.2.1.in-addr.arpa`. A name is returned unchanged. */
export function reverseName(address: string): string {
  const family = isIP(address);
  if (family === 4) return `${address.split('.').reverse().join('.')}.in-addr.arpa`;
  if (family === 6) return `${[...nibbles(address)].reverse().join('.')}.ip6.arpa`;
  return address;
}

/** The 32 hexadecimal digits of an IPv6 address. */
function nibbles(address: string): string {
  const [text = ''] = address.split('%');
  // The URL parser gives the canonical form, with an IPv4 part at the end in hexadecimal.
  const canonical = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':'));
  const left = groups(head);
  const right = groups(tail ?? '');
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].map((group) => group.padStart(4, '0')).join('');
}
