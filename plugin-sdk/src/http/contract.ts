import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Principal } from '../principal.ts';
import { sameInEveryCopy } from '../util/same-class.ts';

/** One accepted connection of a listener, whatever is spoken on it. */
export interface Connection {
  /** Over the Unix socket. */
  readonly unix: boolean;
  /** Address of the TCP peer, which may be a proxy. Peers on the Unix socket have none and count as 127.0.0.1. */
  readonly address: string;
  /** The last caller whose credential was valid here; undefined: none so far. */
  readonly caller: Principal | undefined;
  /** Requests and WebSocket messages that have come to their end. */
  readonly heard: number;
  /** Its counters and its end; what goes over it belongs to the kernel. */
  readonly socket: Pick<Socket, 'bytesRead' | 'isPaused' | 'destroy'> &
    Record<'on' | 'once', (event: 'close', run: () => void) => unknown>;
  /** Reads what the peer says of its own client; set in the hook `connection`, for trusted proxies only. */
  forwarded: ((request: IncomingMessage) => Forwarded) | undefined;
  /** Tells whether the peer took the request over TLS; set in the hook `connection`, for peers on this machine that are not listed as proxies. */
  tookSecurely: ((request: IncomingMessage) => boolean | undefined) | undefined;
  /** A plugin has found a valid credential on it by itself; `Auth.authenticate` with its origin does the same. */
  vouch(caller: Principal, origin?: Origin): void;
  /** Begins to count a body or message that `address` sends and a plugin holds in memory. */
  receive(address: string): Receipt;
}

/** Origin of a credential; failed logins are throttled per key and address. */
export interface Origin {
  readonly address: string;
  readonly transport: 'ws' | 'http' | 'internal';
  /** Connection that the credential came over: a valid one vouches for it. */
  readonly connection?: Connection | undefined;
}

/** Client as a trusted proxy describes it; undefined: it says nothing, the connection itself counts. */
export interface Forwarded {
  readonly address: string | undefined;
  readonly secure: boolean | undefined;
}

/** Memory that a body or message takes while it comes; `held` is 0 before it begins and after its end. */
export interface Receipt {
  readonly connection: Connection;
  readonly address: string;
  /** Bytes. */
  readonly held: number;
  /** Reports the bytes that are held from now on; 0: it has ended. @returns false: refuse it, there is no room */
  holds(bytes: number): boolean;
}

/** One HTTP request on its way through the `request` hook. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  /** Raw path, not decoded, without the query. */
  readonly path: string;
  /** Raw query with its `?`, or the empty text. */
  readonly query: string;
  /** Path parameters, percent-decoded once: check paths after decoding. */
  readonly params: { readonly [name: string]: string };
  readonly connection: Connection;
  /** Address of the client: what a trusted proxy says of it, else the TCP peer's. */
  readonly peerAddress: string;
  /** Tells whether the client came over TLS, by this connection or by what a trusted proxy says. */
  readonly secure: boolean;
  /** Aborts when the client's connection ends or the server stops. */
  readonly signal: AbortSignal;
  /** The whole body. @throws BodyTooBig past `limit` bytes (default: `max_request_body_size`), TooBusy */
  body(limit?: number): Promise<Buffer>;
  /** Sends the whole response; its body is plain text unless `headers` say otherwise. Bytes are UTF-8. */
  text(
    status: number,
    text: string | Uint8Array,
    headers?: { readonly [name: string]: string },
  ): void;
}

/** The request body passed its limit. */
export class BodyTooBig extends Error {
  static {
    sameInEveryCopy(BodyTooBig, 'BodyTooBig');
  }
  override readonly name = 'BodyTooBig';
  readonly limit: number;
  /** Tells whether `Content-Length` said so before a byte was read. */
  readonly declared: boolean;

  constructor(limit: number, declared: boolean) {
    super(`request body is larger than ${limit} bytes`);
    this.limit = limit;
    this.declared = declared;
  }
}

/** Error that says that there is no room for a request body now. */
export class TooBusy extends Error {
  static {
    sameInEveryCopy(TooBusy, 'TooBusy');
  }
  override readonly name = 'TooBusy';
}

/** One HTTP route; literal and parameterised routes beat the fall-back (conventions.md §6). */
export interface Route {
  /** `/svc/thing/:name` or `/svc/thing/:name/*path`; `svc` is rewritten when the brand differs. Case-sensitive. */
  readonly path: string;
  handle(exchange: Exchange): void | Promise<void>;
}

/** Registry of routes; the same path twice stops the start. */
export interface Routes {
  add(route: Route): void;
}

/** A WebSocket upgrade request on its way through the `upgrade` hook; unclaimed ones speak JSON-RPC. */
export interface Upgrade {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Request of the upgrade, for method and HTTP version: it may have any. */
  readonly request: IncomingMessage;
  readonly connection: Connection;
  readonly peerAddress: string;
  /** Completes the handshake: the plugin vouches for the peer, which is paused until `listen` is called on it. */
  accept(limits?: MessageLimits): Promise<Peer>;
  /** Answers with this status instead of the handshake. */
  refuse(status: number, text: string, headers?: { readonly [name: string]: string }): void;
}

/** Limits of what one peer may send, bytes. A peer that sends more is closed with 1009, one that sends text that is not UTF-8 with 1007. */
export interface MessageLimits {
  readonly maxMessageBytes: number;
  readonly maxFrameBytes: number;
}

/** Content of a close frame; `code` is undefined when the frame carried none. */
export interface CloseFrame {
  readonly code: number | undefined;
  readonly reason: string;
}

/** One WebSocket. Only the kernel touches the socket. */
export interface Peer {
  /** Unique in this process. */
  readonly id: string;
  readonly address: string;
  readonly closed: AbortSignal;
  /** The frame with which the peer closed, once `closed` has aborted; undefined when it ended otherwise. */
  readonly closeFrame: CloseFrame | undefined;
  /** Bytes waiting in the socket. A peer that lets more than the kernel's bound wait is cut. */
  readonly buffered: number;
  /** Text or binary by type. */
  send(data: string | Uint8Array): void;
  /** Bytes of UTF-8 as a text message. */
  sendText(data: string | Uint8Array): void;
  /** Closes the connection; without a code the close frame is empty. */
  close(code?: number, reason?: string): void;
  /** Reads messages up to this size from now on, where the connection's own limit is smaller. */
  raiseMessageLimit(bytes: number): void;
  /** Receives raw messages instead of JSON-RPC; only for peers from `Upgrade.accept`. */
  listen(onMessage: (data: Buffer, binary: boolean) => void): void;
  /** Stops and restarts reading from the socket: back-pressure. */
  pause(): void;
  resume(): void;
  /** Resolves when everything sent has left for the operating system. */
  drained(): Promise<void>;
}
