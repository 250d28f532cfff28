/** An HTTP server on loopback whose answers are given by the test. */
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { soon } from './agent-program-kit.ts';

export interface Exchange {
  request: IncomingMessage;
  answer: ServerResponse;
}

export interface TestHttp {
  url: string;
  port: number;
  /** The next request that no listener took. */
  next(): Promise<Exchange>;
  stop(): Promise<void>;
}

export async function startHttp(listener?: RequestListener, host = '127.0.0.1'): Promise<TestHttp> {
  const waiting: Exchange[] = [];
  let wake = () => {};
  const server = createServer((request, answer) => {
    if (listener) return void listener(request, answer);
    waiting.push({ request, answer });
    wake();
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}/`,
    async next() {
      while (waiting.length === 0) {
        await soon('a request', new Promise<void>((resolve) => (wake = resolve)));
      }
      return waiting.shift()!;
    },
    async stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
      if (server.listening) await once(server, 'close');
    },
  };
}

/** The whole body of a request. */
export async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}
