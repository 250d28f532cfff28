import type { Clock, Connection, Exchange, Logger, Principal, Upgrade } from '@svc/plugin-sdk';
import type { Refusals } from '../api.ts';
import { countedAs } from './address.ts';
import type { ConnectionSettings } from './config.ts';

/** Places are scarce when this part of them is taken. */
const CROWDED = 0.9;
/** A token that holds more than this part of the JSON-RPC places takes none of those beyond the limit. */
const LARGE = 0.1;

interface Visitor {
  readonly connection: Connection;
  /** Where it waits among the other strangers; empty once it has shown a valid credential. */
  readonly lines: Set<Visitor>[];
  /** Key of the address that it counts for while it is a stranger. */
  address: string | undefined;
  /** Requests that are not answered to their end. */
  running: number;
  /** When something was heard of it last, and how much had been heard then. */
  since: number;
  heard: number;
  /** When its first bytes were seen, before its first request. */
  begun: number | undefined;
  isUpgraded: boolean;
  /** Key of its token; undefined: a stranger. */
  holder: string | undefined;
  isGone: boolean;
}

interface Options {
  readonly clock: Clock;
  readonly settings: ConnectionSettings;
  readonly refusals: Refusals;
  readonly log: Logger;
  /** JSON-RPC sockets and requests of the server. */
  readonly places: () => { readonly used: number; readonly limit: number };
  /** TCP connections that may be open. */
  readonly limit: () => number;
}

/**
 * Who may stay connected. A connection without a valid credential so far is a stranger: strangers are counted by address, are
 * closed when they are silent, and make room where places are scarce, the longest silent first. The others count for their token.
 */
