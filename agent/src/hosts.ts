import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { withLimit } from './limits.ts';
import type { TaskRuntime } from './task-context.ts';

/** Limit of one look-up of a name (clients.md §2.8). */
const LOOKUP_MS = 2000;

/**
 * The addresses of a host, in the order that the system gives. For a host that is an address: that address.
 * @throws Error when nothing is found within 2 s
 */
export async function addressesOf(
  host: string,
  { clock, lookup }: Pick<TaskRuntime, 'clock' | 'lookup'>,
  signal: AbortSignal,
): Promise<LookupAddress[]> {
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  if (host === '') throw new Error('the host name is empty');
  const limit = { clock, label: 'look-up', ms: LOOKUP_MS, parent: signal };
  const found = await withLimit(limit, () => lookup(host));
  if (found.length === 0) throw new Error(`no address for ${host}`);
  return found;
}
