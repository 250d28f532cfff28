/** Who sent a message. */
export interface BusSender {
  readonly id: string;
  /** Sent by this process. */
  readonly own: boolean;
}

/** Another server that is alive. */
export interface BusServer {
  /** Its `Bus.id`. */
  readonly id: string;
  /** Its `server_uuid`; equal servers behind one address share it. */
  readonly uuid: string;
  /** `X.Y.Z` */
  readonly version: string;
}

/**
 * `joined`: another server is there; within some milliseconds of its start. Again, without `left`, when it had counted this
 * one as dead (which slept, or was cut off) and forgot what this one told: tell it all.
 * `left`: it said goodbye, or was not heard for 3 s. Its connections count as ended. Without a goodbye it may have changed
 * what it did not live to tell of, so `database.changed` is delivered.
 * `gap`: messages of `from` (undefined: of anybody) were lost, direct ones when `direct`, for ever. Unless `direct`, the
 * topic `database.changed` is delivered too, so that who keeps a copy of rows needs no more than that topic.
 */
export type BusEvent =
  | { readonly kind: 'joined'; readonly server: BusServer }
  | { readonly kind: 'left'; readonly server: BusServer }
  | { readonly kind: 'gap'; readonly from: string | undefined; readonly direct: boolean };

/**
 * Messages between the servers on one database: in-process, or over a network that a plugin supplies (`BusTransport`).
 * Messages of one sender arrive in order and once; what was lost is told by a `gap` within a second. Payloads are JSON;
 * they, or members of an object one level deep, may be a `Uint8Array`. Others than the own come as copies.
 * A message is at most 8 MiB. Sending never blocks and never throws; what cannot be sent is logged, and others get a gap.
 */
export interface Bus {
  /** This process on the bus: another one after each start. */
  readonly id: string;
  /** To all servers, this one included: own messages are delivered after the current turn. */
  publish(topic: string, payload: unknown): void;
  /**
   * To one server only, in the order of sending; no order between `send` and `publish`. To itself: delivered as an own one.
   * @returns false: dropped, because that server is not alive or 8 MiB wait to be sent
   */
  send(to: string, topic: string, payload: unknown): boolean;
  /** Resolves when less than 256 KiB wait for that server, or it has gone: for senders of much, before the next piece. */
  drained(to: string): Promise<void>;
  /** Messages of both `publish` and `send`; unknown topics are ignored. @returns unsubscribes */
  subscribe(topic: string, listener: (payload: unknown, from: BusSender) => void): () => void;
  /** The other servers that are alive. */
  servers(): readonly BusServer[];
  /** @returns stops watching */
  watch(listener: (event: BusEvent) => void): () => void;
}

/** What carries frames between servers: a plugin returns one from its tap of `hooks.bus`. The kernel connects again after a failure. */
export interface BusTransport {
  /** For the log: `postgres`. */
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
  /** What was sent has left. Also called after `failed`. */
  close(): Promise<void>;
}

export interface BusFrame {
  /** `Bus.id` of the only receiver; undefined: everybody. */
  readonly to: string | undefined;
  /** JSON. */
  readonly text: string;
}

/** The kernel's end of one connection. */
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
