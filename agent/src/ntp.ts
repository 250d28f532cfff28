import { randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import type { Clock } from './clock.ts';
import type { Logger } from './log.ts';

const LIMIT_MS = 10_000;
const UNIX_EPOCH_IN_NTP_S = 2_208_988_800;

/**
 * Milliseconds to add to the local clock; 0 when the server cannot be asked (clients.md §2.4 step 2).
 * With an empty name no server is asked. Takes at most 10 s and never rejects.
 */
export async function ntpOffset(server: string, clock: Clock, log: Logger): Promise<number> {
  if (server === '') {
    log.info('no ntp_server: the local clock is taken as it is');
    return 0;
  }
  const limit = new AbortController();
  const cancel = clock.after('ntp', LIMIT_MS, () => limit.abort(new Error('no answer in 10 s')));
  try {
    const offset_ms = await query(server, clock, limit.signal);
    log.info('clock offset measured', { ntp_server: server, offset_ms });
    return offset_ms;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    log.warn('clock offset unknown, taken as 0', { ntp_server: server, reason });
    return 0;
  } finally {
    cancel();
  }
}

/** Reads `host`, `host:port`, `[v6]`, `[v6]:port` or a bare IPv6 address; the port is 123 by default. */
export function parseNtpServer(text: string): { host: string; port: number } {
  const match = /^\[([^\]]+)\](?::(\d+))?$/.exec(text) ?? /^([^:]+)(?::(\d+))?$/.exec(text);
  return { host: match?.[1] ?? text, port: Number(match?.[2] ?? 123) };
}

async function query(server: string, clock: Clock, signal: AbortSignal): Promise<number> {
  const { host, port } = parseNtpServer(server);
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
  const { address, family } = await Promise.race([lookup(host), aborted]);
  const socket = createSocket(family === 6 ? 'udp6' : 'udp4');
  try {
    return await Promise.race([exchange(socket, { address, port }, clock), aborted]);
  } finally {
    socket.close();
  }
}

function exchange(
  socket: Socket,
  peer: { address: string; port: number },
  clock: Clock,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = ntpRequest();
    let sent_ms = 0;
    socket.on('error', reject);
    socket.on('message', (answer) => {
      const offset = offsetFrom(answer, request, sent_ms, clock.now());
      if (offset !== undefined) resolve(offset);
    });
    // A connected socket receives only from its peer, and reports a closed port at once.
    socket.connect(peer.port, peer.address, (error?: Error) => {
      if (error) return reject(error);
      sent_ms = clock.now();
      socket.send(request, (failure) => failure && reject(failure));
    });
  });
}

/** A client packet. Its transmit time is a random value, which the answer has to repeat. */
export function ntpRequest(): Buffer {
  const packet = Buffer.alloc(48);
  packet[0] = 0x23; // version 4, mode 3 (client)
  randomBytes(8).copy(packet, 40);
  return packet;
}

function stampToUnixMs(packet: Buffer, at: number): number {
  const seconds = packet.readUInt32BE(at);
  // The counter starts again at 0 in 2036, so a small value belongs to the next era.
  const era = seconds < 0x8000_0000 ? 2 ** 32 : 0;
  const fraction = packet.readUInt32BE(at + 4) / 2 ** 32;
  return (seconds + era - UNIX_EPOCH_IN_NTP_S + fraction) * 1000;
}

/** Clock offset in ms by RFC 4330, or undefined for a packet that is no usable answer to this request. */
export function offsetFrom(
  answer: Buffer,
  request: Buffer,
  sent_ms: number,
  received_ms: number,
): number | undefined {
  if (answer.length < 48) return undefined;
  const [head = 0, stratum = 0] = answer;
  const isServer = (head & 0x07) === 4 && head >> 6 !== 3 && stratum >= 1 && stratum <= 15;
  if (!isServer || !answer.subarray(24, 32).equals(request.subarray(40, 48))) return undefined;
  const arrived_ms = stampToUnixMs(answer, 32);
  const answered_ms = stampToUnixMs(answer, 40);
  return Math.round((arrived_ms - sent_ms + (answered_ms - received_ms)) / 2);
}
