import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Addresses that no public host has: private, loopback, link-local, documentation, multicast, reserved. */
const INNER_4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;
const INNER_6 = [
  ['::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const;
let list: BlockList | undefined;

/** Created for the first fetch of a script: it takes milliseconds of a start. */
function inner(): BlockList {
  if (list) return list;
  list = new BlockList();
  for (const [address, bits] of INNER_4) list.addSubnet(address, bits, 'ipv4');
  for (const [address, bits] of INNER_6) list.addSubnet(address, bits, 'ipv6');
  return list;
}

/** Groups of an IPv6 address, eight of them, without its scope. */
function groupsOf(address: string): number[] {
  const { hostname } = new URL(`http://[${address.replace(/%.*/s, '')}]`);
  const [head = '', tail] = hostname.slice(1, -1).split('::');
  const numbers = (text: string) =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  if (tail === undefined) return numbers(head);
  const [left, right] = [numbers(head), numbers(tail)];
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
}

const ipv4Of = (high: number, low: number): string =>
  [high >> 8, high & 255, low >> 8, low & 255].join('.');

/** IPv4 address that an IPv6 address stands for: mapped, translated (stateless or NAT64) or 6to4. */
export function embedded(address: string): string | undefined {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groupsOf(address);
  const isZero = (...groups: number[]) => groups.every((group) => group === 0);
  if (isZero(a, b, c, d, e) && f === 0xffff) return ipv4Of(g, h);
  if (isZero(a, b, c, d, f) && e === 0xffff) return ipv4Of(g, h);
  if (a === 0x64 && b === 0xff9b && isZero(c, d, e, f)) return ipv4Of(g, h);
  return a === 0x2002 ? ipv4Of(b, c) : undefined;
}

/** Tells whether requests may go there without being allowed by name. */
export function isPublic(address: string): boolean {
  if (isIPv4(address)) return !inner().check(address, 'ipv4');
  if (!isIPv6(address.replace(/%.*/s, ''))) return false;
  const within = embedded(address);
  if (within !== undefined) return !inner().check(within, 'ipv4');
  return !inner().check(address.replace(/%.*/s, ''), 'ipv6');
}
