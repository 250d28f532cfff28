import type { Clock, Peer, Principal } from '@svc/plugin-sdk';
import { Pipe } from './pipe.ts';

/** A user who does not read gets the rest of the output for this long after the agent's end. */
const REST_MS = 10_000;

const NORMAL = 1000;
const GOING_AWAY = 1001;
const POLICY = 1008;

export interface SessionOptions {
  readonly agent: Peer;
  readonly clock: Clock;
  /** A session without a user ends after this time. */
  readonly userWait_ms: number;
  /** Called once; the session takes no place any more. */
  readonly ended: (reason: string) => void;
}

/** Two sockets and what goes between them (terminal.md §6, §7). Either side's end is the end. */
export class Session {
  readonly #agent: Peer;
  readonly #clock: Clock;
  readonly #ended: (reason: string) => void;
  readonly #output: Pipe;
  readonly #cancelWait: () => void;
  #input: Pipe | undefined;
  #user: Peer | undefined;
  #over = false;
  #forget: (() => void) | undefined;

  constructor({ agent, clock, userWait_ms, ended }: SessionOptions) {
    this.#agent = agent;
    this.#clock = clock;
    this.#ended = ended;
    this.#output = new Pipe(agent);
    this.#cancelWait = clock.timeout(() => this.#noUser(), userWait_ms);
    whenAborted(agent.closed, () => this.#agentGone());
  }

  get hasUser(): boolean {
    return this.#user !== undefined;
  }

  /** Attaches the user; `input` holds what was typed meanwhile. Ends with the user's credential. */
  join(user: Peer, input: Pipe, caller: Pick<Principal, 'ended'>): void {
    if (this.#over) {
      input.end();
      user.close(NORMAL, 'session ended');
      return;
    }
    this.#cancelWait();
    this.#user = user;
    this.#input = input;
    this.#forget = whenAborted(caller.ended, () => this.#credentialEnded());
    whenAborted(user.closed, () => this.#userGone());
    this.#output.connect(user);
    input.connect(this.#agent);
  }

  /** @returns false when the session has ended before */
  #end(reason: string): boolean {
    if (this.#over) return false;
    this.#over = true;
    this.#cancelWait();
    this.#forget?.();
    this.#ended(reason);
    return true;
  }

  #agentGone(): void {
    if (!this.#end('agent left')) return;
    const { closeFrame } = this.#agent;
    const user = this.#user;
    if (!user) return;
    this.#input?.end();
    const close = () =>
      closeFrame
        ? user.close(closeFrame.code, closeFrame.reason)
        : user.close(NORMAL, 'session ended');
    const cancel = this.#clock.timeout(close, REST_MS);
    const rest = () => {
      cancel();
      close();
    };
    user.drained().then(rest, rest);
  }

  #userGone(): void {
    if (!this.#end('user left')) return;
    const frame = this.#user?.closeFrame;
    this.#closeAgent(frame ? frame.code : GOING_AWAY, frame?.reason);
  }

  #credentialEnded(): void {
    if (!this.#end('credential of the user ended')) return;
    this.#input?.end();
    this.#user?.close(POLICY, 'credential ended');
    this.#closeAgent(GOING_AWAY);
  }

  #noUser(): void {
    if (this.#end('no user came')) this.#closeAgent(NORMAL, 'no user came');
  }

  #closeAgent(code: number | undefined, reason?: string): void {
    this.#output.end();
    this.#agent.close(code, reason);
  }
}

/** Runs once, at once when it has aborted already. @returns forgets it */
export function whenAborted(signal: AbortSignal, run: () => void): () => void {
  if (signal.aborted) {
    run();
    return () => {};
  }
  signal.addEventListener('abort', run, { once: true });
  return () => signal.removeEventListener('abort', run);
}
