import { once } from 'node:events';
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { MessageLimits, Peer, Upgrade } from '@svc/plugin-sdk';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Link, linkOf } from '../http/connection.ts';
import { TOO_MANY } from '../http/rpc.ts';
import { withoutUpgrade } from '../http/server.ts';
import type { Wiring } from '../network.ts';
import { frameBytes, unfinishedBytes } from '../quirks.ts';
import { anonymous } from '../rpc/principals.ts';
import { SocketPeer } from './peer.ts';
import { RpcPeer } from './rpc-peer.ts';

const SWEEP_MS = 10_000;
/** Deployed agents reconnect when a ping comes before their second reply (clients.md §2.4). */
const FIRST_PING_MS = 30_000;
const PING_EVERY_SWEEPS = 3;
const MAX_MISSED = 2;
/** At a stop, for the answer to a close frame: agents of the field keep their socket. */
const ANSWER_MS = 300;

/** A request for an upgrade, as Node hands it over. */
interface Offer {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  readonly head: Buffer;
  readonly path: string;
  readonly connection: Link;
  readonly address: string;
}

/** Upgrades, JSON-RPC peers and their liveness. The one place that makes WebSockets. */
export class WsServer {
  readonly #wiring: Wiring;
  readonly #peers = new Set<SocketPeer>();
  readonly #endSweep: () => void;
  #sweeps = 0;
  #stopping = false;

  constructor(wiring: Wiring) {
    this.#wiring = wiring;
    this.#endSweep = wiring.clock.interval(() => this.#checkLiveness(), SWEEP_MS);
  }

  /** One for all sockets: an agent keeps its socket for weeks, and a closure of its own would keep the request that opened it. */
  readonly #onError = (error: Error) => this.#wiring.log.debug('socket failed', { error });

  readonly onUpgrade =
    (server: Server) => (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const { log, router } = this.#wiring;
      socket.on('error', this.#onError);
      const path = (request.url ?? '/').split('?', 1)[0] as string;
      if (!/^websocket$/i.test(request.headers.upgrade ?? '') || router.match(path)) {
        return withoutUpgrade(server, request, socket, head);
      }
      const tcp = socket as Socket;
      const connection = linkOf(tcp);
      const address = connection.addressOf(request);
      this.#upgrade({ request, socket: tcp, head, path, connection, address }).catch((error) => {
        log.error('upgrade failed', { path, error });
        socket.destroy();
      });
    };

  /** Every JSON-RPC peer finishes its calls and is closed; the others are left to their plugins. */
  async closePeers(code: number, grace_ms: number, answer_ms?: number): Promise<void> {
    const peers = [...this.#peers].filter((peer) => peer instanceof RpcPeer);
    await Promise.all(peers.map((peer) => peer.finish(code, grace_ms, answer_ms)));
  }

  /** Closes all peers, also those whose handshake is still in progress. */
  async stop(grace_ms: number): Promise<void> {
    this.#stopping = true;
    this.#endSweep();
    await this.closePeers(1001, grace_ms, ANSWER_MS);
    for (const peer of this.#peers) if (!(peer instanceof RpcPeer)) peer.close(1001, '', ANSWER_MS);
    await Promise.all([...this.#peers].map((peer) => peer.isClosed || once(peer.closed, 'abort')));
  }

  async #upgrade(offer: Offer): Promise<void> {
    const { hooks, log, slots } = this.#wiring;
    const { request, socket, connection, address } = offer;
    if (hooks.upgrade.isUsed() && (await hooks.upgrade.promise(this.#upgradeOf(offer)))) return;
    // RFC 6455 §4.4; the library would take version 8 too.
    if (request.headers['sec-websocket-version'] !== '13') {
      refuse(socket, 426, 'Sec-Websocket-Version must be 13', { 'sec-websocket-version': '13' });
      return;
    }
    if (!slots.take(connection.unix)) {
      log.warn('no free place for a connection', { limit: slots.limit });
      refuse(socket, 429, TOO_MANY);
      return;
    }
    socket.on('close', slots.free);
    const maxPayload = this.#largestMessage();
    // The parser answers -32700 to bytes that are not UTF-8; the connection stays.
    shakeHands(offer, { maxPayload, skipUTF8Validation: true }, (ws) => {
      const peer = new RpcPeer(ws, socket, address, this.#wiring);
      this.#add(peer, ws, offer);
      if (this.#stopping) void peer.finish(1001, 0);
    });
  }

  #upgradeOf(offer: Offer): Upgrade {
    const { request, socket, path, connection, address } = offer;
    return {
      path,
      query: new URLSearchParams((request.url ?? '/').slice(path.length + 1)),
      headers: request.headers,
      request,
      connection,
      peerAddress: address,
      refuse: (status, text, headers) => refuse(socket, status, text, headers),
      accept: (limits) => this.#accept(offer, limits),
    };
  }

  /** A peer for a plugin, paused until the plugin listens. */
  #accept(offer: Offer, limits?: MessageLimits): Promise<Peer> {
    const { socket, connection, address } = offer;
    const maxPayload = limits?.maxMessageBytes ?? this.#largestMessage();
    return new Promise((resolve, reject) => {
      socket.once('close', () => reject(new Error('the socket closed during the handshake')));
      shakeHands(offer, { maxPayload, skipUTF8Validation: !limits }, (ws) => {
        ws.pause();
        if (!connection.caller) connection.vouch(anonymous);
        const peer = new SocketPeer(ws, socket, address, this.#wiring);
        this.#add(peer, ws, offer, limits?.maxFrameBytes);
        if (this.#stopping) peer.close(1001);
        resolve(peer);
      });
    });
  }

  /** A frame as large as the limit is refused already (conventions.md §1). */
  readonly #largestMessage = () => Math.max(this.#wiring.maxRequestBytes() - 1, 1);

  #add(peer: SocketPeer, ws: WebSocket, offer: Offer, maxFrame = Infinity): void {
    const { socket, connection, address } = offer;
    const receipt = connection.receive(address);
    let isTooBig = false;
    socket.on('data', () => {
      if (!isTooBig && frameBytes(ws) > maxFrame) {
        isTooBig = true;
        peer.tooBig();
      }
      const held = unfinishedBytes(ws);
      if (held !== receipt.held && !receipt.holds(held)) peer.terminate();
    });
    this.#wiring.log.debug('connection opened', { address });
    this.#peers.add(peer);
    ws.on('close', (code) => {
      receipt.holds(0);
      this.#peers.delete(peer);
      this.#wiring.log.debug('connection closed', { address, code });
    });
  }

  #checkLiveness(): void {
    this.#sweeps++;
    const now = this.#wiring.clock.now();
    for (const peer of this.#peers) {
      const isRpc = peer instanceof RpcPeer;
      // While a peer is not read its pongs do not arrive, so its pings are not counted; they still find a dead socket.
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

function shakeHands(
  { request, socket, head }: Offer,
  options: { readonly maxPayload: number; readonly skipUTF8Validation: boolean },
  then: (ws: WebSocket) => void,
): void {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    // The library would select the first subprotocol that is offered (conventions.md §3.1).
    handleProtocols: () => false,
    ...options,
  });
  server.handleUpgrade(request, socket, head, then);
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
