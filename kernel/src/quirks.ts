/**
 * Places where this package reaches past the documented surface of a library or of Node. `test/kernel/quirks.test.ts` fails
 * when one of them changes.
 * @module
 */
import type { IncomingMessage, Server } from 'node:http';
import type { WebSocket } from 'ws';

/** Part of ws that it keeps of a connection while it reads. */
interface Receiver {
  _maxPayload: number;
  readonly _payloadLength: number;
  readonly _bufferedBytes: number;
  readonly _messageLength: number;
  readonly _buffers: readonly unknown[];
  _fragments: unknown[];
}

const receiverOf = (socket: WebSocket): Receiver | null | undefined =>
  (socket as unknown as { _receiver?: Receiver | null })._receiver;

/** ws takes its limit of a message when the connection opens; the caller behind it is known only later. */
export function raiseMessageLimit(socket: WebSocket, bytes: number): void {
  const receiver = receiverOf(socket);
  if (receiver && receiver._maxPayload < bytes) receiver._maxPayload = bytes;
}

/**
 * ws makes a list for the pieces of each message, and keeps it until the next one came: such lists grow old, and what old
 * garbage refers to stays as long as it. To be called with each message: `list` serves them all.
 */
export function keepOneList(socket: WebSocket, list: unknown[]): void {
  const receiver = receiverOf(socket);
  list.length = 0;
  if (receiver) receiver._fragments = list;
}

/** Bytes that the header of the last frame announced: ws bounds messages, not the frames they are made of. */
export const frameBytes = (socket: WebSocket): number => receiverOf(socket)?._payloadLength ?? 0;

/** Memory of one buffer besides its bytes: a message may come in very small pieces. */
const BUFFER_COST = 256;

/** Memory that ws holds of a message or frame that has not come to its end, bytes. */
export function unfinishedBytes(socket: WebSocket): number {
  const receiver = receiverOf(socket);
  const bytes = receiver ? receiver._bufferedBytes + receiver._messageLength : 0;
  if (!receiver || bytes === 0) return 0;
  return bytes + (receiver._buffers.length + receiver._fragments.length) * BUFFER_COST;
}

/** Node begins to read the body of a request at the first `_read`. */
export function atFirstRead(request: IncomingMessage, run: () => void): void {
  const read = request._read;
  request._read = (size) => {
    request._read = read;
    run();
    read.call(request, size);
  };
}

/**
 * Closes a server without its idle connections: `close` of Node cuts them, and takes a connection for idle whose answer is
 * complete but not sent to its end.
 * @returns closes the idle connections
 */
export function closeButKeepIdle(server: Server): () => void {
  const closeIdle = server.closeIdleConnections;
  server.closeIdleConnections = () => {};
  server.close();
  return () => closeIdle.call(server);
}
