import type { LookupAddress } from 'node:dns';
import type { Resolver } from 'node:dns/promises';
import type { Socket } from 'node:net';

/** Host and port that a check wants to reach. The port is 0 where the protocol has none. */
export interface Target {
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Way out of a place, which decides what may be reached. Checks open nothing by themselves. */
export interface Door {
  /** Returns addresses of the host that may be reached, the preferred ones first. @throws Error where there are none */
  addresses(target: Target & { readonly family?: 4 | 6 }): Promise<readonly LookupAddress[]>;
  /** Opens a TCP connection to an address of the host. `signal` ends the attempt, not the open connection. @throws Error */
  connect(
    target: Target & { readonly address: string; readonly signal: AbortSignal },
  ): Promise<Socket>;
  /** Creates a client of a name server, or of those of the place. @throws Error where it may not be reached */
  resolver(server?: Target): Promise<Resolver>;
}

export interface Network extends Door {
  /** Returns the address below which the registry of a domain answers; absent: this place asks none. @throws Error in words */
  readonly registry?: (name: string) => Promise<string>;
  /** Sends echoes to an address; returns the milliseconds of those that came back. @throws Error where none could be sent */
  ping(echoes: {
    readonly address: string;
    readonly count: number;
    readonly signal: AbortSignal;
  }): Promise<readonly number[]>;
}
