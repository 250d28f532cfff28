import type { Clock } from '@svc/plugin-sdk';
import type { Peer } from '@svc/plugin-sdk/http';
import { Pipe } from './pipe.ts';

/** State of one session. The README has the diagram, and the meaning and deadline of each state. */
export type State = 'reserved' | 'waiting' | 'joined' | 'draining' | 'ended';

/**
 * `opened`, `released`: the agent's handshake succeeded or failed. `drained`: the user has got all output. `expired`: the state's
 * deadline passed.
 */
export type Event =
  | 'opened'
  | 'released'
  | 'userCame'
  | 'userLeft'
  | 'credentialEnded'
  | 'agentLeft'
  | 'drained'
  | 'expired';

/** Every transition there is. */
export const transitions: { readonly [S in State]: { readonly [E in Event]?: State } } = {
  reserved: { opened: 'waiting', released: 'ended' },
  waiting: { userCame: 'joined', agentLeft: 'ended', expired: 'ended' },
  joined: { agentLeft: 'draining', userLeft: 'ended', credentialEnded: 'ended' },
  draining: { drained: 'ended', userLeft: 'ended', expired: 'ended' },
  ended: {},
};

/** The state after an event. An event that the state does not name changes nothing. */
export const next = (state: State, event: Event): State => transitions[state][event] ?? state;

/** Reasons of events, for the log. */
const reasons: { readonly [E in Event]?: string } = {
  agentLeft: 'agent left',
  userLeft: 'user left',
  credentialEnded: 'credential or right of the user ended',
  expired: 'no user came',
};

/** A user who does not read gets the rest of the output for this long after the agent's end. */
const REST_MS = 10_000;

/** A deadline that comes so late, ms, says that this process was held up. */
const HELD_UP_MS = 2_000;

const NORMAL = 1000;
const GOING_AWAY = 1001;
const POLICY = 1008;

export interface SessionOptions {
  readonly clock: Clock;
  /** A session whose user does not come ends after this time. */
  readonly userWait_ms: number;
  /** The agent is connected. */
  readonly opened?: (session: Session) => void;
  /** Called once; the session takes no place any more. No reason: the agent never connected. */
  readonly over: (reason: string | undefined) => void;
}

/** Two sockets and what goes between them (terminal.md §6, §7). Only `#on` changes the state. */
export class Session {
  state: State = 'reserved';
  readonly #options: SessionOptions;
  #agent: Peer | undefined;
  #output: Pipe | undefined;
  #user: Peer | undefined;
  #input: Pipe | undefined;
  #cancelDeadline: (() => void) | undefined;
  #forgetCredential: (() => void) | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  get hasUser(): boolean {
    return this.#user !== undefined;
  }

  /** The agent's handshake succeeded: its output is kept until the user comes. */
  open(agent: Peer): void {
    this.#agent = agent;
    this.#output = new Pipe(agent);
    this.#on('opened');
    whenAborted(agent.closed, () => this.#on('agentLeft'));
  }

  /** The agent's handshake failed. */
  release(): void {
    this.#on('released');
  }

  /** Attaches the user; `input` holds what was typed before. `ended`: aborts with the user's credential or right, and ends the session. */
  join(user: Peer, input: Pipe, ended: AbortSignal): void {
    if (this.state !== 'waiting' || !this.#agent) {
      input.end();
      user.close(NORMAL, 'session ended');
      return;
    }
    this.#user = user;
    this.#input = input;
    this.#on('userCame');
    this.#forgetCredential = whenAborted(ended, () => this.#on('credentialEnded'));
    whenAborted(user.closed, () => this.#on('userLeft'));
    this.#output?.connect(user);
    input.connect(this.#agent);
  }

  /** The transition: the only place where the state changes. */
  #on(event: Event): void {
    const from = this.state;
    const to = next(from, event);
    if (to === from) return;
    this.state = to;
    this.#cancelDeadline?.();
    if (from !== 'draining' && (to === 'draining' || to === 'ended')) {
      this.#forgetCredential?.();
      this.#options.over(reasons[event]);
    }
    if (to === 'waiting') {
      this.#expireAfter(this.#options.userWait_ms);
      this.#options.opened?.(this);
    } else if (to === 'draining') this.#drain();
    else if (to === 'ended') this.#close(from, event);
  }

  #expireAfter(delay_ms: number): void {
    const { clock } = this.#options;
    const due = clock.now() + delay_ms;
    this.#cancelDeadline = clock.timeout(() => {
      // A process that was held up has not read yet who has come meanwhile.
      if (clock.now() - due > HELD_UP_MS) this.#expireAfter(HELD_UP_MS);
      else this.#on('expired');
    }, delay_ms);
  }

  #drain(): void {
    this.#input?.end();
    this.#expireAfter(REST_MS);
    const drained = () => this.#on('drained');
    this.#user?.drained().then(drained, drained);
  }

  /** Closes the side that is still there. */
  #close(from: State, event: Event): void {
    if (from === 'draining') {
      const { code, reason } = this.#agent?.closeFrame ?? { code: NORMAL, reason: 'session ended' };
      this.#user?.close(code, reason);
    } else if (event === 'expired') this.#closeAgent(NORMAL, 'no user came');
    else if (event === 'userLeft') {
      const { code, reason } = this.#user?.closeFrame ?? { code: GOING_AWAY, reason: undefined };
      this.#closeAgent(code, reason);
    } else if (event === 'credentialEnded') {
      this.#input?.end();
      this.#user?.close(POLICY, 'credential ended');
      this.#closeAgent(GOING_AWAY);
    }
  }

  #closeAgent(code: number | undefined, reason?: string): void {
    this.#output?.end();
    this.#agent?.close(code, reason);
  }
}

/** Runs once; immediately when the signal has aborted already. @returns forgets it */
export function whenAborted(signal: AbortSignal, run: () => void): () => void {
  if (signal.aborted) {
    run();
    return () => {};
  }
  signal.addEventListener('abort', run, { once: true });
  return () => signal.removeEventListener('abort', run);
}
