import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import type { CloseFrame, Peer, Receipt } from '@svc/plugin-sdk/http';
import type { Texts } from '@svc/plugin-sdk/json';
import { WebSocket } from 'ws';
import { type Link, linkOf, type Offer } from '../http/connection.ts';
import { frameBytes, keepOneList, raiseMessageLimit, unfinishedBytes } from '../quirks.ts';
import type { Wiring } from '../wiring.ts';
import { BINARY, FrameQueue, type FrameWriter, TEXT } from './frames.ts';

export interface PeerWiring extends Wiring {
  /** Open WebSockets. */
  readonly peers: Set<SocketPeer>;
  readonly frames: FrameWriter;
}

/** Bytes that may wait for a peer. One that lets more wait does not read, and is cut. */
const CUT_BYTES = 256 * 1024 * 1024;
const CLOSE_GRACE_MS = 2_000;
/** Codes of the library for a connection that ended without a close frame, and for a frame without code. */
const NO_FRAME = 1006;
const NO_CODE = 1005;

let lastId = 0;

/**
 * A WebSocket that tells its peer of its events: listeners of its own would take 0.7 KB of each connection, and a fleet has
 * thousands.
 */
export class PeerSocket extends WebSocket {
  peer: SocketPeer | undefined;

  override emit(event: string | symbol, first?: unknown, second?: unknown): boolean {
    this.peer?.happened(event, first, second);
    return true;
  }
}

function onData(this: Socket): void {
  linkOf(this).peer?.weigh();
}

/** One WebSocket behind the interface that plugins see. It is the receipt of what it holds of unfinished messages itself. */
export class SocketPeer implements Peer, Receipt {
  readonly id = `p${++lastId}`;
  readonly address: string;
  readonly connection: Link;
  /** Time at which the connection opened, ms. */
  readonly opened: number;
  protected readonly socket: PeerSocket;
  protected readonly wiring: PeerWiring;
  readonly #tcp: Socket;
  readonly #frames: FrameQueue;
  readonly #maxFrame: number | undefined;
  readonly #pieces: unknown[] = [];
  #closed: AbortController | undefined;
  #listener: ((data: Buffer, binary: boolean) => void) | undefined;
  closeFrame: CloseFrame | undefined;
  isClosed = false;
  /** Tells that this side began to close: the peer's close frame is only its answer. */
  #endedHere = false;
  /** Unanswered pings. */
  missed = 0;
  held = 0;

  constructor(ws: PeerSocket, offer: Offer, wiring: PeerWiring, maxFrame?: number) {
    const { socket, connection, address } = offer;
    this.address = address;
    this.connection = connection;
    this.opened = wiring.clock.now();
    this.socket = ws;
    this.wiring = wiring;
    this.#tcp = socket;
    this.#frames = new FrameQueue(wiring.frames, ws, socket);
    this.#maxFrame = maxFrame;
    ws.peer = this;
    connection.peer = this;
    socket.on('data', onData);
    wiring.peers.add(this);
    wiring.log.debug('connection opened', { address });
  }

  /** An event of the library. */
  happened(event: string | symbol, first: unknown, second: unknown): void {
    if (event === 'message') {
      keepOneList(this.socket, this.#pieces);
      this.receive(first as Buffer, second as boolean);
    } else if (event === 'pong') this.missed = 0;
    else if (event === 'error') this.#failed(first as Error);
    else if (event === 'close') this.ended(first as number, second as Buffer);
  }

  #failed(error: Error & { code?: string }): void {
    const { address } = this;
    this.#endedHere = true;
    // A code that is not allowed on the wire (terminal.md §7).
    if (error.code === 'WS_ERR_INVALID_CLOSE_CODE') this.closeFrame = { code: 1002, reason: '' };
    this.wiring.log.debug('socket failed', { address, error });
  }

