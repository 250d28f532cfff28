import type { BusEvent, BusServer } from '@svc/plugin-sdk/kernel';
import type { Counts, Frame, Heartbeat, Message } from './frame.ts';

/** A server that was not heard for this long is dead. */
export const DEAD_MS = 3_000;
/** Time after this server has connected in which the first frame of another one may have any number: all send a heartbeat in it. */
const FRESH_MS = 2_500;
/** A dead server may only have been cut off, so its numbers are kept this long. */
const FORGET_MS = 86_400_000;

/** The frames of one server that came, to all or to this server. */
interface Received {
  /** Number of the last one. */
  number: number;
  /** The next frame may have any number: what lies between was sent before this server had connected. */
  anyNext: boolean;
}

interface OtherServer {
  /** undefined until its first heartbeat, and while it is dead. */
  about: BusServer | undefined;
  alive: boolean;
  /** Time of its last frame, ms. */
  heardAt: number;
  readonly toAll: Received;
  direct: Received;
  /** Number of times that this server counted it as dead. */
  countedDead: number;
  /** Number of times that it says it counted this server as dead. */
  countedUsDead: number;
}

export interface OtherServersOptions {
  /** `Bus.id` of this server. */
  readonly id: string;
  readonly event: (event: BusEvent) => void;
  readonly deliver: (message: Message, from: string) => void;
  /** A server ended without a goodbye: it may have changed rows without telling. */
  readonly died: () => void;
  /** A server was heard for the first time, or again: it should hear of this one. */
  readonly met: () => void;
  /** A server has been dead for so long that nothing is kept of it. */
  readonly forgotten: (id: string) => void;
}

/** State of the other servers: which are alive, and whether any of their frames were lost. Times are the caller's, ms. */
export class OtherServers {
  readonly #options: OtherServersOptions;
  readonly #servers = new Map<string, OtherServer>();
  #freshUntil = 0;

  constructor(options: OtherServersOptions) {
    this.#options = options;
  }

  get alive(): BusServer[] {
    return [...this.#servers.values()].flatMap(({ alive, about }) =>
      alive && about ? [about] : [],
    );
  }

  /** Number of times that each server that is alive was counted as dead. */
  get countedDead(): Counts {
    const revived = [...this.#servers].filter(
      ([, { alive, countedDead }]) => alive && countedDead > 0,
    );
    return Object.fromEntries(revived.map(([id, { countedDead }]) => [id, countedDead]));
  }

  isAlive(id: string): boolean {
    return this.#servers.get(id)?.alive ?? false;
  }

  /** Notes that this server has connected: what was sent before is not missed, and what came before may come again. */
  connected(now: number): void {
    this.#freshUntil = now + FRESH_MS;
    for (const { toAll, direct } of this.#servers.values()) {
      toAll.anyNext = true;
      direct.anyNext = true;
    }
    this.forgiveSilence(now, Number.POSITIVE_INFINITY);
  }

  /** Forgives a silence in which this server could hear no other one. */
  forgiveSilence(now: number, silence_ms: number): void {
    for (const server of this.#servers.values()) {
      server.heardAt = Math.min(now, server.heardAt + silence_ms);
    }
  }

  receive(frame: Frame, now: number): void {
    const { from, to, heartbeat } = frame;
    const { id, deliver, met } = this.#options;
    if (from === id || (to !== undefined && to !== id)) return;
    const server = this.#servers.get(from) ?? this.#add(from, now);
    server.heardAt = now;
    const wasAlive = server.alive;
    server.alive = true;
    if (heartbeat) this.#hearHeartbeat(from, server, { number: frame.number, heartbeat });
    else if (this.#isNew(from, server, frame)) {
      for (const message of frame.messages) deliver(message, from);
    }
    if (!wasAlive && server.alive) met();
  }

  /** Looks for servers that have died. */
  findDead(now: number): void {
    for (const [id, server] of this.#servers) {
      if (server.alive && now - server.heardAt > DEAD_MS) {
        server.countedDead++;
        this.#end(server, true);
        this.#options.died();
      }
      if (!server.alive && now - server.heardAt > FORGET_MS) {
        this.#servers.delete(id);
        this.#options.forgotten(id);
      }
    }
  }

  #add(id: string, now: number): OtherServer {
    const server: OtherServer = {
      about: undefined,
      alive: false,
      heardAt: now,
      // A server that starts after this one begins with 1.
      toAll: { number: 0, anyNext: now < this.#freshUntil },
      // Direct frames to this process begin with 1 in any case.
      direct: { number: 0, anyNext: false },
      countedDead: 0,
      countedUsDead: 0,
    };
    this.#servers.set(id, server);
    return server;
  }

  #end(server: OtherServer, died?: true): void {
    server.alive = false;
    const { about } = server;
    server.about = undefined;
    if (about) this.#options.event({ kind: 'left', server: about, ...(died && { died }) });
  }

  /** Tells whether a frame has not come before. */
  #isNew(from: string, server: OtherServer, { to, number }: Frame): boolean {
    const direct = to !== undefined;
    const received = direct ? server.direct : server.toAll;
    if (number <= received.number) return false;
    this.#expectUpTo(number - 1, received, { from, direct });
    received.number = number;
    return true;
  }

  /** A heartbeat comes after the frames whose numbers it says: what has not come by now was lost. */
  #hearHeartbeat(
    from: string,
    server: OtherServer,
    { number, heartbeat }: { number: number; heartbeat: Heartbeat },
  ): void {
    const { event, id } = this.#options;
    const { uuid, version, direct, countedDead, bye } = heartbeat;
    const countedUsDead = countedDead[id] ?? 0;
    const forgotUs = countedUsDead > server.countedUsDead;
    server.countedUsDead = countedUsDead;
    if ((!server.about || forgotUs) && !bye) {
      server.about ??= { id: from, uuid, version };
      event({ kind: 'joined', server: server.about });
    }
    this.#expectUpTo(number, server.toAll, { from, direct: false });
    const directNumber = direct[id] ?? 0;
    // Numbers only grow, except those of a sender that had forgotten this server and began again: some frames may be lost.
    if (id in direct && directNumber < server.direct.number) {
      server.direct = { number: -1, anyNext: false };
    }
    this.#expectUpTo(directNumber, server.direct, { from, direct: true });
    if (bye) this.#end(server);
  }

  /** Frames up to this number have left their sender. */
  #expectUpTo(
    number: number,
    received: Received,
    { from, direct }: { from: string; direct: boolean },
  ): void {
    const missed = !received.anyNext && number > received.number;
    received.anyNext = false;
    received.number = Math.max(received.number, number);
    if (missed) this.#options.event({ kind: 'gap', from, direct });
  }
}
