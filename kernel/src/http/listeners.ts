import { lstatSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { dirname } from 'node:path';
import { createSecureContext, type Server as TlsServer } from 'node:tls';
import { type Listening, type Logger, UserError } from '@svc/plugin-sdk';
import type { Head } from '../config/head.ts';
import { parseListener } from '../config/listener.ts';
import type { RunningCalls } from './running-calls.ts';
import { createHttpServer, type UpgradeHandler } from './server.ts';

export type Addresses = Pick<
  Head,
  'ws_listener' | 'enable_unix_socket' | 'unix_socket_path' | 'tls_cert' | 'tls_key'
>;

const WATCH_MS = 10_000;

/** A socket tells who its peer is only while it is connected, but remembers: later nobody passes for the Unix socket's 127.0.0.1. */
const keepPeer = (socket: Socket): void => {
  if (socket.remoteAddress === undefined) socket.destroy();
};

/** TCP or TLS, and the Unix socket, over one handler. A reload binds the new before it closes the old. */
export class Listeners {
  readonly #onRequest: RequestListener;
  readonly #onUpgrade: (server: Server, unix: boolean) => UpgradeHandler;
  readonly #calls: RunningCalls;
  readonly #log: Logger;
  readonly #watch: NodeJS.Timeout;
  #addresses: Addresses | undefined;
  #tcp: Server | undefined;
  #unix: Server | undefined;
  #certificateTime = 0;

  constructor(options: {
    onRequest: RequestListener;
    onUpgrade: (server: Server, unix: boolean) => UpgradeHandler;
    calls: RunningCalls;
    log: Logger;
  }) {
    this.#calls = options.calls;
    this.#onRequest = options.onRequest;
    this.#onUpgrade = options.onUpgrade;
    this.#log = options.log;
    this.#watch = setInterval(() => this.#renewCertificate(), WATCH_MS).unref();
  }

  get listening(): Listening {
    if (!this.#tcp) throw new Error('nothing listens yet');
    const { address, port } = this.#tcp.address() as AddressInfo;
    const host = address.includes(':') ? `[${address}]` : address;
    const scheme = this.#addresses && hasTls(this.#addresses) ? 'https' : 'http';
    const unixSocket = this.#unix ? this.#addresses?.unix_socket_path : undefined;
    return { url: `${scheme}://${host}:${port}`, unixSocket };
  }

  /**
   * Follows new addresses; called first at start. Same address: the socket stays, TLS context swapped. Otherwise the
   * new socket is bound before the old one closes, but for another host on the same port, which must close first and
   * comes back when the new one fails.
   * @returns whether clients were on a listener that is gone
   * @throws UserError; the old listeners then serve on
   */
  async follow(next: Addresses): Promise<boolean> {
    const old = this.#addresses;
    const server = this.#tcp;
    if (old && server && old.ws_listener === next.ws_listener && hasTls(old) === hasTls(next)) {
      if (hasTls(next)) (server as unknown as TlsServer).setSecureContext(readTls(next));
      this.#addresses = next;
      await this.#followUnix(old, next);
      return false;
    }
    const fresh = this.#createServer(next, false);
    if (old && server && portOf(old) === portOf(next) && portOf(next) !== 0)
      await this.#swap(server, old, fresh, next);
    else await bind(fresh, next);
    this.#tcp = fresh;
    this.#addresses = next;
    if (server) this.#stopAccepting(server);
    await this.#followUnix(old, next);
    return server !== undefined;
  }

  /** @throws UserError when these addresses could not be followed */
  async try(next: Addresses): Promise<void> {
    if (hasTls(next)) readTls(next);
    if (this.#addresses?.ws_listener === next.ws_listener) return;
    const probe = createHttpServer({ onRequest: () => {}, onUpgrade: () => {}, log: this.#log });
    const own = this.#addresses && portOf(this.#addresses) === portOf(next);
    // The port is taken by this server itself: whether the host is ours can be tried on another one.
    await bind(probe, own ? { ...next, ws_listener: next.ws_listener.replace(/\d+$/, '0') } : next);
    await new Promise((resolve) => probe.close(resolve));
  }

  /** Nothing new is accepted; requests in progress go on. */
  stopAccepting(): void {
    clearInterval(this.#watch);
    if (this.#tcp) this.#stopAccepting(this.#tcp);
    if (this.#unix) this.#stopAccepting(this.#unix);
    this.#unix = undefined;
  }

  /** Ends what is left, WebSockets excepted. */
  destroy(): void {
    this.#tcp?.closeAllConnections();
  }

  /** Node would take a connection for idle whose answer is complete but not sent to its end, and cut it. */
  #stopAccepting(server: Server): void {
    const closeIdle = server.closeIdleConnections;
    server.closeIdleConnections = () => {};
    server.close();
    this.#calls.whenNone(() => closeIdle.call(server));
  }

  async #swap(server: Server, old: Addresses, fresh: Server, next: Addresses): Promise<void> {
    this.#stopAccepting(server);
    try {
      await bind(fresh, next);
    } catch (error) {
      this.#tcp = this.#createServer(old, false);
      await bind(this.#tcp, old);
      throw error;
    }
  }

  #createServer(addresses: Addresses, unix: boolean): Server {
    const tls = !unix && hasTls(addresses) ? readTls(addresses) : undefined;
    const server = createHttpServer({
      onRequest: this.#onRequest,
      onUpgrade: (request, socket, head) => this.#onUpgrade(server, unix)(request, socket, head),
      log: this.#log,
      tls,
    });
    if (!unix) server.prependListener(tls ? 'secureConnection' : 'connection', keepPeer);
    return server;
  }

  /** A Unix socket that fails is logged, and the server goes on without it (configuration.md §4). */
  async #followUnix(old: Addresses | undefined, next: Addresses): Promise<void> {
    const path =
      next.enable_unix_socket && process.platform !== 'win32' ? next.unix_socket_path : undefined;
    if (this.#unix && old?.unix_socket_path === path) return;
    if (this.#unix) this.#stopAccepting(this.#unix);
    this.#unix = undefined;
    if (!path) return;
    try {
      clearSocketPath(path);
      const server = this.#createServer(next, true);
      await listen(server, { path });
      this.#unix = server;
    } catch (error) {
      this.#log.error('Unix socket could not be opened', { path, error });
    }
  }

  /** A renewed certificate is used without a reload. */
  #renewCertificate(): void {
    const addresses = this.#addresses;
    if (!addresses || !hasTls(addresses)) return;
    try {
      const time = statSync(addresses.tls_cert as string).mtimeMs;
      if (time === this.#certificateTime) return;
      const first = this.#certificateTime === 0;
      this.#certificateTime = time;
      if (first) return;
      (this.#tcp as unknown as TlsServer).setSecureContext(readTls(addresses));
      this.#log.info('TLS certificate renewed');
    } catch (error) {
      this.#log.warn('TLS certificate could not be read again, the old one stays', { error });
    }
  }
}

const portOf = ({ ws_listener }: Addresses) => parseListener(ws_listener)?.port ?? 0;
const hasTls = ({ tls_cert, tls_key }: Addresses) =>
  tls_cert !== undefined && tls_key !== undefined;

function readTls({ tls_cert = '', tls_key = '' }: Addresses): { cert: Buffer; key: Buffer } {
  try {
    const pair = { cert: readFileSync(tls_cert), key: readFileSync(tls_key) };
    createSecureContext(pair);
    return pair;
  } catch (cause) {
    throw new UserError(`tls_cert, tls_key: ${(cause as Error).message}`, { cause });
  }
}

async function bind(server: Server, addresses: Addresses): Promise<void> {
  const { host, port } = parseListener(addresses.ws_listener) ?? { host: '', port: 0 };
  try {
    await listen(server, { host, port });
  } catch (cause) {
    throw new UserError(
      `ws_listener: cannot listen on ${addresses.ws_listener}: ${(cause as Error).message}`,
      { cause },
    );
  }
}

function listen(
  server: Server,
  where: { host: string; port: number } | { path: string },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ ...where, backlog: 4096 }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Makes the parent folder, and removes what a killed server left; anything but a socket stays. */
function clearSocketPath(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return;
  if (!found.isSocket()) throw new UserError(`unix_socket_path: ${path} exists and is no socket`);
  rmSync(path);
}
