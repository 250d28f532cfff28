import type { RpcError } from './errors.ts';
import type { Origin } from './http/contract.ts';
import type { Params } from './method.ts';
import type { Principal } from './principal.ts';

/** A JSON-RPC message before it is parsed. */
export interface Incoming {
  readonly bytes: Buffer;
  readonly origin: Origin;
  /** Name of a method's credential parameter; undefined for a public one. @throws RpcError -32601 when there is no such method */
  credentialOf(method: string): string | undefined;
  /** Parameters of a method, without the credential; undefined when there is no such method. */
  paramsOf(method: string): Params | undefined;
  /** @throws RpcError as a call of the method with this credential would */
  authenticate(method: string, credential: string): Promise<void>;
}

export type Fault = 'half pair' | 'infinity';

/** A message that was let in. */
export interface Reading {
  /** Entries of the message; absent: it may be parsed at once. Empty and no batch: it is no JSON-RPC. */
  readonly entries?: readonly ReadEntry[];
  readonly isBatch?: boolean;
  /** Releases what the message holds; called when it is answered. */
  release(): void;
}

/** One entry of a batch, or the message itself. */
export interface ReadEntry {
  /** Members of the object; absent: the entry is none. */
  readonly members?: readonly ReadPart[];
  /** Members or elements of `params`, without their values. */
  readonly params?: readonly ReadPart[];
  /** The credential that authenticated before the entry was parsed. */
  readonly credential?: string;
  /** An error is the answer to the call. */
  readonly fault?: Fault | RpcError | undefined;
}

/** A member, or an element (without a name). */
export interface ReadPart {
  readonly name: string;
  /** The JSON text of the value. */
  text(): string;
  readonly value?: unknown;
}

/** One call on its way, for observers. */
export interface Call {
  readonly method: string;
  readonly transport: 'ws' | 'http' | 'internal';
  readonly caller: Principal;
  /** Address of the sender; empty for calls of this process. */
  readonly address: string;
  /** Parameters as they were sent, the credential included. */
  readonly params: unknown;
  /** Target that the method's `audit` states for the call; undefined: it states none, or they do not fit. */
  readonly target: (() => string | undefined) | undefined;
}

/** Takes what begins a message in its turn; undefined: the message need not wait. */
export type Wait = ((start: () => void) => void) | undefined;

export interface Outcome {
  /** Error of the call; undefined: success. */
  readonly error: RpcError | undefined;
  /** `performance.now()` when the call came: looking at the clock once more is left to those who want the time it took. */
  readonly started: number;
}

export interface Listening {
  /** `http://127.0.0.1:2211` */
  readonly url: string;
  readonly unixSocket: string | undefined;
}

/** A reload that is in force. */
export interface Reload {
  /** Keys whose new value needs a restart. */
  readonly needRestart: readonly string[];
}

/** The order in which bail hooks are asked. */
export const EARLY = -100;
export const LATE = 100;
export const LAST = 1000;

/** Taps carry the plugin's name by themselves; `stage` orders taps of one hook (`EARLY`, 0, `LATE`, `LAST`). */
export interface Taps<Args extends readonly unknown[], Result = void> {
  tap(run: (...args: Args) => Result, options?: { readonly stage?: number }): void;
}

/** Taps as in `Taps` that may be asynchronous. */
export interface AsyncTaps<Args extends readonly unknown[], Result = void> {
  tap(
    run: (...args: Args) => Result | Promise<Result>,
    options?: { readonly stage?: number },
  ): void;
}
