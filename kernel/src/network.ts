import type { Brand, Clock, Listening, Logger } from '@svc/plugin-sdk';
import type { Head } from './head.ts';
import type { KernelHooks } from './hooks.ts';
import { type Addresses, Listeners } from './http/listeners.ts';
import { Router } from './http/router.ts';
import { HttpRpc } from './http/rpc.ts';
import { RunningCalls } from './http/running-calls.ts';
import { createRequestHandler, routeTap } from './http/server.ts';
import { Load, Slots } from './load.ts';
import { calling } from './plugins/scope.ts';
import type { Dispatcher } from './rpc/dispatch.ts';
import { WsServer } from './ws/server.ts';

/** Calls in progress get this long before a reload closes their connection. */
const RELOAD_GRACE_MS = 5_000;

/** Everything that touches sockets: listeners, HTTP, WebSocket, their limits. */
export class Network {
  readonly router: Router;
  readonly rpc: HttpRpc;
  readonly #ws: WsServer;
  readonly #listeners: Listeners;
  readonly #slots: Slots;
  readonly #calls = new RunningCalls();
  #maxRequestBytes: number;

  constructor(options: {
    head: Head;
    hooks: KernelHooks;
    dispatcher: Dispatcher;
    brand: Brand;
    log: Logger;
    clock: Clock;
  }) {
    const { head, hooks, dispatcher, brand, log, clock } = options;
    const load = new Load();
    this.#slots = new Slots(head.jsonrpc_max_connections);
    this.#maxRequestBytes = head.max_request_body_size;
    const maxRequestBytes = () => this.#maxRequestBytes;
    this.router = new Router(brand.rewrite);
    this.rpc = new HttpRpc({ dispatcher, slots: this.#slots, load, calls: this.#calls, log });
    this.#ws = new WsServer({
      hooks,
      router: this.router,
      dispatcher,
      load,
      slots: this.#slots,
      log,
      clock,
      maxRequestBytes,
    });
    this.#listeners = new Listeners({
      onRequest: createRequestHandler({ hooks, log, maxRequestBytes }),
      onUpgrade: this.#ws.onUpgrade,
      calls: this.#calls,
      log,
    });
    const tap = calling(routeTap(this.router) as never);
    hooks.request.tapAsync({ name: 'kernel', stage: 0 }, tap);
  }

  get listening(): Listening {
    return this.#listeners.listening;
  }

  get maxRequestBytes(): number {
    return this.#maxRequestBytes;
  }

  async open(addresses: Addresses): Promise<void> {
    await this.#listeners.follow(addresses);
  }

  /** @throws UserError when the addresses could not be followed */
  async try(addresses: Addresses): Promise<void> {
    await this.#listeners.try(addresses);
  }

  /** New addresses and limits; every JSON-RPC connection is closed with 1001 once its calls are answered. @throws UserError */
  async reload(head: Head): Promise<void> {
    await this.#listeners.follow(head);
    this.#slots.limit = head.jsonrpc_max_connections;
    this.#maxRequestBytes = head.max_request_body_size;
    this.#ws.reload();
    await this.#ws.closePeers(1001, RELOAD_GRACE_MS);
  }

  /** New connections get this certificate. */
  renewCertificate(tls: NonNullable<Head['tls']>): void {
    this.#listeners.renew(tls);
  }

  stopAccepting(): void {
    this.#listeners.stopAccepting();
  }

  /** Running calls get `grace_ms`, then every connection is closed. */
  async stop(grace_ms: number): Promise<void> {
    this.stopAccepting();
    await Promise.all([this.#ws.stop(grace_ms), this.#calls.ended(grace_ms)]);
    this.#listeners.destroy();
  }
}
