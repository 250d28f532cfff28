import { BlockList, isIPv6 } from 'node:net';
import type { AddressClass } from '../api.ts';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** RFC 1918, RFC 6598, RFC 3927, RFC 4193, RFC 4291 §2.5.6. */
const inner = new BlockList();
inner.addSubnet('10.0.0.0', 8, 'ipv4');
inner.addSubnet('172.16.0.0', 12, 'ipv4');
inner.addSubnet('192.168.0.0', 16, 'ipv4');
inner.addSubnet('100.64.0.0', 10, 'ipv4');
inner.addSubnet('169.254.0.0', 16, 'ipv4');
inner.addSubnet('fc00::', 7, 'ipv6');
inner.addSubnet('fe80::', 10, 'ipv6');

/** @param address of a socket; `unix` for the Unix socket, empty for calls of the server itself */
export function addressClass(address: string): AddressClass {
  if (address === '') return 'internal';
  if (address === 'unix') return 'unix';
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  if (loopback.check(address, family)) return 'loopback';
  return inner.check(address, family) ? 'private' : 'public';
}
