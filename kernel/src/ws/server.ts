import { once } from 'node:events';
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { MessageLimits, Peer, Upgrade } from '@svc/plugin-sdk/http';
import { Lateness } from '@svc/plugin-sdk/util';
import { WebSocketServer } from 'ws';
import { linkOf, type Offer } from '../http/connection.ts';
import { TOO_MANY } from '../http/rpc.ts';
import { withoutUpgrade } from '../http/server.ts';
import { anonymous } from '../rpc/principals.ts';
import type { Wiring } from '../wiring.ts';
import { FrameWriter } from './frames.ts';
import { PeerSocket, type PeerWiring, SocketPeer } from './peer.ts';
import { RpcPeer } from './rpc-peer.ts';

const SWEEP_MS = 10_000;
/** Deployed agents reconnect when a ping comes before their second reply (clients.md §2.4). */
const FIRST_PING_MS = 30_000;
const PING_EVERY_SWEEPS = 3;
const MAX_MISSED = 2;
/** Time at a stop for the answer to a close frame: agents of the field keep their socket. */
const ANSWER_MS = 300;

/** Upgrades, JSON-RPC peers and their liveness. The one place that makes WebSockets. */
export class WsServer {
  readonly #wiring: PeerWiring;
  readonly #endSweep: () => void;
  readonly #lateness: Lateness;
  #sweeps = 0;
  #stopping = false;

  constructor(wiring: Wiring) {
    this.#wiring = { ...wiring, peers: new Set(), frames: new FrameWriter() };
    this.#lateness = new Lateness(SWEEP_MS, wiring.clock.now());
    this.#endSweep = wiring.clock.interval(() => this.#checkLiveness(), SWEEP_MS);
  }

  /** Logs errors of sockets before the end of their handshake. */
  readonly #onError = (error: Error) => this.#wiring.log.debug('socket failed', { error });

  readonly onUpgrade =
    (server: Server) => (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const { log, router } = this.#wiring;
      socket.on('error', this.#onError);
      const path = (request.url ?? '/').split('?', 1)[0] as string;
      if (!/^websocket$/i.test(request.headers.upgrade ?? '') || router.has(path)) {
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
    const peers = [...this.#wiring.peers].filter((peer) => peer instanceof RpcPeer);
    await Promise.all(peers.map((peer) => peer.finish(code, grace_ms, answer_ms)));
  }

  /** Closes all peers, also those whose handshake is still in progress. */
  async stop(grace_ms: number): Promise<void> {
    this.#stopping = true;
    this.#endSweep();
    await this.closePeers(1001, grace_ms, ANSWER_MS);
    for (const peer of this.#wiring.peers)
      if (!(peer instanceof RpcPeer)) peer.close(1001, '', ANSWER_MS);
    await Promise.all(
      [...this.#wiring.peers].map((peer) => peer.isClosed || once(peer.closed, 'abort')),
    );
  }

  async #upgrade(offer: Offer): Promise<void> {
    const { hooks, log, slots } = this.#wiring;
    const { request, socket, connection } = offer;
    if (hooks.upgrade.isUsed() && (await hooks.upgrade.promise(this.#upgradeOf(offer)))) return;
    // RFC 6455 §4.4; the library would take version 8 too.
    if (request.headers['sec-websocket-version'] !== '13') {
      refuse(socket, 426, 'Sec-Websocket-Version must be 13', { 'sec-websocket-version': '13' });
      return;
    }
    if (!slots.acquire(connection.unix)) {
      log.warn('no free place for a connection', { limit: slots.limit });
      refuse(socket, 429, TOO_MANY);
      return;
    }
    const maxPayload = this.#largestMessage();
    let peer: RpcPeer | undefined;
    // The parser answers -32700 to bytes that are not UTF-8; the connection stays.
    this.#shakeHands(offer, { maxPayload, skipUTF8Validation: true }, (ws) => {
      peer = new RpcPeer(ws, offer, this.#wiring);
      if (this.#stopping) void peer.finish(1001, 0);
    });
    // The library has refused it.
    if (!peer) slots.release();
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
    const { socket, connection } = offer;
    const maxPayload = limits?.maxMessageBytes ?? this.#largestMessage();
    return new Promise((resolve, reject) => {
      socket.once('close', () => reject(new Error('the socket closed during the handshake')));
      this.#shakeHands(offer, { maxPayload, skipUTF8Validation: !limits }, (ws) => {
        ws.pause();
        if (!connection.caller) connection.vouch(anonymous);
        const peer = new SocketPeer(ws, offer, this.#wiring, limits?.maxFrameBytes);
        if (this.#stopping) peer.close(1001);
        resolve(peer);
      });
    });
  }

  /** A frame as large as the limit is refused already (conventions.md §1). */
  readonly #largestMessage = () => Math.max(this.#wiring.maxRequestBytes() - 1, 1);

  #shakeHands(
    { request, socket, head }: Offer,
    options: { readonly maxPayload: number; readonly skipUTF8Validation: boolean },
    then: (ws: PeerSocket) => void,
  ): void {
    const server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      WebSocket: PeerSocket,
      // The library would select the first subprotocol that is offered (conventions.md §3.1).
      handleProtocols: () => false,
      ...options,
    });
    server.handleUpgrade(request, socket, head, (ws) => {
      // From now on the library listens for errors.
      socket.off('error', this.#onError);
      then(ws);
    });
  }

  #checkLiveness(): void {
    this.#sweeps++;
    const now = this.#wiring.clock.now();
    const isLate = this.#lateness.next(now) > 0;
    for (const peer of this.#wiring.peers) {
      // Its pong may have come and not be read yet.
      if (isLate) peer.missed = 0;
      const isRpc = peer instanceof RpcPeer;
      // Pongs of a terminal that is not read do not arrive, so its pings are not counted; they still find a dead socket. A peer
      // of calls is left unread only while it reads no answers: it is cut.
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
