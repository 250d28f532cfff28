/**
 * Where this package reaches past the documented surface of a library or of Node. `test/kernel/quirks.test.ts` fails
 * when one of them changes.
 * @module
 */
import type { IncomingMessage, Server } from 'node:http';
import type { WebSocket } from 'ws';

/** ws takes its limit of a message when the connection opens; the caller behind it is known only later. */
export function raiseMessageLimit(socket: WebSocket, bytes: number): void {
  const { _receiver: receiver } = socket as unknown as { _receiver?: { _maxPayload: number } };
  if (receiver && receiver._maxPayload < bytes) receiver._maxPayload = bytes;
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
