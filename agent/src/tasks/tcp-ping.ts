import { connect } from 'node:net';
import { firstAnswer } from '@svc/checks';
import { type Clock, checkClock } from '../clock.ts';
import { readText } from '../content.ts';
import { addressesOf } from '../hosts.ts';
import { withLimit } from '../limits.ts';
import { elapsed } from '../measure.ts';
import type { TaskHandler } from '../task-context.ts';

/** Limit of the connection, the look-up of the name not counted (task.md §6). */
const CONNECT_MS = 1000;

/** Milliseconds to open a TCP connection to `host:port`; of several addresses the first that takes it counts. */
export const tcpPing: TaskHandler = async (content, { runtime, signal }) => {
  const { clock } = runtime;
  const { host, port } = parseTarget(readText(content, 'tcp_ping'));
  const addresses = await addressesOf(host, runtime, signal);
  const limit = { clock, label: 'connection', ms: CONNECT_MS, parent: signal };
  const open = (address: string, over: AbortSignal) => connectTime(address, port, clock, over);
  return await withLimit(limit, (limited) =>
    firstAnswer(addresses, open, { clock: checkClock(clock, 'next address'), signal: limited }),
  );
};

/**
 * Reads `host:port` or `[v6]:port`.
 * @throws Error for anything else
 */
export function parseTarget(text: string): { host: string; port: number } {
  const match = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text.trim());
  const port = Number(match?.[3]);
  const host = match?.[1] ?? match?.[2];
  if (host !== undefined && port >= 1 && port <= 65_535) return { host, port };
  throw new Error('malformed task: tcp_ping must be host:port');
}

function connectTime(
  host: string,
  port: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<number> {
  const begun = clock.steady();
  const socket = connect({ host, port });
  const stop = () => socket.destroy();
  signal.addEventListener('abort', stop);
  return new Promise<number>((resolve, reject) => {
    socket.once('connect', () => resolve(elapsed(clock, begun)));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('no connection')));
  }).finally(() => {
    signal.removeEventListener('abort', stop);
    socket.destroy();
  });
}