  /** The socket is closed. */
  protected ended(code: number, reason: Buffer): void {
    const { address, wiring } = this;
    if (code !== NO_FRAME && !this.#endedHere) {
      this.closeFrame = { code: code === NO_CODE ? undefined : code, reason: String(reason) };
    }
    this.isClosed = true;
    this.#closed?.abort();
    this.holds(0);
    wiring.peers.delete(this);
    wiring.log.debug('connection closed', { address, code });
  }

  holds(bytes: number): boolean {
    this.held = bytes;
    return this.wiring.hooks.receiving.call(this) !== false;
  }

  /** Looks after each chunk at what the library holds. */
  weigh(): void {
    if (frameBytes(this.socket) > (this.#maxFrame ?? Infinity) && !this.#endedHere) this.#tooBig();
    const held = unfinishedBytes(this.socket);
    if (held !== this.held && !this.holds(held)) this.terminate();
  }

  /** Tells whether the peer is read: while back-pressure stops reading, pongs do not arrive. */
  get isRead(): boolean {
    return !this.socket.isPaused;
  }

  /** Made when it is first asked for: most peers are only asked whether they are closed. */
  get closed(): AbortSignal {
    this.#closed ??= new AbortController();
    setMaxListeners(0, this.#closed.signal);
    if (this.isClosed) this.#closed.abort();
    return this.#closed.signal;
  }

  get buffered(): number {
    return this.socket.bufferedAmount + this.#frames.bytes;
  }

  /** Sends bytes as a text frame. */
  sendText(data: Texts): void {
    this.send(data, TEXT);
  }

  send(data: Texts, opcode = typeof data === 'string' ? TEXT : BINARY): void {
    const { socket } = this;
    if (socket.readyState !== socket.OPEN) return;
    if (this.buffered > CUT_BYTES) {
      const { address, buffered: bytes } = this;
      this.wiring.log.warn('peer does not read, connection cut', { address, bytes });
      socket.terminate();
      return;
    }
    this.#frames.add(data, opcode);
  }

  /** Writes what waits for the end of this turn. */
  flush(): void {
    this.#frames.flush();
  }

  ping(counts = true): void {
    if (counts) this.missed++;
    if (this.socket.readyState === this.socket.OPEN) this.socket.ping();
  }

  /** @param answer_ms the peer may take so long to answer the close frame, once that has left; 2 s in all */
  close(code?: number, reason = '', answer_ms = CLOSE_GRACE_MS): void {
    this.flush();
    this.#endedHere = true;
    this.socket.close(code, reason);
    this.#terminateIn(CLOSE_GRACE_MS);
    // Nothing follows the close frame, and a peer that does not understand it understands the end of the stream.
    this.#tcp.end(() => this.#terminateIn(answer_ms));
  }

  #terminateIn(ms: number): void {
    if (this.isClosed) return;
    const timer = setTimeout(() => this.socket.terminate(), ms);
    this.closed.addEventListener('abort', () => clearTimeout(timer), { once: true });
  }

  terminate(): void {
    this.socket.terminate();
  }

  /** Closes a peer that sent more than it may; its further messages are dropped. */
  #tooBig(): void {
    this.#listener = undefined;
    this.close(1009);
  }

  raiseMessageLimit(bytes: number): void {
    raiseMessageLimit(this.socket, bytes);
  }

  listen(onMessage: (data: Buffer, binary: boolean) => void): void {
    this.#listener = onMessage;
    this.resume();
  }

  protected receive(data: Buffer, binary: boolean): void {
    this.#listener?.(data, binary);
  }

  pause(): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.pause();
  }

  resume(): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.resume();
  }

  async drained(): Promise<void> {
    this.flush();
    if (this.socket.bufferedAmount === 0 || this.isClosed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = () => {
      if (this.socket.bufferedAmount === 0 || this.isClosed) resolve();
    };
    this.#tcp.on('drain', check);
    this.closed.addEventListener('abort', check);
    // Below the high-water mark no `drain` comes; the callback of an empty write always does.
    this.#tcp.write('', check);
    await promise;
    this.#tcp.off('drain', check);
    this.closed.removeEventListener('abort', check);
  }
}
