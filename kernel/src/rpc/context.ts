import type { AccessContext, Auth, Logger, Principal, Span } from '@svc/plugin-sdk';
import type { Origin, Peer } from '@svc/plugin-sdk/http';
import { anonymous } from './principals.ts';
import type { Registered } from './registry.ts';
import type { Subscriptions } from './subscriptions.ts';

/** Origin of a message, and what its answer may need. */
export interface Source extends Origin {
  readonly peer?: Peer;
  readonly subscriptions?: Subscriptions;
  /** Aborts when the sender has gone or the server stops. */
  readonly signal: AbortSignal;
}

/** One call on its way: what access rules and handlers see of it. */
export class Context implements AccessContext {
  readonly method: string;
  /** Method; undefined: there is no such method. */
  readonly registered: Registered | undefined;
  /** Time of the beginning, by `performance.now()`. */
  readonly started = performance.now();
  /** Id as the caller wrote it. */
  id = '';
  /** Set by authentication; in-process calls have it from the start. */
  caller: Principal;
  credential = '';
  params: unknown;
  result: unknown;
  target: (() => string | undefined) | undefined;
  after: Promise<unknown> | undefined;
  /** Lets the items of the call's subscription go. */
  release: (() => void) | undefined;
  /** Origin of the credential; undefined when the caller was known before the call. */
  readonly origin: Origin | undefined;
  readonly #source: Source;
  readonly #auth: Auth;
  readonly #log: Logger;

  constructor(
    method: string,
    source: Source,
    { access, log }: { readonly access: Auth; readonly log: Logger },
    registered: Registered | undefined,
    caller?: Principal,
  ) {
    this.method = method;
    this.registered = registered;
    this.#log = registered?.log ?? log;
    this.caller = caller ?? anonymous;
    this.origin = caller ? undefined : source;
    this.#source = source;
    this.#auth = access;
  }

  /** Span of its log records (svc-server.md §9.1). */
  get span(): Span {
    const { id } = this.caller;
    const fields = id === '' ? '' : `token_key=${JSON.stringify(id)}`;
    return { name: this.method.replace('_', '::'), fields };
  }
  get log(): Logger {
    return this.#log.span(this.span);
  }
  get address() {
    return this.#source.address;
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

  delayRefusal(until: Promise<unknown>): void {
    this.after = until;
  }

  async authenticate(credential = this.credential): Promise<Principal> {
    if (this.origin) this.caller = await this.#auth.authenticate(credential, this.origin);
    return this.caller;
  }
}
