import type { Clock, Logger, Principal } from '@svc/plugin-sdk';
import type { Connection, Exchange, Upgrade } from '@svc/plugin-sdk/http';
import type { Refusals } from '../api.ts';
import { countedAs } from './address.ts';
import type { ConnectionSettings } from './config.ts';

/** Places are scarce when this part of them is taken. */
const CROWDED = 0.9;
/** A token that holds more than this part of the JSON-RPC places takes none of those beyond the limit. */
const LARGE = 0.1;

interface ConnectionState {
  readonly connection: Connection;
  /** Queues of unauthenticated connections that it stands in; empty once it has shown a valid credential. */
  readonly queues: Set<ConnectionState>[];
  /** Key of the address that it counts for while it is unauthenticated. */
  address: string | undefined;
  /** Requests that are not answered to their end. */
  running: number;
  /** Time when bytes of it were last noticed, and how many had been read then. */
  since: number;
  heard: number;
  /** Time when its first bytes were seen, before its first request. */
  begun: number | undefined;
  isUpgraded: boolean;
  /** Key of its token; undefined while it is unauthenticated. */
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
 * Decides which connections stay. Connections without a valid credential so far, called unauthenticated, are counted by
 * address, are closed when they are silent, and make room where places are scarce, the longest silent first. The others
 * count for their token.
 */
export class Connections {
  readonly #options: Options;
  readonly #states = new WeakMap<Connection, ConnectionState>();
  /** Three queues of unauthenticated connections, each with the longest silent first. */
  readonly #unauthenticated = new Set<ConnectionState>();
  readonly #upgraded = new Set<ConnectionState>();
  readonly #byAddress = new Map<string, Set<ConnectionState>>();
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
    if (this.#count >= most * CROWDED) this.#evict(this.#unauthenticated, this.#count >= most);
    if (this.#count >= most)
      return this.#refuse('more connections than there is room for', connection);
    const state: ConnectionState = {
      connection,
      queues: [],
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
    this.#states.set(connection, state);
    // Not `once`, whose wrapper a connection would keep for weeks.
    connection.socket.on('close', () => this.#remove(state));
    this.#queue(state, this.#unauthenticated);
    // The clients behind a trusted proxy count by their own addresses.
    if (!connection.forwarded) this.#countFor(state, connection.address);
    return undefined;
  }

  /** A request runs until its response has left. */
  request({ connection, response }: Exchange): void {
    const state = this.#states.get(connection);
    if (!state) return;
    state.running++;
    this.#touch(state);
    response.once('close', () => {
      state.running--;
      this.#touch(state);
    });
  }

  /** Marks the connection as that of one client, also where it comes through a proxy. */
  upgrading({ connection }: Upgrade): void {
    const state = this.#states.get(connection);
    if (!state) return;
    state.isUpgraded = true;
    this.#touch(state);
  }

  /** Tells whether the connection has one client: one of a proxy has others, which may have shown the credential. */
  hasOneClient(connection: Connection): boolean {
    return !connection.forwarded || this.#states.get(connection)?.isUpgraded === true;
  }

  /** A WebSocket that wants to speak JSON-RPC: makes room where that is possible. */
  async upgrade({ connection, peerAddress }: Upgrade): Promise<undefined> {
    const state = this.#states.get(connection);
    if (!state) return;
    if (connection.forwarded && state.holder === undefined) this.#countFor(state, peerAddress);
    const { used, limit } = this.#options.places();
    const victim = used >= limit * CROWDED ? this.#evict(this.#upgraded, used >= limit) : undefined;
    if (state.holder === undefined) this.#queue(state, this.#upgraded);
    // Its place is free when the system has closed it.
    if (victim) await new Promise<void>((end) => victim.connection.socket.once('close', end));
  }

  /** Counts the connection for this token from now on. */
  vouched(connection: Connection, { id }: Principal): void {
    const state = this.#states.get(connection);
    if (!state || state.isGone || state.holder === id) return;
    this.#unqueue(state);
    this.#release(state);
    state.holder = id;
    const held = (this.#byToken.get(id) ?? 0) + 1;
    this.#byToken.set(id, held);
    const { used, limit } = this.#options.places();
    // Sockets that plugins have accepted take no JSON-RPC place and belong to no token.
    const isFew = held <= limit * LARGE;
    if (id === '' || !state.isUpgraded || used <= limit || isFew) return;
    this.#refuse('a token with many connections, where only the reserve is left', connection);
    connection.socket.destroy();
  }

  /** Closes connections that are silent or late; called once a second. `late_ms`: what came in this time may not be read yet. */
  sweep(late_ms = 0): void {
    const { clock, log, places, limit, settings } = this.#options;
    const now = clock.now();
    const { used, limit: most } = places();
    const isCrowded = this.#count >= limit() * CROWDED || used >= most * CROWDED;
    // A copy: those that are busy go to the end of the queue.
    for (const state of [...this.#unauthenticated]) {
      const { connection } = state;
      if (this.#isBusy(state)) continue;
      state.since += late_ms;
      if (state.begun !== undefined) state.begun += late_ms;
      const silence = now - state.since;
      if (isLate(state, now, settings.head_timeout_ms)) {
        this.#options.refusals.refused(
          'a handshake or head that takes too long',
          connection.address,
        );
        this.#drop(state);
      } else if (silence >= settings.silence_timeout_ms) {
        log.debug('silent connection closed', { address: connection.address });
        this.#drop(state);
      } else if (isCrowded && silence >= settings.crowded_silence_ms) {
        this.#refuse(SCARCE, connection);
        this.#drop(state);
      }
    }
  }

  /** Tells whether it runs something or has sent something: then it goes to the end of its queues. */
  #isBusy(state: ConnectionState): boolean {
    const { heard } = state.connection;
    if (state.running === 0 && state.heard === heard) return false;
    state.heard = heard;
    this.#touch(state);
    return true;
  }

  /** Drops the longest silent one of a queue. @param anyAge also when it came a moment ago */
  #evict(queue: Set<ConnectionState>, anyAge: boolean): ConnectionState | undefined {
    const { clock, settings } = this.#options;
    const latest = clock.now() - (anyAge ? 0 : settings.crowded_silence_ms);
    let examined = 0;
    for (const state of queue) {
      if (state.since > latest || ++examined > MOST_EXAMINED) return undefined;
      if (this.#isBusy(state)) continue;
      this.#refuse(SCARCE, state.connection);
      this.#drop(state);
      return state;
    }
    return undefined;
  }

  #drop(state: ConnectionState): void {
    this.#remove(state);
    state.connection.socket.destroy();
  }

  #remove(state: ConnectionState): void {
    if (state.isGone) return;
    state.isGone = true;
    this.#count--;
    this.#unqueue(state);
    this.#release(state);
  }

  /** Counts an unauthenticated connection for its address; the longest silent one of the address goes when they are too many. */
  #countFor(state: ConnectionState, address: string): void {
    const key = countedAs(address);
    const others = this.#byAddress.get(key);
    const most = this.#options.settings.strangers_per_address;
    if (others && others.size >= most) this.#evict(others, true);
    const queue = this.#byAddress.get(key) ?? new Set();
    this.#byAddress.set(key, queue);
    state.address = key;
    this.#queue(state, queue);
  }

  #release({ holder }: ConnectionState): void {
    if (holder === undefined) return;
    const left = (this.#byToken.get(holder) ?? 1) - 1;
    if (left > 0) this.#byToken.set(holder, left);
    else this.#byToken.delete(holder);
  }

  #queue(state: ConnectionState, queue: Set<ConnectionState>): void {
    queue.add(state);
    state.queues.push(queue);
  }

  #unqueue(state: ConnectionState): void {
    for (const queue of state.queues.splice(0)) queue.delete(state);
    const { address = '' } = state;
    if (this.#byAddress.get(address)?.size === 0) this.#byAddress.delete(address);
  }

  #touch(state: ConnectionState): void {
    state.since = this.#options.clock.now();
    state.begun = undefined;
    for (const queue of state.queues) {
      queue.delete(state);
      queue.add(state);
    }
  }

  #refuse(reason: string, { address }: Connection): false {
    this.#options.refusals.refused(reason, address);
    return false;
  }
}

const SCARCE = 'silence without a credential, where places are scarce';
/** Busy connections that one search passes over; each goes to the end of its queue. */
const MOST_EXAMINED = 100;

/** Tells whether the first request has begun and does not come to its end. */
function isLate(state: ConnectionState, now: number, limit_ms: number): boolean {
  if (state.isUpgraded || state.connection.heard > 0) return false;
  if (state.connection.socket.bytesRead === 0) return false;
  state.begun ??= now;
  return now - state.begun >= limit_ms;
}
