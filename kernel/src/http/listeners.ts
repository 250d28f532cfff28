import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Server as TlsServer } from 'node:tls';
import { type Logger, UserError } from '@svc/plugin-sdk';
import type { Listening } from '@svc/plugin-sdk/kernel';
import { codeOf } from '@svc/plugin-sdk/util';
import type { Head, ListenAddress } from '../head.ts';
import type { KernelHooks } from '../hooks.ts';
import { closeButKeepIdle } from '../quirks.ts';
import { watchConnections } from './connection.ts';
import type { RunningCalls } from './running-calls.ts';
import { createHttpServer, secured, type UpgradeHandler } from './server.ts';
import { clearSocketPath } from './socket-path.ts';

export type Addresses = Pick<Head, 'listen' | 'unix_socket_path' | 'tls'>;

interface Options {
  readonly onRequest: RequestListener;
  readonly onUpgrade: (server: Server) => UpgradeHandler;
  readonly calls: RunningCalls;
  readonly hooks: KernelHooks;
  readonly log: Logger;
}

/** TCP or TLS, and the Unix socket, over one handler. A reload binds the new before it closes the old. */
export class Listeners {
  readonly #options: Options;
  #addresses: Addresses | undefined;
  #tcp: Server | undefined;
  #unix: Server | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  get listening(): Listening {
    if (!this.#tcp) throw new Error('nothing listens yet');
    const { address, port } = this.#tcp.address() as AddressInfo;
    const host = address.includes(':') ? `[${address}]` : address;
    const scheme = this.#addresses?.tls ? 'https' : 'http';
    const unixSocket = this.#unix ? this.#addresses?.unix_socket_path : undefined;
    return { url: `${scheme}://${host}:${port}`, unixSocket };
  }

  /**
   * Follows new addresses; called first at start. With the same address the socket stays and gets the new TLS context.
   * Otherwise the new socket is bound before the old one closes. Only for another host on the same port the old one
   * closes first; it comes back when the new one fails.
   * @throws UserError; the old listeners then serve on
   */
  async follow(next: Addresses): Promise<void> {
    const old = this.#addresses;
    const server = this.#tcp;
    if (old && server && sameAddress(old, next) && !old.tls === !next.tls) {
      if (next.tls) this.renew(next.tls);
      this.#addresses = next;
      return this.#followUnix(old, next);
    }
    const fresh = this.#createServer(next, false);
    if (old && server && old.listen.port === next.listen.port && next.listen.port !== 0)
      await this.#swap(server, old, fresh, next);
    else await bind(fresh, next.listen);
    this.#tcp = fresh;
    this.#addresses = next;
    if (server) this.#stopAccepting(server);
    await this.#followUnix(old, next);
  }

  /** @throws UserError when these addresses could not be followed */
  async try(next: Addresses): Promise<void> {
    if (this.#addresses && sameAddress(this.#addresses, next)) return;
    const nothing = () => {};
    const { log } = this.#options;
    const probe = createHttpServer({ onRequest: nothing, onUpgrade: nothing, log });
    const { host, port } = next.listen;
    // This server itself has the port, so the host is tried with a free port.
    await bind(probe, { host, port: this.#addresses?.listen.port === port ? 0 : port });
    await new Promise((resolve) => probe.close(resolve));
  }

  /** New connections get this certificate. */
  renew(tls: NonNullable<Head['tls']>): void {
    (this.#tcp as unknown as TlsServer).setSecureContext(secured(tls));
  }

  /** Stops accepting connections; requests in progress go on. */
  stopAccepting(): void {
    if (this.#tcp) this.#stopAccepting(this.#tcp);
    if (this.#unix) this.#stopAccepting(this.#unix);
    this.#unix = undefined;
  }

  /** Ends the remaining connections except WebSockets. */
  destroy(): void {
    this.#tcp?.closeAllConnections();
  }

  #stopAccepting(server: Server): void {
    this.#options.calls.whenNone(closeButKeepIdle(server));
  }

  async #swap(server: Server, old: Addresses, fresh: Server, next: Addresses): Promise<void> {
    this.#stopAccepting(server);
    try {
      await bind(fresh, next.listen);
    } catch (error) {
      this.#tcp = this.#createServer(old, false);
      await bind(this.#tcp, old.listen);
      throw error;
    }
  }

  #createServer(addresses: Addresses, unix: boolean): Server {
    const tls = unix ? undefined : addresses.tls;
    const { hooks, onUpgrade, ...options } = this.#options;
    const upgrade: UpgradeHandler = (...offer) => onUpgrade(server)(...offer);
    const server = createHttpServer({ ...options, onUpgrade: upgrade, tls });
    watchConnections(server, unix, hooks);
    return server;
  }

  /** A Unix socket that fails is logged, and the server goes on without it (configuration.md §4). */
  async #followUnix(old: Addresses | undefined, next: Addresses): Promise<void> {
    const path = next.unix_socket_path;
    if (this.#unix && old?.unix_socket_path === path) return;
    if (this.#unix) this.#stopAccepting(this.#unix);
    this.#unix = undefined;
    if (!path) return;
    try {
      await clearSocketPath(path);
      const server = this.#createServer(next, true);
      await listen(server, { path });
      this.#unix = server;
    } catch (error) {
      this.#options.log.error('Unix socket could not be opened', { path, error });
    }
  }
}

const sameAddress = ({ listen: a }: Addresses, { listen: b }: Addresses): boolean =>
  a.host === b.host && a.port === b.port;

const REMEDIES: { readonly [code: string]: string } = {
  EADDRINUSE:
    'another program listens there: end it (ss -ltnp names it), or choose another port (EADDRINUSE)',
  EACCES: 'take a port above 1023, or give the service CAP_NET_BIND_SERVICE (EACCES)',
  EADDRNOTAVAIL:
    'this machine has no such address: name one of its own, or 0.0.0.0 for all of them (EADDRNOTAVAIL)',
};

async function bind(server: Server, address: ListenAddress): Promise<void> {
  try {
    await listen(server, address);
  } catch (cause) {
    const host = address.host.includes(':') ? `[${address.host}]` : address.host;
    const reason = REMEDIES[codeOf(cause)] ?? (cause as Error).message;
    const sentence = `ws_listener: cannot listen on ${host}:${address.port}: ${reason}`;
    throw new UserError(sentence, { cause });
  }
}

async function listen(server: Server, where: ListenAddress | { path: string }): Promise<void> {
  server.listen({ ...where, backlog: 4096 });
  await once(server, 'listening');
}
