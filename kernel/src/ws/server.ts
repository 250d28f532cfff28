import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock, Logger, MessageLimits, Peer, Upgrade } from '@svc/plugin-sdk';
import { WebSocketServer } from 'ws';
import type { KernelHooks } from '../hooks.ts';
import type { Router } from '../http/router.ts';
import { TOO_MANY } from '../http/rpc.ts';
import { withoutUpgrade } from '../http/server.ts';
import type { Load, Slots } from '../load.ts';
import type { Dispatcher } from '../rpc/dispatch.ts';
import { watchFrames } from './frames.ts';
import { SocketPeer } from './peer.ts';
import { RpcPeer } from './rpc-peer.ts';

const SWEEP_MS = 10_000;
/** Agents of the field reconnect when a ping comes before their second reply (clients.md §2.4). */
const FIRST_PING_MS = 30_000;
const PING_EVERY_SWEEPS = 3;
const MAX_MISSED = 2;

interface Options {
  readonly hooks: KernelHooks;
  readonly router: Router;
  readonly dispatcher: Dispatcher;
  readonly load: Load;
  readonly slots: Slots;
  readonly log: Logger;
  readonly clock: Clock;
  readonly maxRequestBytes: () => number;
}

/** Upgrades, JSON-RPC peers and their liveness. The one place that makes WebSockets. */
export class WsServer {
  readonly #options: Options;
  readonly #peers = new Set<RpcPeer>();
  readonly #others = new Set<SocketPeer>();
  readonly #endSweep: () => void;
  #handshake: WebSocketServer;
  #sweeps = 0;
  #stopping = false;

  constructor(options: Options) {
    this.#options = options;
    this.#handshake = this.#createHandshake();
    this.#endSweep = options.clock.interval(() => this.#checkLiveness(), SWEEP_MS);
  }

  get size(): number {
    return this.#peers.size;
  }

  /** New connections follow the configuration's new limits. */
  reload(): void {
    this.#handshake = this.#createHandshake();
  }

  readonly onUpgrade =
    (server: Server, unix: boolean) => (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', (error) => this.#options.log.debug('socket failed', { error }));
      const path = (request.url ?? '/').split('?', 1)[0] as string;
      if (!/^websocket$/i.test(request.headers.upgrade ?? '') || this.#options.router.match(path)) {
        withoutUpgrade(server, request, socket, head);
        return;
      }
      this.#upgrade(request, socket as Socket, head, path, unix).catch((error) => {
        this.#options.log.error('upgrade failed', { path, error });
        socket.destroy();
      });
    };

  /** Every JSON-RPC peer finishes its calls and is closed; the others are left to their plugins. */
  async closePeers(code: number, grace_ms: number): Promise<void> {
    await Promise.all([...this.#peers].map((peer) => peer.finish(code, grace_ms)));
  }

  /** Closes all, also who is still on the way: whose TCP connection was there before. */
  async stop(grace_ms: number): Promise<void> {
    this.#stopping = true;
    this.#endSweep();
    await this.closePeers(1001, grace_ms);
    for (const peer of this.#others) peer.close(1001);
    await Promise.all([...this.#peers, ...this.#others].map(gone));
  }

  async #upgrade(
    request: IncomingMessage,
    socket: Socket,
    head: Buffer,
    path: string,
    unix: boolean,
  ): Promise<void> {
    const { hooks, log } = this.#options;
    const address = socket.remoteAddress ?? '127.0.0.1';
    if (hooks.upgrade.isUsed()) {
      const url = request.url ?? '/';
      const upgrade: Upgrade = {
        path,
        query: new URLSearchParams(url.slice(path.length + 1)),
        headers: request.headers,
        request,
        peerAddress: address,
        refuse: (status, text, headers) => refuse(socket, status, text, headers),
        accept: (limits) => this.#accept(request, socket, head, address, limits),
      };
      if (await hooks.upgrade.promise(upgrade)) return;
    }
    // RFC 6455 §4.4; the library would take version 8 too.
    if (request.headers['sec-websocket-version'] !== '13') {
      refuse(socket, 426, 'Sec-Websocket-Version must be 13', { 'sec-websocket-version': '13' });
      return;
    }
    if (!this.#options.slots.take(unix)) {
      log.warn('no free place for a connection', { limit: this.#options.slots.limit });
      refuse(socket, 429, TOO_MANY);
      return;
    }
    let taken = false;
    socket.once('close', () => {
      if (!taken) this.#options.slots.free();
    });
    this.#handshake.handleUpgrade(request, socket, head, (ws) => {
      taken = true;
      const peer = new RpcPeer(ws, socket, address, this.#options);
      this.#peers.add(peer);
      ws.once('close', () => {
        this.#options.slots.free();
        this.#peers.delete(peer);
      });
      if (this.#stopping) void peer.finish(1001, 0);
    });
  }

  #accept(
    request: IncomingMessage,
    socket: Socket,
    head: Buffer,
    address: string,
    limits?: MessageLimits,
  ): Promise<Peer> {
    const handshake = limits ? bounded(limits) : this.#handshake;
    return new Promise((resolve, reject) => {
      socket.once('close', () => reject(new Error('the socket closed during the handshake')));
      handshake.handleUpgrade(request, socket, head, (ws) => {
        ws.pause();
        const peer = new SocketPeer(ws, socket, address, this.#options);
        if (limits)
          socket.on(
            'data',
            watchFrames(limits.maxFrameBytes, () => peer.tooBig()),
          );
        this.#others.add(peer);
        ws.once('close', () => this.#others.delete(peer));
        if (this.#stopping) peer.close(1001);
        resolve(peer);
      });
    });
  }

  #createHandshake(): WebSocketServer {
    return new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      handleProtocols: noProtocol,
      // A frame as large as the limit is refused already (conventions.md §1).
      maxPayload: Math.max(this.#options.maxRequestBytes() - 1, 1),
      // The parser answers -32700 to bytes that are not UTF-8; the connection stays.
      skipUTF8Validation: true,
    });
  }

  #checkLiveness(): void {
    this.#sweeps++;
    const now = this.#options.clock.now();
    for (const peer of [...this.#peers, ...this.#others]) {
      const isRpc = peer instanceof RpcPeer;
      // One that back-pressure keeps from being read cannot be heard to answer; a ping still finds a dead socket.
      const counts = isRpc || peer.isRead;
      if (counts && peer.missed >= MAX_MISSED) {
        peer.terminate();
        continue;
      }
      const age = now - peer.opened;
      const settled = !isRpc || peer.answered >= 2 || age >= 2 * FIRST_PING_MS;
      if (age >= FIRST_PING_MS && settled && this.#sweeps % PING_EVERY_SWEEPS === 0)
        peer.ping(counts);
    }
  }
}

function refuse(
  socket: Socket,
  status: number,
  text: string,
  headers: { readonly [name: string]: string } = {},
): void {
  const all = {
    connection: 'close',
    'content-type': 'text/plain',
    'content-length': Buffer.byteLength(text),
    date: new Date().toUTCString(),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${text}`);
}

/** The library would select the first one offered (conventions.md §3.1). */
const noProtocol = (): false => false;

/** A handshake for a peer with limits of its own. */
const bounded = ({ maxMessageBytes }: MessageLimits): WebSocketServer =>
  new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    handleProtocols: noProtocol,
    maxPayload: maxMessageBytes,
  });

const gone = (peer: SocketPeer): Promise<void> =>
  peer.closed.aborted
    ? Promise.resolve()
    : new Promise((resolve) =>
        peer.closed.addEventListener('abort', () => resolve(), { once: true }),
      );
