import type { State } from './link.ts';

export interface ClientOptions {
  /** `key:secret` or `username|password`; or a function that returns it, called before each call. It travels in the body of calls, never in a URL. */
  readonly token?: string | (() => string | undefined | Promise<string | undefined>);
  /** Way of calls: over the WebSocket (the default), or each as a POST of its own. Subscriptions need the WebSocket. */
  readonly transport?: 'ws' | 'http' | ((method: string) => 'ws' | 'http');
  /** Deadline of a call in ms, 30,000 by default; 0: none. A call that carries `timeout_ms` gets 5 s more than that. */
  readonly timeout_ms?: number;
  /** Pauses between connections: from `min_ms` (1,000), doubled each time up to `max_ms` (30,000), each less a random part of up to a half. `false`: what waits fails when the connection does. */
  readonly reconnect?: { readonly min_ms?: number; readonly max_ms?: number } | false;
  /** Time in ms (30,000) after which the client asks for a sign of life; a connection silent for as long again is given up. Also the longest wait for one to open. */
  readonly heartbeat_ms?: number;
  readonly onState?: (state: State) => void;
  /** Replacement of the platform's `fetch`. */
  readonly fetch?: typeof fetch;
  /** Replacement of the platform's WebSocket. */
  readonly openSocket?: (url: string) => unknown;
  /** Replacement of the timer with which the client pauses between connections. */
  readonly wait?: (ms: number) => Promise<void>;
}
