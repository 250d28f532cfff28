import { within } from '@svc/plugin-sdk/driver';
import { isLater, thisTurn } from '@svc/plugin-sdk/util';
import { LONG_BYTES } from '../budgets.ts';
import type { Answer } from '../rpc/batch.ts';
import type { Source } from '../rpc/context.ts';
import { Subscriptions } from '../rpc/subscriptions.ts';
import { SocketPeer } from './peer.ts';

/** Calls in progress per connection; the socket is not read beyond it. */
const MAX_CALLS = 256;
const RESUME_CALLS = 128;
/** Calls that start in one turn of the event loop. */
const MAX_PER_TURN = 16;
/** Answers that wait in the socket before its sender is read further. */
const MAX_BUFFERED = 16 * 1024 * 1024;

/**
 * A connection that speaks JSON-RPC: bounded concurrency, back-pressure, subscriptions (conventions.md §3). It is the source of its
 * calls itself: there are thousands, and each holds what it is made of for weeks.
 */
export class RpcPeer extends SocketPeer implements Source {
  readonly transport = 'ws';
  readonly peer: SocketPeer = this;
  readonly subscriptions = new Subscriptions(this);
  answered = 0;
  /** Calls that have come and are not answered. */
  #calls = 0;
  /** Long messages that are not let in yet. */
  #long = 0;
  /** Calls that started in this turn of the event loop. */
  #started = 0;
  #turn = 0;
  #next: NodeJS.Immediate | undefined;
  /** Read and not started; bounded by `MAX_CALLS` and one chunk of the socket. */
  readonly #waiting: Buffer[] = [];
  #draining: Promise<void> | undefined;
  #isPaused = false;
  #isClosing = false;
  /** Made by a stop only: what a connection holds, it holds for weeks. */
  #idle: PromiseWithResolvers<void> | undefined;

  get signal(): AbortSignal {
    return this.closed;
  }

  /** Finishes running calls, at most `grace_ms`, then closes; `answer_ms` as `close` takes it. */
  async finish(code: number, grace_ms: number, answer_ms?: number): Promise<void> {
    this.#isClosing = true;
    this.pause();
    this.#idle ??= Promise.withResolvers();
    if (this.#calls > 0) await within(grace_ms, this.#idle.promise);
    // The close frame of the peer must be read.
    this.resume();
    this.close(code, '', answer_ms);
  }

  protected override ended(code: number, reason: Buffer): void {
    super.ended(code, reason);
    this.wiring.slots.release();
    this.wiring.unanswered.whenRoom.delete(this);
    this.subscriptions.closeAll();
    for (const data of this.#waiting.splice(0)) {
      this.wiring.unanswered.done(data.length);
      this.#done();
    }
  }

  protected override receive(data: Buffer): void {
    if (this.#isClosing) return;
    this.#calls++;
    this.connection.heard++;
    this.wiring.unanswered.add(data.length);
    if (data.length > LONG_BYTES) this.#long++;
    this.steer();
    const wait = this.wiring.hooks.turn.call(this, data.length);
    if (wait) wait(() => this.#begin(data));
    else this.#begin(data);
  }

  #begin(data: Buffer): void {
    if (this.#turn !== thisTurn()) [this.#turn, this.#started] = [thisTurn(), 0];
    const isFree = this.#started < MAX_PER_TURN && this.#waiting.length === 0;
    if (isFree || this.isClosed) return void this.#start(data);
    this.#waiting.push(data);
    this.#next ??= setImmediate(() => this.#nextTurn());
  }

  #start(data: Buffer): void {
    this.#started++;
    const onRead = data.length > LONG_BYTES ? () => this.#letIn() : undefined;
    const answering = this.wiring.dispatcher.receive(data, this, onRead);
    // The buffer itself is not kept: it is a view of what the socket read in one piece.
    const bytes = data.length;
    if (!isLater(answering)) return void this.#answered(bytes, answering);
    const failed = (error: unknown) => {
      this.wiring.log.error('message could not be answered', { error });
      this.#answered(bytes);
    };
    void answering.then((answer) => this.#answered(bytes, answer), failed);
  }

  #letIn(): void {
    this.#long--;
    this.steer();
  }

  #answered(bytes: number, answer?: Answer): void {
    this.wiring.unanswered.done(bytes);
    if (answer?.after) void answer.after.then(() => this.#reply(answer));
    else this.#reply(answer);
  }

  #reply(answer: Answer | undefined): void {
    if (answer?.text !== undefined) {
      this.answered++;
      this.sendText(answer.text);
    }
    answer?.release?.();
    this.#done();
  }

  #done(): void {
    this.#calls--;
    if (this.#calls === 0) this.#idle?.resolve();
    this.steer();
  }

  /** Messages that came in one chunk start in portions, so that unread answers are noticed before more are made. */
  #nextTurn(): void {
    this.#next = undefined;
    if (this.buffered > MAX_BUFFERED) return void this.steer();
    for (const data of this.#waiting.splice(0, MAX_PER_TURN)) this.#start(data);
    if (this.#waiting.length > 0) this.#next = setImmediate(() => this.#nextTurn());
  }

  /** Stops reading when calls, unread answers or the bytes of all connections are too many, and reads on when they are not. */
  steer(): void {
    const { unanswered } = this.wiring;
    const isSlow = this.buffered > MAX_BUFFERED;
    if (isSlow) this.#draining ??= this.drained().then(() => this.#drainedAll());
    if (this.#isClosing || this.isClosed) return;
    const most = this.#isPaused ? RESUME_CALLS : MAX_CALLS;
    const isFull = isSlow || unanswered.full || this.#long > 0 || this.#calls >= most;
    if (isFull !== this.#isPaused) {
      this.#isPaused = isFull;
      if (isFull) this.pause();
      else this.resume();
    }
    if (unanswered.full) unanswered.whenRoom.add(this);
  }

  #drainedAll(): void {
    this.#draining = undefined;
    this.#nextTurn();
    this.steer();
  }
}
