import type { BusEvent, BusServer } from '@svc/plugin-sdk';
import type { Counts, Frame, Message } from './frame.ts';

/** A server that was not heard for this long is dead. */
export const DEAD_MS = 3_000;
/** So long after the own connection the first frame of a server may have any number: all have beaten by then. */
const FRESH_MS = 2_500;
/** Numbers of a dead server are kept this long: it may only have been cut off. */
const FORGET_MS = 86_400_000;

/** What has come of one stream of frames. */
interface Heard {
  /** Number of the last one. */
  n: number;
  /** What lies between it and the next one is not missed: it was sent before the own connection. */
  open: boolean;
}

interface Peer {
  /** undefined until its first beat. */
  server: BusServer | undefined;
  alive: boolean;
  heard: number;
  readonly all: Heard;
  direct: Heard;
  /** How often it was counted as dead, and how often it says that it has counted this server so. */
  mourned: number;
  mournedUs: number;
}

export interface OtherServersOptions {
  /** The own id. */
  readonly id: string;
  readonly event: (event: BusEvent) => void;
  readonly deliver: (message: Message, from: string) => void;
  /** A server ended without a word: it may have changed what it did not live to tell of. */
  readonly died: () => void;
  /** A server was heard for the first time, or again: it should hear of this one. */
  readonly greet: () => void;
  readonly forgotten: (id: string) => void;
}

/** What is known of the other servers: who is alive, and whether anything of them was lost. Times come from the caller, ms. */
export class OtherServers {
  readonly #options: OtherServersOptions;
  readonly #peers = new Map<string, Peer>();
  #freshUntil = 0;

  constructor(options: OtherServersOptions) {
    this.#options = options;
  }

  get alive(): BusServer[] {
    return [...this.#peers.values()].flatMap(({ alive, server }) =>
      alive && server ? [server] : [],
    );
  }

  /** How often each server that lives on was counted as dead. */
  get mourned(): Counts {
    const all = [...this.#peers].filter(([, { alive, mourned }]) => alive && mourned > 0);
    return Object.fromEntries(all.map(([id, { mourned }]) => [id, mourned]));
  }

  isAlive(id: string): boolean {
    return this.#peers.get(id)?.alive ?? false;
  }

  /** The own connection begins: what was sent before is not waited for, and what came before may be sent again. */
  begin(now: number): void {
    this.#freshUntil = now + FRESH_MS;
    for (const peer of this.#peers.values()) {
      peer.all.open = true;
      peer.direct.open = true;
    }
    this.excuse(now, Number.POSITIVE_INFINITY);
  }

  /** Nobody could be heard for this long. */
  excuse(now: number, deaf_ms: number): void {
    for (const peer of this.#peers.values()) peer.heard = Math.min(now, peer.heard + deaf_ms);
  }

  hear(frame: Frame, now: number): void {
    const { from, to, beat } = frame;
    const { id, deliver, greet } = this.#options;
    if (from === id || (to !== undefined && to !== id)) return;
    const peer = this.#peers.get(from) ?? this.#add(from, now);
    peer.heard = now;
    const met = peer.alive;
    peer.alive = true;
    if (beat) this.#beat(from, peer, frame);
    else if (this.#isNext(from, peer, frame)) {
      for (const message of frame.messages) deliver(message, from);
    }
    if (!met && peer.alive) greet();
  }

  /** Finds the dead. */
  tick(now: number): void {
    for (const [id, peer] of this.#peers) {
      if (peer.alive && now - peer.heard > DEAD_MS) {
        peer.mourned++;
        this.#end(peer);
        this.#options.died();
      }
      if (!peer.alive && now - peer.heard > FORGET_MS) {
        this.#peers.delete(id);
        this.#options.forgotten(id);
      }
    }
  }

  #add(id: string, now: number): Peer {
    // A server that starts later begins with 1. Direct frames to this process begin with 1 in any case.
    const all = { n: 0, open: now < this.#freshUntil };
    const direct = { n: 0, open: false };
    const met = { heard: now, all, direct, mourned: 0, mournedUs: 0 };
    const peer: Peer = { ...met, server: undefined, alive: false };
    this.#peers.set(id, peer);
    return peer;
  }

  #end(peer: Peer): void {
    peer.alive = false;
    const { server } = peer;
    peer.server = undefined;
    if (server) this.#options.event({ kind: 'left', server });
  }

  /** False for a frame that came before. */
  #isNext(from: string, peer: Peer, { to, n }: Frame): boolean {
    const direct = to !== undefined;
    const heard = direct ? peer.direct : peer.all;
    if (n <= heard.n) return false;
    this.#hearTo(n - 1, heard, from, direct);
    heard.n = n;
    return true;
  }

  /** A beat follows the frames whose numbers it says: what did not come by now was lost. */
  #beat(from: string, peer: Peer, { n, beat }: Frame): void {
    const { event, id } = this.#options;
    const { uuid = '', version = '', direct = {}, mourned = {}, bye = false } = beat ?? {};
    const mournedUs = mourned[id] ?? 0;
    // It has forgotten all that this server told: the two meet anew.
    const again = mournedUs > peer.mournedUs;
    peer.mournedUs = mournedUs;
    if ((!peer.server || again) && !bye) {
      peer.server ??= { id: from, uuid, version };
      event({ kind: 'joined', server: peer.server });
    }
    this.#hearTo(n, peer.all, from, false);
    const directN = direct[id] ?? 0;
    // Numbers only grow, but for a sender that had forgotten this server: it has begun anew, and not all of that was taken.
    if (id in direct && directN < peer.direct.n) peer.direct = { n: -1, open: false };
    this.#hearTo(directN, peer.direct, from, true);
    if (bye) this.#end(peer);
  }

  /** Frames up to this number have left their sender. */
  #hearTo(n: number, heard: Heard, from: string, direct: boolean): void {
    const missed = !heard.open && n > heard.n;
    heard.open = false;
    heard.n = Math.max(heard.n, n);
    if (missed) this.#options.event({ kind: 'gap', from, direct });
  }
}
