import type { Brand } from '@svc/plugin-sdk';
import { Slots, UnansweredBytes } from './budgets.ts';
import type { Head } from './head.ts';
import type { HttpExchange } from './http/exchange.ts';
import { Listeners } from './http/listeners.ts';
import { Router } from './http/router.ts';
import { HttpRpc } from './http/rpc.ts';
import { RunningCalls } from './http/running-calls.ts';
import { createRequestHandler } from './http/server.ts';
import { calling } from './plugins/taps.ts';
import type { Wiring } from './wiring.ts';
import { WsServer } from './ws/server.ts';

/** Calls in progress get this long before a reload closes their connection. */
const RELOAD_GRACE_MS = 5_000;

interface Options extends Pick<Wiring, 'hooks' | 'dispatcher' | 'log' | 'clock'> {
  /** The head in force. */
  readonly head: () => Head;
  readonly brand: Brand;
}

/** Everything that touches sockets: listeners, HTTP, WebSocket, their limits. */
export class Network {
  readonly router: Router;
  readonly rpc: HttpRpc;
  readonly listeners: Listeners;
  readonly slots: Slots;
  readonly #ws: WsServer;
  readonly #calls = new RunningCalls();

  constructor({ brand, head, ...options }: Options) {
    const { hooks, log } = options;
    this.router = new Router(brand.rewrite);
    this.slots = new Slots(() => head().jsonrpc_max_connections);
    const wiring: Wiring = {
      ...options,
      router: this.router,
      unanswered: new UnansweredBytes(),
      slots: this.slots,
      calls: this.#calls,
      maxRequestBytes: () => head().max_request_body_size,
    };
    this.rpc = new HttpRpc(wiring);
    this.#ws = new WsServer(wiring);
    const onRequest = createRequestHandler(wiring);
    const { onUpgrade } = this.#ws;
    this.listeners = new Listeners({ onRequest, onUpgrade, calls: this.#calls, hooks, log });
    const tap = calling(((exchange: HttpExchange) => this.router.answer(exchange)) as never);
    hooks.request.tapAsync({ name: 'kernel', stage: 0 }, tap);
  }

  /** Follows new limits; every JSON-RPC connection is closed with 1001 once its calls are answered. */
  async renew(): Promise<void> {
    await this.#ws.closePeers(1001, RELOAD_GRACE_MS);
  }

  /** Running calls get `grace_ms`, then every connection is closed. */
  async stop(grace_ms: number): Promise<void> {
    this.listeners.stopAccepting();
    await Promise.all([this.#ws.stop(grace_ms), this.#calls.ended(grace_ms)]);
    this.listeners.destroy();
  }
}
