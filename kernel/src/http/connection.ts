import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Principal } from '@svc/plugin-sdk';
import type { Connection, Origin, Receipt } from '@svc/plugin-sdk/http';
import type { KernelHooks } from '../hooks.ts';

const links = new WeakMap<Duplex, Link>();

/** The connection behind a socket of a listener. */
export const linkOf = (socket: Duplex): Link => links.get(socket) as Link;

/** One accepted connection. */
export class Link implements Connection {
  readonly socket: Connection['socket'];
  readonly unix: boolean;
  readonly address: string;
  readonly #hooks: KernelHooks;
  caller: Principal | undefined;
  heard = 0;
  forwarded: Connection['forwarded'];
  tookSecurely: Connection['tookSecurely'];
  /** Once it is a WebSocket. */
  peer: { weigh(): void } | undefined;

  constructor(socket: Socket, unix: boolean, hooks: KernelHooks) {
    this.socket = socket;
    this.unix = unix;
    this.address = socket.remoteAddress ?? '127.0.0.1';
    this.#hooks = hooks;
  }

  vouch(caller: Principal, origin?: Origin): void {
    if (this.caller === caller) return;
    this.caller = caller;
    this.#hooks.vouched.call(this, caller, origin);
  }

  addressOf(request: IncomingMessage): string {
    return this.forwarded?.(request).address ?? this.address;
  }

  isSecure(request: IncomingMessage): boolean {
    const said = this.forwarded ? this.forwarded(request).secure : this.tookSecurely?.(request);
    return said ?? (request.socket as TLSSocket).encrypted === true;
  }

  receive(address: string): Receipt {
    const holds = (held: number) =>
      this.#hooks.receiving.call(Object.assign(receipt, { held })) !== false;
    const receipt = { connection: this, address, held: 0, holds };
    return receipt;
  }
}

/** A request for an upgrade, as Node hands it over. */
export interface Offer {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  readonly head: Buffer;
  readonly path: string;
  readonly connection: Link;
  readonly address: string;
}

/** Both addresses of a socket: the same for a TLS socket and the one below it. */
const wayOf = ({ remoteAddress, remotePort, localAddress, localPort }: Socket): string =>
  [remoteAddress, remotePort, localAddress, localPort].join(' ');

/** Asks the hook `connection` about every socket that `server` accepts, before anything of it is read. */
export function watchConnections(server: Server, unix: boolean, hooks: KernelHooks): void {
  /** TLS connections by their addresses: the socket changes at the end of the handshake. */
  const open = new Map<string, Link>();
  server.prependListener('connection', (socket: Socket) => {
    // A request whose upgrade was not taken comes a second time.
    if (links.has(socket)) return;
    const link = new Link(socket, unix, hooks);
    links.set(socket, link);
    // Without an address it would count as the Unix socket, 127.0.0.1.
    const isGone = !unix && socket.remoteAddress === undefined;
    if (isGone || hooks.connection.call(link) === false) return void socket.destroy();
    // Only a TLS server changes the socket.
    if (!('setSecureContext' in server)) return;
    const way = wayOf(socket);
    open.set(way, link);
    socket.on('close', () => open.delete(way));
  });
  server.prependListener('secureConnection', (socket: Socket) => {
    const link = open.get(wayOf(socket));
    if (link) links.set(socket, link);
    else socket.destroy();
  });
}
