import type { LookupAddress } from 'node:dns';
import type { Resolver } from 'node:dns/promises';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { service } from '@svc/plugin-sdk';

/** Rules of one owner for the requests it sends. */
export interface EgressRules {
  /**
   * Targets that are not public but may be reached: addresses (`127.0.0.1`, `[::1]`), networks (`10.0.0.0/8`), host
   * names (whatever they resolve to), each with an optional `:port`, or `*` for all.
   */
  readonly allow: readonly string[];
  /** Configuration key that `allow` comes from: errors and refusals name it. */
  readonly key?: string;
  /** Timeout of a connection, ms. */
  readonly connect_ms: number;
  /** Time without a byte after which a request fails, ms. */
  readonly idle_ms: number;
  /** Decoded content of one response, bytes. */
  readonly max_bytes: number;
}

export interface EgressRequest {
  /** `http`, `https` or `data`. */
  readonly url: string;
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly redirect: 'follow' | 'manual' | 'error';
  readonly body?: Uint8Array | undefined;
  readonly signal: AbortSignal;
  /** Token for which it is sent: tokens get connections in turns. */
  readonly share?: string;
  /** Limit of the whole, with its answer, from the time at which it has its place, ms. */
  readonly limit_ms?: number;
}

export interface EgressResponse {
  readonly status: number;
  /** URL after redirects. */
  readonly url: string;
  readonly redirected: boolean;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Decoded content; fails past the size limit. */
  readonly body: Readable;
}

/** A connection for another protocol than HTTP. */
export interface EgressConnection {
  /** A name or an address. */
  readonly host: string;
  readonly port: number;
  /** Address of the host, of those that `addresses` gave; absent: whichever of them answers. */
  readonly address?: string;
  /** TLS, where present: the certificate is checked for the host, against these authorities (PEM) or the public ones. */
  readonly tls?: { readonly ca?: string };
  /** Ends the attempt; an open connection belongs to its owner. */
  readonly signal: AbortSignal;
}

/** A host and the port that is meant there, 0 where the protocol has none. */
export interface EgressTarget {
  /** A name or an address. */
  readonly host: string;
  readonly port: number;
}

/** Sends the requests of one owner under its rules, over connections of its own. */
export interface EgressClient {
  /** @throws TypeError `Failed to fetch: ` and the reason, which is also its `cause` */
  request(request: EgressRequest): Promise<EgressResponse>;
  /** Opens a socket, which its owner closes. @throws Error within `connect_ms` */
  connect(connection: EgressConnection): Promise<Socket>;
  /** Returns the addresses of a host that may be reached at the port. @throws Error where there are none */
  addresses(target: EgressTarget & { readonly family?: 4 | 6 }): Promise<readonly LookupAddress[]>;
  /** Creates a client of a name server, which is a target as any other, or of those of this server. @throws Error where it may not be reached */
  resolver(server?: EgressTarget): Promise<Resolver>;
  /** Applies new rules; connections that were opened under the old ones are closed. @throws UserError as `Egress.open` */
  change(rules: EgressRules): void;
}

/** Service for each connection that the server opens for a caller. */
export interface Egress {
  /** @throws UserError that names an entry of `allow` which is none */
  open(rules: EgressRules): EgressClient;
}

export const Egress = service<Egress>('egress');
