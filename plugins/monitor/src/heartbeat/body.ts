import type { Clock } from '@svc/plugin-sdk';
import { type Exchange, TooBusy } from '@svc/plugin-sdk/http';

/** Bytes of a body that are kept. */
export const MOST_BODY = 10_000;
/** Bytes that are read at most: what comes behind them ends with the connection. */
const MOST_READ = 1_000_000;
/** Time that a body may take; its connection ends then. */
const MOST_MS = 30_000;
/** Memory of one chunk besides its bytes. */
const CHUNK_COST = 256;

/** Returns the beginning of a body; the rest is read and dropped. @throws TooBusy, and what a broken connection throws */
export async function startOfBody(
  { request, connection, peerAddress }: Exchange,
  clock: Clock,
): Promise<Uint8Array> {
  const kept = Buffer.alloc(Math.min(MOST_BODY, lengthOf(request.headers)));
  const receipt = connection.receive(peerAddress);
  let [filled, read] = [0, 0];
  const cancel = clock.timeout(() => request.destroy(), MOST_MS);
  try {
    if (!receipt.holds(kept.length + CHUNK_COST)) throw new TooBusy();
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      filled += (chunk as Buffer).copy(kept, filled);
      read += (chunk as Buffer).length;
      if (read > MOST_READ) break;
      // Says that it goes on: a body that comes too slowly is ended by whoever counts.
      if (!receipt.holds(kept.length + CHUNK_COST)) throw new TooBusy();
    }
  } finally {
    cancel();
    receipt.holds(0);
  }
  return kept.subarray(0, filled);
}

/** Bytes that a body may have at most, by its headers. */
function lengthOf(headers: Exchange['request']['headers']): number {
  if (headers['transfer-encoding'] !== undefined) return MOST_BODY;
  return Number(headers['content-length'] ?? 0) || 0;
}
