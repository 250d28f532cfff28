import { service } from '@svc/plugin-sdk';

/** Service by which a plugin offers the transport of the bus between servers. */
export interface BusTransports {
  /**
   * Call it in `setup`. One transport is used: the first that was offered as `configured`, else the first of the others.
   * `configured`: the operator's configuration asks for this transport; otherwise it is merely available.
   */
  offer(transport: BusTransport, options?: { readonly configured?: boolean }): void;
}
export const BusTransports = service<BusTransports>('bus.transports');

/** Transport of frames between servers. The plugin `bus` numbers the frames and connects again after a failure. */
export interface BusTransport {
  /** Name for the log: `postgres`. */
  readonly name: string;
  /** Frames are filled up to this many bytes; one that holds a single large message may be longer, up to 9 MiB. */
  readonly frameBytes: number;
  /** Resolves when frames arrive. @throws when there is no connection */
  connect(link: BusLink): Promise<BusConnection>;
}

/** One connection, until its first failure. */
export interface BusConnection {
  /** Sends these frames in this order. @throws when it is not sure that they left: the same ones come again on another connection */
  send(frames: readonly BusFrame[]): Promise<void>;
  /** Resolves when what was sent has left. Also called after `failed`. */
  close(): Promise<void>;
}

export interface BusFrame {
  /** `Bus.id` of the only receiver; undefined: all other servers. */
  readonly to: string | undefined;
  /** JSON. */
  readonly text: string;
}

/** Events that a connection reports to the plugin `bus`. */
export interface BusLink {
  /** `Bus.id` of this server. */
  readonly id: string;
  /** A frame came, in the sender's order; own ones may come too. */
  receive(text: string): void;
  /** Frames were lost, and the connection is sound. */
  lost(): void;
  /** The connection has ended. */
  failed(error: unknown): void;
}
