import type { Socket } from 'node:net';
import type { Clock, Logger } from '@svc/plugin-sdk';
import type { WebSocket } from 'ws';
import { textOf } from '../http/rpc.ts';
import type { Load } from '../load.ts';
import type { Source } from '../rpc/context.ts';
import type { Answer, Dispatcher } from '../rpc/dispatch.ts';
import { Subscriptions } from '../rpc/subscriptions.ts';
import { SocketPeer } from './peer.ts';

/** Calls in progress per connection; the socket is not read beyond it. */
const MAX_CALLS = 256;
const RESUME_CALLS = 128;
/** Calls that start in one turn of the event loop. */
const MAX_PER_TURN = 16;
/** Answers that wait in the socket before its sender is read further. */
const MAX_BUFFERED = 16 * 1024 * 1024;

/** A connection that speaks JSON-RPC: bounded concurrency, back-pressure, subscriptions (conventions.md §3). */
export class RpcPeer extends SocketPeer {
  readonly subscriptions: Subscriptions;
  answered = 0;
  #calls = 0;
  #started = 0;
  #turn: NodeJS.Immediate | undefined;
  /** Read and not started; bounded by `MAX_CALLS` and one chunk of the socket. */
  readonly #waiting: Buffer[] = [];
  #draining: Promise<void> | undefined;
  #paused = false;
  #closing = false;
  #idle: (() => void) | undefined;
  readonly #dispatcher: Dispatcher;
  readonly #load: Load;
  readonly #log: Logger;
  readonly #source: Source;
  #forget: (() => void) | undefined;

  constructor(
    socket: WebSocket,
    tcp: Socket,
    address: string,
    options: { dispatcher: Dispatcher; load: Load; log: Logger; clock: Clock },
  ) {
    super(socket, tcp, address, options);
    const { dispatcher, load, log } = options;
    this.#log = log;
    this.#dispatcher = dispatcher;
    this.#load = load;
    this.subscriptions = new Subscriptions(this);
    this.#source = {
      transport: 'ws',
      address,
      peer: this,
      subscriptions: this.subscriptions,
      signal: this.closed,
    };
    this.closed.addEventListener(
      'abort',
      () => {
        this.#forget?.();
        this.subscriptions.closeAll();
        for (const data of this.#waiting.splice(0)) this.#done(data.length);
      },
      { once: true },
    );
  }

  /** Finishes running calls, at most `grace_ms`, then closes. */
  async finish(code: number, grace_ms: number): Promise<void> {
    this.#closing = true;
    this.pause();
    if (this.#calls > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, grace_ms);
        this.#idle = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    // The closing handshake needs the reading side.
    super.resume();
    this.close(code);
  }

  protected override receive(data: Buffer): void {
    if (this.#closing) return;
    this.#calls++;
    this.#load.add(data.length);
    if (this.#calls >= MAX_CALLS || this.#load.full) this.#hold();
    if (this.#started < MAX_PER_TURN && this.#waiting.length === 0) this.#start(data);
    else this.#waiting.push(data);
  }

  #start(data: Buffer): void {
    this.#started++;
    this.#turn ??= setImmediate(() => this.#nextTurn());
    void this.#answer(textOf(data), data.length);
  }

  /** The buffer itself is not kept: it is a view of what the socket read in one piece. */
  async #answer(text: string, bytes: number): Promise<void> {
    try {
      this.#reply(await this.#dispatcher.answer(text, this.#source));
    } catch (error) {
      this.#log.error('message could not be answered', { error });
    }
    this.#done(bytes);
  }

  /** What came in one piece starts in portions, so that answers which nobody reads are noticed before more are made. */
  #nextTurn(): void {
    this.#started = 0;
    this.#turn = undefined;
    if (this.buffered > MAX_BUFFERED) this.#whenDrained();
    else for (const data of this.#waiting.splice(0, MAX_PER_TURN)) this.#start(data);
  }

  #reply({ text, release }: Answer): void {
    if (text !== undefined) {
      this.answered++;
      this.sendText(text);
    }
    release?.();
  }

  #done(bytes: number): void {
    this.#calls--;
    this.#load.done(bytes);
    if (this.#calls === 0) this.#idle?.();
    if (this.buffered > MAX_BUFFERED && !this.#paused) {
      this.#paused = true;
      this.pause();
    }
    if (this.#paused && !this.#closing && this.#calls < RESUME_CALLS) this.#release();
  }

  #hold(): void {
    if (this.#paused) return;
    this.#paused = true;
    this.pause();
  }

  #release(): void {
    if (this.buffered > MAX_BUFFERED) {
      this.#whenDrained();
    } else if (this.#load.full) {
      this.#forget ??= this.#load.whenRoom(() => {
        this.#forget = undefined;
        this.#go();
      });
    } else this.#go();
  }

  #whenDrained(): void {
    this.#draining ??= this.drained().then(() => {
      this.#draining = undefined;
      if (this.closed.aborted) return;
      this.#nextTurn();
      this.#go();
    });
  }

  #go(): void {
    if (!this.#paused || this.#closing || this.#calls >= MAX_CALLS) return;
    this.#paused = false;
    this.resume();
  }
}
