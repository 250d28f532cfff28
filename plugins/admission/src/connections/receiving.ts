import type { Clock } from '@svc/plugin-sdk';
import type { Connection, Receipt } from '@svc/plugin-sdk/http';
import type { Refusals } from '../api.ts';
import { countedAs } from './address.ts';
import type { ConnectionSettings } from './config.ts';

/** A rate is measured over this time; with a valid credential over four times as much. */
const WINDOW_MS = 15_000;
const PATIENCE = 4;
/** Senders that are compared when the budget is used up: an attack with more of them is met by chance. */
const COMPARED = 64;
/** Age beyond which a body on its way makes room for newer ones. */
const YOUNG_MS = 5_000;

/** A body or message on its way. */
interface Body {
  readonly receipt: Receipt;
  readonly pool: Pool;
  readonly sender: Sender;
  readonly isAuthenticated: boolean;
  begun: number;
  held: number;
  /** Bytes that the connection had read at `measuredAt`. */
  read: number;
  measuredAt: number;
}

/** Address, or token, that is sending. */
interface Sender {
  readonly key: string;
  bytes: number;
  /** The oldest first. */
  readonly bodies: Set<Body>;
}

interface Pool {
  bytes: number;
  readonly senders: Map<string, Sender>;
}

interface Options {
  readonly clock: Clock;
  readonly settings: ConnectionSettings;
  readonly refusals: Refusals;
  /** Tells whether the connection has one client; otherwise its credential may be another client's. */
  readonly hasOneClient: (connection: Connection) => boolean;
}

/**
 * The memory of bodies and messages while they come: one budget for senders without a valid credential, one for the others.
 * A sender may use half of it: beyond, what comes now is refused, unless older ones are slow. Where the whole budget is used
 * up, the oldest of the sender who holds most goes.
 */
export class Receiving {
  readonly #options: Options;
  readonly #bodies = new Map<Receipt, Body>();
  readonly #unauthenticated: Pool = { bytes: 0, senders: new Map() };
  readonly #authenticated: Pool = { bytes: 0, senders: new Map() };

  constructor(options: Options) {
    this.#options = options;
  }

  /** Charges what a receipt holds now. @returns false: it is refused */
  change(receipt: Receipt): false | undefined {
    const existing = this.#bodies.get(receipt);
    if (receipt.held === 0) {
      if (existing) this.#forget(existing);
      return undefined;
    }
    const body = existing ?? this.#begin(receipt);
    const more = receipt.held - body.held;
    body.held = receipt.held;
    body.pool.bytes += more;
    body.sender.bytes += more;
    if (more > 0) this.#makeRoom(body);
    return this.#bodies.has(receipt) ? undefined : false;
  }

  /** Ends what comes too slowly; called once a second. `late_ms`: what came in this time may not be read yet. */
  sweep(late_ms = 0): void {
    const { clock, settings } = this.#options;
    const now = clock.now();
    for (const body of this.#bodies.values()) {
      const { socket } = body.receipt.connection;
      body.begun += late_ms;
      body.measuredAt += late_ms;
      const passed = now - body.measuredAt;
      if (!body.isAuthenticated && now - body.begun > settings.body_timeout_ms)
        this.#end(body, 'a body or message that takes too long');
      else if (passed >= WINDOW_MS * (body.isAuthenticated ? PATIENCE : 1)) {
        const came = socket.bytesRead - body.read;
        // A connection that the server itself does not read is not slow.
        const isSlow = came < (settings.min_bytes_per_second * passed) / 1000;
        if (isSlow && !socket.isPaused())
          this.#end(body, 'a body or message that comes too slowly');
        body.read = socket.bytesRead;
        body.measuredAt = now;
      }
    }
  }

  #begin(receipt: Receipt): Body {
    const { connection } = receipt;
    const { socket } = connection;
    const caller = this.#options.hasOneClient(connection) ? connection.caller : undefined;
    const pool = caller ? this.#authenticated : this.#unauthenticated;
    const key = caller ? caller.id : countedAs(receipt.address);
    let sender = pool.senders.get(key);
    if (!sender) {
      sender = { key, bytes: 0, bodies: new Set() };
      pool.senders.set(key, sender);
    }
    const now = this.#options.clock.now();
    const isAuthenticated = caller !== undefined;
    const at = { begun: now, measuredAt: now, held: 0, read: socket.bytesRead };
    const body: Body = { receipt, pool, sender, isAuthenticated, ...at };
    sender.bodies.add(body);
    this.#bodies.set(receipt, body);
    return body;
  }

  #makeRoom(body: Body): void {
    const { pool, sender, isAuthenticated } = body;
    const { settings } = this.#options;
    const budget = isAuthenticated
      ? settings.known_receive_budget_bytes
      : settings.receive_budget_bytes;
    const most = isAuthenticated ? Number.POSITIVE_INFINITY : settings.bodies_per_address;
    if (sender.bodies.size > most)
      this.#endOne(sender, body, 'too many bodies or messages at once');
    // One body alone may be as large as the limit of messages allows.
    while (sender.bytes > budget / 2 && sender.bodies.size > 1 && sender.bodies.has(body))
      this.#endOne(sender, body, 'bodies or messages of one sender take too much memory');
    while (pool.bytes > budget && pool.senders.size > 1 && sender.bodies.has(body)) {
      const [oldest = body] = largest(pool, sender).bodies;
      this.#end(oldest, 'bodies or messages take too much memory', body);
    }
  }

  /** Ends the oldest body of a sender where that is slow, else the current one. */
  #endOne({ bodies }: Sender, current: Body, reason: string): void {
    const [oldest = current] = bodies;
    const isSlow = this.#options.clock.now() - oldest.begun > YOUNG_MS;
    this.#end(isSlow ? oldest : current, reason, current);
  }

  /** @param current the one that asks for room: when it has to go itself, its caller informs the client */
  #end(body: Body, reason: string, current?: Body): void {
    this.#forget(body);
    this.#options.refusals.refused(reason, body.receipt.address);
    if (body !== current) body.receipt.connection.socket.destroy();
  }

  #forget(body: Body): void {
    const { pool, receipt, sender } = body;
    this.#bodies.delete(receipt);
    sender.bodies.delete(body);
    sender.bytes -= body.held;
    pool.bytes -= body.held;
    if (sender.bodies.size === 0) pool.senders.delete(sender.key);
  }
}

function largest({ senders }: Pool, own: Sender): Sender {
  let found = own;
  let compared = 0;
  for (const sender of senders.values()) {
    if (sender.bytes > found.bytes) found = sender;
    if (++compared === COMPARED) break;
  }
  return found;
}
