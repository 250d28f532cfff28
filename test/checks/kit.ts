/** Peers on loopback with faults, and the means of a check. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { createServer as createSecure, type TlsOptions } from 'node:tls';
import {
  type Clock,
  type HttpSpec,
  type Network,
  type Outcome,
  plainDoor,
  type RunOptions,
  withPing,
} from '../../checks/src/index.ts';

export const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.address === '::1');

/** Timers that wait. */
let timers = 0;
export const openTimers = (): number => timers;

export const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  timeout(run, ms) {
    timers++;
    let isOpen = true;
    const close = () => {
      if (isOpen) timers--;
      isOpen = false;
    };
    const timer = setTimeout(() => {
      close();
      run();
    }, ms);
    return () => {
      clearTimeout(timer);
      close();
    };
  },
};

/** Long enough for any machine: what ends by itself must not depend on it. */
const PLENTY_MS = 60_000;

export const optionsFor = (more: Partial<RunOptions> = {}): RunOptions => ({
  ...{ network: withPing(plainDoor), timeout_ms: PLENTY_MS, clock },
  ...{ signal: new AbortController().signal, ...more },
});

export const http = (url: string, more: Partial<HttpSpec> = {}): HttpSpec => ({
  ...{ kind: 'http', url, method: 'GET', headers: [], follow: 3 },
  ...{ ignore_tls: false, max_bytes: 65_536, ...more },
});

/** Network that finds every name on loopback. */
export const loopback = (network: Network = withPing(plainDoor)): Network => ({
  ...network,
  addresses: async () => [{ address: '127.0.0.1', family: 4 }],
});

export interface Peer {
  readonly port: number;
  /** Connections since the start. */
  readonly count: () => number;
  /** What was sent to it. */
  readonly heard: () => string;
  /** Resolves when the other side has closed all connections. */
  readonly left: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface PeerOptions {
  readonly host?: string;
  readonly tls?: TlsOptions;
}

/** A server that gives each connection to `serve`. */
export async function startPeer(
  serve: (socket: Socket) => void,
  { host = '127.0.0.1', tls }: PeerOptions = {},
): Promise<Peer> {
  const sockets = new Set<Socket>();
  let [count, heard] = [0, ''];
  const take = (socket: Socket) => {
    count++;
    // Peers that are cut off in a sentence are what these tests are about.
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      heard += chunk;
    });
    serve(socket);
  };
  const server = tls ? createSecure(tls, take) : createServer(take);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    count: () => count,
    heard: () => heard,
    async left() {
      const closed = (one: Socket) => new Promise((done) => one.once('close', done));
      while (sockets.size > 0) await Promise.all([...sockets].map(closed));
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Calls `serve` with the first text that came. */
export const onText =
  (serve: (socket: Socket, text: string) => void) =>
  (socket: Socket): void =>
    void socket.once('data', (chunk) => serve(socket, String(chunk)));

/** Answers each request with these bytes, and keeps the connection open. */
export const says = (text: string | Buffer) => onText((socket) => void socket.write(text));

/** Writes again and again for as long as the other side reads. */
export function floods(head: string, again: string | Buffer) {
  return onText((socket) => {
    socket.write(head);
    const more = () => {
      while (!socket.destroyed && socket.write(again));
    };
    socket.on('drain', more);
    more();
  });
}

/** Writes a little every few milliseconds. */
export const drips = (head: string, again: string) =>
  onText((socket) => {
    socket.write(head);
    const timer = setInterval(() => void socket.write(again), 5);
    socket.on('close', () => clearInterval(timer));
  });

/** Values of an outcome without times. */
export const valuesOf = ({ values }: Outcome): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !/^ms(?:_|$)/.test(name)));
