import type { LookupAddress } from 'node:dns';
import type { Clock } from './types.ts';

/** Time that an address has for itself before the next one is tried at the same time (RFC 8305 §5). */
const DELAY_MS = 250;
/** Least time between two attempts (RFC 8305 §5). */
const SHORTEST_MS = 10;
/** Time within which the last address of many is tried. */
const ALL_WITHIN_MS = 800;

const OVER = new Error('another address has answered');

/**
 * Returns the first answer of one of a host's addresses. They are tried in the order of RFC 8305: the families take turns, and
 * the next address follows when the newest attempt failed, or after 250 ms, less where there are more than four. The other
 * attempts are ended by their signal.
 * @throws the failure of the first address when all have failed; the signal's reason
 */
export async function firstAnswer<T>(
  addresses: readonly LookupAddress[],
  attempt: (address: string, signal: AbortSignal) => Promise<T>,
  { clock, signal }: { readonly clock: Pick<Clock, 'timeout'>; readonly signal: AbortSignal },
): Promise<T> {
  if (addresses.length === 0) throw new Error('the host has no address');
  const waiting = inTurns(addresses);
  const delay_ms = Math.max(SHORTEST_MS, Math.min(DELAY_MS, ALL_WITHIN_MS / waiting.length));
  const over = new AbortController();
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const failures: unknown[] = [];
  let begun = 0;
  let failed = 0;
  let cancel = () => {};
  const next = () => {
    cancel();
    const found = waiting.shift();
    if (!found || over.signal.aborted) return;
    const at = begun++;
    if (waiting.length > 0) cancel = clock.timeout(next, delay_ms);
    attempt(found.address, over.signal).then(resolve, (failure: unknown) => {
      failures[at] = failure;
      failed += 1;
      if (waiting.length > 0) next();
      else if (failed === begun) reject(failures[0]);
    });
  };
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  else next();
  try {
    return await promise;
  } finally {
    cancel();
    signal.removeEventListener('abort', stop);
    // Without a reason Node makes one, with a trace of the stack.
    over.abort(signal.reason ?? OVER);
  }
}

/** Returns one address of each family after the other, beginning with the family that the system prefers (RFC 8305 §4). */
export function inTurns(addresses: readonly LookupAddress[]): LookupAddress[] {
  const [first] = addresses;
  const preferred = addresses.filter(({ family }) => family === first?.family);
  const others = addresses.filter(({ family }) => family !== first?.family);
  return Array.from({ length: Math.max(preferred.length, others.length) }, (_, at) => [
    preferred[at],
    others[at],
  ])
    .flat()
    .filter((found) => found !== undefined);
}
