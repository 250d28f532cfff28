import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import type { Clock, CloseFrame, Logger, Peer, Text, Texts } from '@svc/plugin-sdk';
import { byteLength, bytesOf, piecesOf } from '@svc/plugin-sdk';
import type { WebSocket } from 'ws';
import { keepOneList, raiseMessageLimit } from '../quirks.ts';

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
function sendLater(peer: SocketPeer): void {
  if (unsent.length === 0) setImmediate(sendAll);
  unsent.push(peer);
}

function sendAll(): void {
  const peers = unsent;
  unsent = [];
  for (const peer of peers) peer.flush();
}

/** One WebSocket behind the interface that plugins see. */
export class SocketPeer implements Peer {
  readonly id = `p${++lastId}`;
  readonly address: string;
  protected readonly socket: WebSocket;
  readonly #tcp: Socket;
  #closed: AbortController | undefined;
  readonly #log: Logger;
  #listener: ((data: Buffer, binary: boolean) => void) | undefined;
  closeFrame: CloseFrame | undefined;
  isClosed = false;
  /** This side began to close: the peer's close frame is only its answer. */
  #endedHere = false;
  readonly #frames: Frame[] = [];
  #frameBytes = 0;
  /** Unanswered pings. */
  missed = 0;
  /** When the connection opened, ms. */
  readonly opened: number;

  constructor(
    socket: WebSocket,
    tcp: Socket,
    address: string,
    { log, clock }: { readonly log: Logger; readonly clock: Clock },
  ) {
    this.socket = socket;
    this.#tcp = tcp;
    this.address = address;
    this.#log = log;
    this.opened = clock.now();
    // Without this listener one bad frame of a client would end the process.
    socket.on('error', (error: Error & { code?: string }) => {
      this.#endedHere = true;
      // A code that is not allowed on the wire (terminal.md §7).
      if (error.code === 'WS_ERR_INVALID_CLOSE_CODE') this.closeFrame = { code: 1002, reason: '' };
      log.debug('socket failed', { address, error });
    });
    const pieces: unknown[] = [];
    socket.on('message', (data, binary) => {
      keepOneList(socket, pieces);
      this.receive(data as Buffer, binary);
    });
    socket.on('pong', () => {
      this.missed = 0;
    });
    socket.on('close', (code, reason) => {
      if (code !== NO_FRAME && !this.#endedHere) {
        this.closeFrame = { code: code === NO_CODE ? undefined : code, reason: String(reason) };
      }
      this.isClosed = true;
      this.#closed?.abort();
      this.ended();
    });
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

  send(data: Texts): void {
    this.#queue(data, typeof data === 'string' ? TEXT : BINARY);
  }

  /** Sends bytes as a text frame. */
  sendText(data: Texts): void {
    this.#queue(data, TEXT);
  }

  #queue(data: Texts, opcode: number): void {
    const { socket } = this;
    if (socket.readyState !== socket.OPEN) return;
    if (this.buffered > CUT_BYTES) {
      const { address, buffered: bytes } = this;
      this.#log.warn('peer does not read, connection cut', { address, bytes });
      socket.terminate();
      return;
    }
    const bytes = byteLength(data);
    this.#frameBytes += bytes;
    if (this.#frames.push({ data, opcode, bytes }) === 1) sendLater(this);
  }

  /** Writes the waiting frames. The library would write two chunks for each; here short ones leave in one chunk. */
  flush(): void {
    used = 0;
    const isOpen = this.socket.readyState === this.socket.OPEN;
    for (const frame of isOpen ? this.#frames : []) {
      if (desk.length - used < LONGEST_HEADER) this.#leave();
      used = writeHeader(desk, used, frame);
      for (const piece of piecesOf(frame.data)) this.#put(piece);
    }
    this.#leave();
    // A new list each time would grow old with the connection.
    this.#frames.length = 0;
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
  tooBig(): void {
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

  /** The socket is closed. */
  protected ended(): void {}

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
