import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import type { CloseFrame, Peer, Receipt, Text, Texts } from '@svc/plugin-sdk';
import { byteLength, bytesOf, piecesOf } from '@svc/plugin-sdk';
import { WebSocket } from 'ws';
import { type Link, linkOf, type Offer } from '../http/connection.ts';
import { frameBytes, keepOneList, raiseMessageLimit, unfinishedBytes } from '../quirks.ts';
import type { Wiring } from '../wiring.ts';

export interface PeerWiring extends Wiring {
  /** Open WebSockets. */
  readonly peers: Set<SocketPeer>;
}

/** Bytes that may wait for a peer. One that lets more wait does not read, and is cut. */
const CUT_BYTES = 256 * 1024 * 1024;
const CLOSE_GRACE_MS = 2_000;
/** Codes of the library for a connection that ended without a close frame, and for a frame without code. */
const NO_FRAME = 1006;
const NO_CODE = 1005;

const TEXT = 1;
const BINARY = 2;
const FINAL = 0x80;

interface Frame {
  readonly data: Texts;
  readonly opcode: number;
  readonly bytes: number;
  /** The one behind it in line. */
  next: Frame | undefined;
}

const LONGEST_HEADER = 10;

/** No extension is negotiated, so a frame of the server is a header and the payload (RFC 6455 §5.2). */
function writeHeader(target: Buffer, from: number, { opcode, bytes }: Frame): number {
  const at = target.writeUInt8(FINAL | opcode, from);
  if (bytes < 126) return target.writeUInt8(bytes, at);
  if (bytes < 65_536) return target.writeUInt16BE(bytes, target.writeUInt8(126, at));
  return target.writeBigUInt64BE(BigInt(bytes), target.writeUInt8(127, at));
}

/** Short pieces are put together here: a new buffer of this size costs more than all else of an answer. */
let desk = Buffer.allocUnsafeSlow(128 * 1024);
let used = 0;
let lastId = 0;
let unsent: SocketPeer[] = [];

/** Frames that become ready in the same turn of the event loop leave in one piece and one system call. */
function sendAll(): void {
  const peers = unsent;
  unsent = [];
  for (const peer of peers) peer.flush();
}

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
  /** When the connection opened, ms. */
  readonly opened: number;
  protected readonly socket: PeerSocket;
  protected readonly wiring: PeerWiring;
  readonly #tcp: Socket;
  readonly #maxFrame: number | undefined;
  readonly #pieces: unknown[] = [];
  #closed: AbortController | undefined;
  #listener: ((data: Buffer, binary: boolean) => void) | undefined;
  closeFrame: CloseFrame | undefined;
  isClosed = false;
  /** This side began to close: the peer's close frame is only its answer. */
  #endedHere = false;
  #first: Frame | undefined;
  #last: Frame | undefined;
  #frameBytes = 0;
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

  /** False while back-pressure stops reading: pongs do not arrive then. */
  get isRead(): boolean {
    return !this.socket.isPaused;
  }

  /** Made when somebody asks for it: most peers are only asked whether they are closed. */
  get closed(): AbortSignal {
    this.#closed ??= new AbortController();
    setMaxListeners(0, this.#closed.signal);
    if (this.isClosed) this.#closed.abort();
    return this.#closed.signal;
  }

  get buffered(): number {
    return this.socket.bufferedAmount + this.#frameBytes;
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
    const bytes = byteLength(data);
    this.#frameBytes += bytes;
    const frame = { data, opcode, bytes, next: undefined };
    if (this.#last) this.#last.next = frame;
    else if (unsent.push(this) === 1) setImmediate(sendAll);
    this.#last = frame;
    this.#first ??= frame;
  }

  /** Writes the waiting frames. The library would write two chunks for each; here short ones leave in one chunk. */
  flush(): void {
    used = 0;
    const isOpen = this.socket.readyState === this.socket.OPEN;
    for (let frame = isOpen ? this.#first : undefined; frame; frame = frame.next) {
      if (desk.length - used < LONGEST_HEADER) this.#leave();
      used = writeHeader(desk, used, frame);
      for (const piece of piecesOf(frame.data)) this.#put(piece);
    }
    this.#leave();
    this.#first = undefined;
    this.#last = undefined;
    this.#frameBytes = 0;
  }

  #put(piece: Text): void {
    const most = typeof piece === 'string' ? 3 * piece.length : piece.byteLength;
    if (most > desk.length - used) this.#leave();
    if (most > desk.length) return void this.#tcp.write(bytesOf(piece));
    used += typeof piece === 'string' ? desk.write(piece, used) : bytesOf(piece).copy(desk, used);
  }

  #leave(): void {
    const chunk = desk.subarray(0, used);
    used = 0;
    if (chunk.length === 0) return;
    const isFree = !('encrypted' in this.#tcp) && this.#tcp.writableLength === 0;
    this.#tcp.write(isFree ? chunk : Buffer.from(chunk));
    // What has not left is read from there later.
    if (isFree && this.#tcp.writableLength > 0) desk = Buffer.allocUnsafeSlow(desk.length);
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
