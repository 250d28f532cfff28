import type { Static, TSchema } from 'typebox';
import type { Payload, Topic } from './topic.ts';

/** Server that sent a message. */
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
 * `joined`: another server is there; within some milliseconds of its start. It comes again, without `left`, when that
 * server had counted this one as dead (this process slept, or was cut off) and forgot what this one told: tell it all.
 * `left`: the server said goodbye, or was not heard for 3 s. Its connections count as ended. Without a goodbye it may
 * have changed rows without telling, so `database.changed` is delivered; it `died`.
 * `gap`: messages of `from` (undefined: of any server) were lost for good, direct ones when `direct`. Unless `direct`, the
 * topic `database.changed` is delivered too, so that a plugin with a copy of rows needs no more than that topic.
 */
export type BusEvent =
  | { readonly kind: 'joined'; readonly server: BusServer }
  | { readonly kind: 'left'; readonly server: BusServer; readonly died?: true }
  | { readonly kind: 'gap'; readonly from: string | undefined; readonly direct: boolean };

/** Messages to the other servers, topics by their names. A plugin answers the hook `bus` with one. */
export interface RemoteBus {
  /** Publishes to all other servers. */
  publish(topic: string, payload: unknown): void;
  /** Sends as `Bus.send` does; never called with the own id. */
  send(to: string, topic: string, payload: unknown): boolean;
  /** Resolves as `Bus.drained` does. */
  drained(to: string): Promise<void>;
  /** The other servers that are alive. */
  servers(): readonly BusServer[];
  /** Answers as `Bus.connected` does. */
  connected(): boolean;
}

/** Kernel's part for the plugin that joins this server with others. */
export interface BusRequest {
  /** `Bus.id` of this process. */
  readonly id: string;
  /** `server_uuid` of the configuration in force. */
  readonly uuid: () => string;
  /** `X.Y.Z` */
  readonly version: string;
  /** Delivers a message of the server `from` to this server's subscribers. Never throws. */
  readonly deliver: (topic: string, payload: unknown, from: string) => void;
  /** Tells this server's watchers. Never throws. */
  readonly event: (event: BusEvent) => void;
}

/**
 * The servers on one database. Inside this process the kernel delivers messages; a plugin joins other servers (hook
 * `bus`). Messages of one sender arrive in order and once; a loss is told by a `gap` within a second. Payloads are JSON;
 * they, or members of an object one level deep, may be a `Uint8Array`. Payloads of other servers are copies. A message is
 * at most 8 MiB. Sending never blocks and never throws; what cannot be sent is logged, and the other servers get a gap.
 */
export interface Bus {
  /** Id of this process on the bus: another one after each start. */
  readonly id: string;
  /**
   * Sends to one server only, in the order of sending; no order between `send` and `publish`. To itself: delivered as an
   * own one.
   * @returns false: dropped, because that server is not alive or 8 MiB wait to be sent
   */
  send<S extends TSchema>(to: string, topic: Topic<S>, payload: Payload<Static<S>>): boolean;
  /** Resolves when less than 256 KiB wait for that server, or it has gone: for senders of much, before the next piece. */
  drained(to: string): Promise<void>;
  /** The other servers that are alive. */
  servers(): readonly BusServer[];
  /** Returns false while the way to other servers is interrupted; true for a server that is alone by its configuration. */
  connected(): boolean;
  /** @returns stops watching */
  watch(listener: (event: BusEvent) => void): () => void;
}

/** Part of `Kernel` through which a plugin sends to other plugins and servers, and hears of them. */
export interface Messaging {
  /** Reaches every subscriber after the current turn, on this server and, unless the topic is local, on all others. */
  publish<S extends TSchema>(topic: Topic<S>, payload: Payload<Static<S>>): void;
  /**
   * Messages of `publish` and of `bus.send`. A listener that fails is logged with its plugin's name and hurts no other.
   * A server of another version may send another form of the payload.
   * @returns removes the listener
   */
  subscribe<S extends TSchema>(
    topic: Topic<S>,
    listener: (payload: Payload<Static<S>>, from: BusSender) => void | Promise<void>,
  ): () => void;
  /** The other servers. */
  readonly bus: Bus;
}