export class Connections {
  readonly #options: Options;
  readonly #visitors = new WeakMap<Connection, Visitor>();
  /** Three orders of strangers, each with the longest silent first. */
  readonly #strangers = new Set<Visitor>();
  readonly #upgraded = new Set<Visitor>();
  readonly #byAddress = new Map<string, Set<Visitor>>();
  readonly #byToken = new Map<string, number>();
  #count = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  /** @returns false: close it */
  accept(connection: Connection): false | undefined {
    const { clock, limit } = this.#options;
    if (connection.unix) return undefined;
    const most = limit();
    if (this.#count >= most * CROWDED) this.#evict(this.#strangers, this.#count >= most);
    if (this.#count >= most)
      return this.#refuse('more connections than there is room for', connection);
    const visitor: Visitor = {
      connection,
      lines: [],
      address: undefined,
      running: 0,
      since: clock.now(),
      heard: 0,
      begun: undefined,
      isUpgraded: false,
      holder: undefined,
      isGone: false,
    };
    this.#count++;
    this.#visitors.set(connection, visitor);
    // Not `once`, whose wrapper a connection would keep for weeks.
    connection.socket.on('close', () => this.#leave(visitor));
    this.#queue(visitor, this.#strangers);
    // The clients behind a trusted proxy count by their own addresses.
    if (!connection.forwarded) this.#countFor(visitor, connection.address);
    return undefined;
  }

  /** A request runs until its response has left. */
  request({ connection, response }: Exchange): void {
    const visitor = this.#visitors.get(connection);
    if (!visitor) return;
    visitor.running++;
    this.#touch(visitor);
    response.once('close', () => {
      visitor.running--;
      this.#touch(visitor);
    });
  }

  /** From now on the connection belongs to one client, also where it comes through a proxy. */
  upgrading({ connection }: Upgrade): void {
    const visitor = this.#visitors.get(connection);
    if (!visitor) return;
    visitor.isUpgraded = true;
    this.#touch(visitor);
  }

  /** False for requests that a proxy sends: its other clients may have shown the credential. */
  hasOneClient(connection: Connection): boolean {
    return !connection.forwarded || this.#visitors.get(connection)?.isUpgraded === true;
  }

  /** A WebSocket that wants to speak JSON-RPC: makes room where that is possible. */
  async upgrade({ connection, peerAddress }: Upgrade): Promise<undefined> {
    const visitor = this.#visitors.get(connection);
    if (!visitor) return;
    if (connection.forwarded && visitor.holder === undefined) this.#countFor(visitor, peerAddress);
    const { used, limit } = this.#options.places();
    const victim = used >= limit * CROWDED ? this.#evict(this.#upgraded, used >= limit) : undefined;
    if (visitor.holder === undefined) this.#queue(visitor, this.#upgraded);
    // Its place is free when the system has closed it.
    if (victim) await new Promise<void>((end) => victim.connection.socket.once('close', end));
  }

  /** From now on the connection counts for this token. */
  vouched(connection: Connection, { id }: Principal): void {
    const visitor = this.#visitors.get(connection);
    if (!visitor || visitor.isGone || visitor.holder === id) return;
    this.#unqueue(visitor);
    this.#release(visitor);
    visitor.holder = id;
    const held = (this.#byToken.get(id) ?? 0) + 1;
    this.#byToken.set(id, held);
    const { used, limit } = this.#options.places();
    // Sockets that plugins have accepted take no JSON-RPC place and belong to no token.
    const isFew = held <= limit * LARGE;
    if (id === '' || !visitor.isUpgraded || used <= limit || isFew) return;
    this.#refuse('a token with many connections, where only the reserve is left', connection);
    connection.socket.destroy();
  }

  /** To be called once a second. `late_ms`: what came in this time may not be read yet. */
  sweep(late_ms = 0): void {
    const { clock, log, places, limit, settings } = this.#options;
    const now = clock.now();
    const { used, limit: most } = places();
    const isCrowded = this.#count >= limit() * CROWDED || used >= most * CROWDED;
    // A copy: those that are busy go to the end of the line.
    for (const visitor of [...this.#strangers]) {
      const { connection } = visitor;
      if (this.#isBusy(visitor)) continue;
      visitor.since += late_ms;
      if (visitor.begun !== undefined) visitor.begun += late_ms;
      const silence = now - visitor.since;
      if (isLate(visitor, now, settings.head_timeout_ms)) {
        this.#options.refusals.refused(
          'a handshake or head that takes too long',
          connection.address,
        );
        this.#drop(visitor);
      } else if (silence >= settings.silence_timeout_ms) {
        log.debug('silent connection closed', { address: connection.address });
        this.#drop(visitor);
      } else if (isCrowded && silence >= settings.crowded_silence_ms) {
        this.#refuse(SCARCE, connection);
        this.#drop(visitor);
      }
    }
  }

  /** True when it runs something or has spoken: then it goes to the end of its lines. */
  #isBusy(visitor: Visitor): boolean {
    const { heard } = visitor.connection;
    if (visitor.running === 0 && visitor.heard === heard) return false;
    visitor.heard = heard;
    this.#touch(visitor);
    return true;
  }

  /** Drops the longest silent one of a line. @param anyAge also when it came a moment ago */
  #evict(line: Set<Visitor>, anyAge: boolean): Visitor | undefined {
    const { clock, settings } = this.#options;
    const latest = clock.now() - (anyAge ? 0 : settings.crowded_silence_ms);
    let looked = 0;
    for (const visitor of line) {
      if (visitor.since > latest || ++looked > MOST_LOOKS) return undefined;
      if (this.#isBusy(visitor)) continue;
      this.#refuse(SCARCE, visitor.connection);
      this.#drop(visitor);
      return visitor;
    }
    return undefined;
  }

  #drop(visitor: Visitor): void {
    this.#leave(visitor);
    visitor.connection.socket.destroy();
  }

  #leave(visitor: Visitor): void {
    if (visitor.isGone) return;
    visitor.isGone = true;
    this.#count--;
    this.#unqueue(visitor);
    this.#release(visitor);
  }

  /** Counts a stranger for its address; the longest silent one of the address goes when they are too many. */
  #countFor(visitor: Visitor, address: string): void {
    const key = countedAs(address);
    const others = this.#byAddress.get(key);
    const most = this.#options.settings.strangers_per_address;
    if (others && others.size >= most) this.#evict(others, true);
    const line = this.#byAddress.get(key) ?? new Set();
    this.#byAddress.set(key, line);
    visitor.address = key;
    this.#queue(visitor, line);
  }

  #release({ holder }: Visitor): void {
    if (holder === undefined) return;
    const left = (this.#byToken.get(holder) ?? 1) - 1;
    if (left > 0) this.#byToken.set(holder, left);
    else this.#byToken.delete(holder);
  }

  #queue(visitor: Visitor, line: Set<Visitor>): void {
    line.add(visitor);
    visitor.lines.push(line);
  }

  #unqueue(visitor: Visitor): void {
    for (const line of visitor.lines.splice(0)) line.delete(visitor);
    const { address = '' } = visitor;
    if (this.#byAddress.get(address)?.size === 0) this.#byAddress.delete(address);
  }

  #touch(visitor: Visitor): void {
    visitor.since = this.#options.clock.now();
    visitor.begun = undefined;
    for (const line of visitor.lines) {
      line.delete(visitor);
      line.add(visitor);
    }
  }

  #refuse(reason: string, { address }: Connection): false {
    this.#options.refusals.refused(reason, address);
    return false;
  }
}

const SCARCE = 'silence without a credential, where places are scarce';
/** Busy strangers that are passed over in one search; each goes to the end of its line. */
const MOST_LOOKS = 100;

/** True when the first request has begun and does not come to its end. */
function isLate(visitor: Visitor, now: number, limit_ms: number): boolean {
  if (visitor.isUpgraded || visitor.connection.heard > 0) return false;
  if (visitor.connection.socket.bytesRead === 0) return false;
  visitor.begun ??= now;
  return now - visitor.begun >= limit_ms;
}
