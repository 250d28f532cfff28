/**
 * Frames of the server, written without the library. The library writes two chunks for each frame; here all short frames of
 * a turn of the event loop leave in one chunk and one system call. That saves 30 % of a short call on Node 24
 * (`npm run bench -- cost`).
 * @module
 */
import type { Socket } from 'node:net';
import { byteLength, bytesOf, piecesOf, type Text, type Texts } from '@svc/plugin-sdk/json';
import type { WebSocket } from 'ws';

export const TEXT = 1;
export const BINARY = 2;
const FINAL = 0x80;
const LONGEST_HEADER = 10;
const BUFFER_BYTES = 128 * 1024;

interface Frame {
  readonly data: Texts;
  readonly opcode: number;
  readonly bytes: number;
  next: Frame | undefined;
}

/** Frames of one connection that wait for the end of the turn. */
export class FrameQueue {
  readonly #writer: FrameWriter;
  readonly #socket: WebSocket;
  readonly #tcp: Socket;
  #first: Frame | undefined;
  #last: Frame | undefined;
  /** Payload bytes that wait. */
  bytes = 0;

  constructor(writer: FrameWriter, socket: WebSocket, tcp: Socket) {
    this.#writer = writer;
    this.#socket = socket;
    this.#tcp = tcp;
  }

  add(data: Texts, opcode: number): void {
    const bytes = byteLength(data);
    this.bytes += bytes;
    const frame = { data, opcode, bytes, next: undefined };
    if (this.#last) this.#last.next = frame;
    else this.#writer.schedule(this);
    this.#last = frame;
    this.#first ??= frame;
  }

  flush(): void {
    const isOpen = this.#socket.readyState === this.#socket.OPEN;
    if (isOpen && this.#first) this.#writer.write(this.#tcp, this.#first);
    this.#first = undefined;
    this.#last = undefined;
    this.bytes = 0;
  }
}

/** Writer of the frames of all connections of one server. */
export class FrameWriter {
  /** Short pieces are put together here: a new buffer of this size costs more than all else of an answer. */
  #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  #used = 0;
  #scheduled: FrameQueue[] = [];

  /** Flushes the queue at the end of this turn. */
  schedule(queue: FrameQueue): void {
    if (this.#scheduled.push(queue) > 1) return;
    setImmediate(() => {
      const queues = this.#scheduled;
      this.#scheduled = [];
      for (const each of queues) each.flush();
    });
  }

  write(tcp: Socket, first: Frame): void {
    this.#used = 0;
    for (let frame: Frame | undefined = first; frame; frame = frame.next) {
      if (this.#buffer.length - this.#used < LONGEST_HEADER) this.#send(tcp);
      this.#writeHeader(frame);
      for (const piece of piecesOf(frame.data)) this.#writePiece(tcp, piece);
    }
    this.#send(tcp);
  }

  /** Writes a header alone: no extension is negotiated, so a frame of the server is a header and the payload (RFC 6455 §5.2). */
  #writeHeader({ opcode, bytes }: Frame): void {
    const buffer = this.#buffer;
    const at = buffer.writeUInt8(FINAL | opcode, this.#used);
    if (bytes < 126) this.#used = buffer.writeUInt8(bytes, at);
    else if (bytes < 65_536) this.#used = buffer.writeUInt16BE(bytes, buffer.writeUInt8(126, at));
    else this.#used = buffer.writeBigUInt64BE(BigInt(bytes), buffer.writeUInt8(127, at));
  }

  #writePiece(tcp: Socket, piece: Text): void {
    const most = typeof piece === 'string' ? 3 * piece.length : piece.byteLength;
    if (most > this.#buffer.length - this.#used) this.#send(tcp);
    if (most > this.#buffer.length) return void tcp.write(bytesOf(piece));
    this.#used +=
      typeof piece === 'string'
        ? this.#buffer.write(piece, this.#used)
        : bytesOf(piece).copy(this.#buffer, this.#used);
  }

  #send(tcp: Socket): void {
    const chunk = this.#buffer.subarray(0, this.#used);
    this.#used = 0;
    if (chunk.length === 0) return;
    const isFree = !('encrypted' in tcp) && tcp.writableLength === 0;
    tcp.write(isFree ? chunk : Buffer.from(chunk));
    // Unsent bytes are read from there later.
    if (isFree && tcp.writableLength > 0) this.#buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  }
}
