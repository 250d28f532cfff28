import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Clock } from './clock.ts';
import { withLimit } from './limits.ts';

/** Limit of one look-up of a name (clients.md §2.8). */
const LOOKUP_MS = 2000;

/**
 * The addresses of a host, in the order that the system gives. For a host that is an address: that address.
 * @throws Error when nothing is found within 2 s
 */
export async function addressesOf(
  host: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<LookupAddress[]> {
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  if (host === '') throw new Error('the host name is empty');
  const limit = { clock, label: 'look-up', ms: LOOKUP_MS, parent: signal };
  return await withLimit(limit, () => lookup(host, { all: true }));
}
