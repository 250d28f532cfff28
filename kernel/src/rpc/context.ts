import type { CallContext, Logger, Peer, Principal } from '@svc/plugin-sdk';
import type { Subscriptions } from './subscriptions.ts';

/** Where a message came from, and what its answer may need. */
export interface Source {
  readonly transport: 'ws' | 'http' | 'internal';
  readonly address: string;
  readonly peer?: Peer;
  readonly subscriptions?: Subscriptions;
  /** Aborts when the sender has gone or the server stops. */
  readonly signal: AbortSignal;
}

/** What a handler sees of its call; the caller is learned on the way. */
export class Context implements CallContext {
  readonly method: string;
  caller: Principal;
  readonly #source: Source;
  readonly #log: Logger;

  constructor(method: string, caller: Principal, source: Source, log: Logger) {
    this.method = method;
    this.caller = caller;
    this.#source = source;
    this.#log = log;
  }

  get transport() {
    return this.#source.transport;
  }
  get peer() {
    return this.#source.peer;
  }
  get signal() {
    return this.#source.signal;
  }
  get log() {
    return this.#log;
  }
}
