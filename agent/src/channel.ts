import WebSocket from 'ws';
import { hasPin } from './cert-pin.ts';
import type { Clock } from './clock.ts';

/** One frame from the peer. The library answers pings by itself. */
export type Frame =
  | { kind: 'text'; text: string }
  | { kind: 'binary'; data: Buffer }
  | { kind: 'ping' };

type Next = Frame | { kind: 'late' } | { kind: 'closed'; reason: string };

export interface Address {
  readonly ws_url: string;
  readonly ignore_cert: boolean;
  /** Key that the certificate must have; then nothing else of it counts. */
  readonly cert_pin?: string | undefined;
}

const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** Frames kept between the handshake and the main loop. Beyond these the oldest is dropped. */
const MAX_WAITING = 32;

/** One open WebSocket. The handshake reads it frame by frame, the main loop with a listener. */
export class Channel {
  /** Resolves with the reason when the connection has ended. */
  readonly closed: Promise<string>;
  /** `steady` time of the last frame. */
  heard_at: number;
  readonly #socket: WebSocket;
  readonly #clock: Clock;
  readonly #waiting: Frame[] = [];
  #onNext: ((frame: Frame) => void) | undefined;
  #listener: ((frame: Frame) => void) | undefined;

  constructor(socket: WebSocket, clock: Clock) {
    this.#socket = socket;
    this.#clock = clock;
    this.heard_at = clock.steady();
    socket.on('message', (data, isBinary) => {
      const bytes = data as Buffer;
      this.#receive(
        isBinary ? { kind: 'binary', data: bytes } : { kind: 'text', text: bytes.toString() },
      );
    });
    socket.on('ping', () => this.#receive({ kind: 'ping' }));
    socket.on('pong', () => this.#alive());
    this.closed = new Promise((resolve) => {
      socket.on('error', (error) => resolve(error.message));
      socket.on('close', (code) => resolve(`closed with code ${code}`));
    });
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /** Bytes that are not sent yet. */
  get backlog(): number {
    return this.#socket.bufferedAmount;
  }

  /** Sends one frame, text or binary; `done` runs when it was sent or refused. `closed` resolves for a lost connection. */
  send(data: string | Buffer, done: () => void = () => {}): void {
    this.#socket.send(data, done);
  }

  /** Stops reading (true), close frames included, or reads on (false). */
  hold(isHeld: boolean): void {
    if (isHeld) this.#socket.pause();
    else this.#socket.resume();
  }

  ping(): void {
    if (this.isOpen) this.#socket.ping();
  }

  /** The next frame, or why none came within `ms`. */
  async next(ms: number): Promise<Next> {
    const waiting = this.#waiting.shift();
    if (waiting) return waiting;
    let cancel = () => {};
    const frame = new Promise<Frame>((resolve) => {
      this.#onNext = resolve;
    });
    const late = new Promise<{ kind: 'late' }>((resolve) => {
      cancel = this.#clock.after('reply', ms, () => resolve({ kind: 'late' }));
    });
    const closed = this.closed.then((reason) => ({ kind: 'closed', reason }) as const);
    try {
      return await Promise.race([frame, late, closed]);
    } finally {
      cancel();
      this.#onNext = undefined;
    }
  }

  /** The next frame but pings within `ms` altogether. Frames that are `early` wait for `listen`, at most 32 of them. */
  async answer(ms: number, early: (frame: Frame) => boolean = () => false): Promise<Next> {
    const end = this.#clock.steady() + ms;
    const kept: Frame[] = [];
    let next: Next = { kind: 'late' };
    for (let left = ms; left > 0; left = end - this.#clock.steady()) {
      next = await this.next(left);
      if (next.kind === 'late' || next.kind === 'closed') break;
      const isEarly = early(next);
      if (next.kind !== 'ping' && !isEarly) break;
      if (isEarly) kept.push(next);
      if (kept.length > MAX_WAITING) kept.shift();
      next = { kind: 'late' };
    }
    this.#waiting.unshift(...kept);
    return next;
  }

  /** Passes every frame to `handle` from now on, first those that are kept. */
  listen(handle: (frame: Frame) => void): void {
    for (const frame of this.#waiting.splice(0)) handle(frame);
    this.#listener = handle;
  }

  /** Sends a close frame after everything else. The connection is cut when the peer has not answered after `limit_ms`. */
  close(limit_ms = 1000, reason?: string): void {
    if (this.#socket.readyState === WebSocket.CLOSED) return;
    this.#socket.close(1000, reason);
    const cancel = this.#clock.after('goodbye', limit_ms, () => this.#socket.terminate());
    this.#socket.once('close', cancel);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  #alive(): void {
    this.heard_at = this.#clock.steady();
  }

  #receive(frame: Frame): void {
    this.#alive();
    const deliver = this.#listener ?? this.#onNext;
    // One packet may hold several frames: the first one goes to `next`, the others are kept.
    this.#onNext = undefined;
    if (deliver) deliver(frame);
    else this.#waiting.push(frame);
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
  }
}

/**
 * Opens a WebSocket within `limit_ms`, name look-up and TLS included. It uses no compression, no sub-protocol and no
 * header beyond those of the handshake (clients.md §2.4).
 * @throws Error when the server cannot be reached in time or the signal aborts
 */
export function dial(
  address: Address,
  clock: Clock,
  limit_ms: number,
  signal: AbortSignal,
): Promise<Channel> {
  const socket = new WebSocket(address.ws_url, {
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    rejectUnauthorized: !address.ignore_cert && address.cert_pin === undefined,
  });
  const channel = new Channel(socket, clock);
  return new Promise((resolve, reject) => {
    let isSettled = false;
    const settle = (act: () => void) => {
      if (isSettled) return;
      isSettled = true;
      cancel();
      signal.removeEventListener('abort', stop);
      act();
    };
    const fail = (reason: string) =>
      settle(() => {
        socket.terminate();
        reject(new Error(reason));
      });
    const stop = () => fail('stopped');
    const cancel = clock.after('connect', limit_ms, () =>
      fail(`no connection within ${limit_ms} ms`),
    );
    signal.addEventListener('abort', stop);
    // Before anything is sent beyond the handshake, which holds no secret.
    const { cert_pin } = address;
    socket.once('upgrade', (response) => {
      if (cert_pin !== undefined && !hasPin(response.socket, cert_pin))
        fail('the key of its certificate is not that of cert_pin');
    });
    socket.once('open', () => settle(() => resolve(channel)));
    void channel.closed.then(fail);
    if (signal.aborted) stop();
  });
}
