const HEXTETS = 8;
const OF_NETWORK = 4;
const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** Network from which one sender can choose addresses: an IPv4 address, or the /64 of an IPv6 one. Other texts stay. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [, plain] = mapped.exec(address) ?? [];
  if (plain) return plain;
  const [left = '', right] = (address.split('%')[0] ?? '').split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right === undefined || right === '' ? [] : right.split(':');
  const gap = Math.max(0, HEXTETS - head.length - tail.length);
  const all = [...head, ...Array<string>(right === undefined ? 0 : gap).fill('0'), ...tail];
  const network = all.slice(0, OF_NETWORK).map((part) => Number.parseInt(part, 16).toString(16));
  return `${network.join(':')}::/64`;
}
