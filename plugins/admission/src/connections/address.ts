import { BlockList, isIP } from 'node:net';
import { UserError } from '@svc/plugin-sdk';

/** IPv4 as such where the listener maps it to IPv6. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

/** Addresses that one customer of a network usually has count as one: an IPv4 address, 64 bits of an IPv6 one. */
export function countedAs(address: string): string {
  const plain = plainAddress(address);
  if (!plain.includes(':')) return plain;
  const [head = '', tail] = (plain.split('%', 1)[0] as string).split('::', 2);
  const groups = head === '' ? [] : head.split(':');
  const rest = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - rest.length) }, () => '0');
  const all = tail === undefined ? groups : [...groups, ...zeros, ...rest];
  const first = all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${first.join(':')}::/64`;
}

/** Addresses and networks of a configuration. The word `unix` stands for the Unix socket. */
export class Networks {
  readonly #list = new BlockList();
  readonly #unix: boolean;

  /** @throws UserError that names the key */
  constructor(key: string, entries: readonly string[]) {
    this.#unix = entries.includes('unix');
    for (const entry of entries) if (entry !== 'unix') this.#add(key, entry);
  }

  has(address: string, unix = false): boolean {
    if (unix) return this.#unix;
    const plain = plainAddress(address);
    const family = isIP(plain);
    return family !== 0 && this.#list.check(plain, family === 6 ? 'ipv6' : 'ipv4');
  }

  #add(key: string, entry: string): void {
    const [address = '', bits, more] = entry.split('/');
    const family = isIP(address);
    const most = family === 6 ? 128 : 32;
    const length = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
    if (family === 0 || more !== undefined || !(length <= most))
      throw new UserError(`${key}: '${entry}' is no address and no network such as 10.0.0.0/8`);
    this.#list.addSubnet(address, length, family === 6 ? 'ipv6' : 'ipv4');
  }
}
