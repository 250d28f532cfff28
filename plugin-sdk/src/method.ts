import type { Static, TSchema } from 'typebox';
import type { RpcError } from './errors.ts';
import type { Peer } from './http/contract.ts';
import type { RawJson } from './json/raw.ts';
import type { Logger } from './log.ts';
import type { LivesOn, Permission, Principal, Requirement, Scope } from './principal.ts';
import type { Committing } from './util/committing.ts';

/** Parameters in the order of their positions, by name. Optional ones use `optional(…)`. The credential is not among them. */
export type Params = { readonly [name: string]: TSchema };
export type ParamsOf<P extends Params> = {
  -readonly [K in keyof P as P[K] extends { '~optional': unknown } ? never : K]: Static<P[K]>;
} & {
  -readonly [K in keyof P as P[K] extends { '~optional': unknown } ? K : never]?: Static<
    P[K]
  > | null;
};

/** Facts that a handler knows about the call besides its input. */
export interface CallContext {
  readonly method: string;
  /** The caller; for a `public` method a principal without any right. */
  readonly caller: Principal;
  readonly transport: 'ws' | 'http' | 'internal';
  /** The WebSocket the call came over, if any. */
  readonly peer: Peer | undefined;
  /** Aborts when the caller's connection ends or the server stops. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/** Context of a `custom` access rule. The rule decides whether and when the credential must authenticate. */
export interface AccessContext extends CallContext {
  /** The call's credential, not checked yet; empty for in-process calls. */
  readonly credential: string;
  /**
   * The principal behind a credential (default: the call's own); it becomes the call's `caller`. In-process calls keep theirs.
   * @throws RpcError 101 malformed, 102 bad credential or throttled
   */
  authenticate(credential?: string): Promise<Principal>;
  /** The error that the rule throws is sent when this settles; nothing holds the call's parameters until then. */
  delayRefusal(until: Promise<unknown>): void;
}

/** The right that a call needs, in terms of the method's input. There is no default: a method without `access` does not compile. */
export type Access<Input> =
  | 'public'
  | 'authenticated'
  | 'super'
  | { readonly super: string }
  | { readonly needs: (input: Input) => Requirement }
  | { readonly anyOf: (input: Input) => readonly Requirement[] }
  | { readonly custom: (input: Input, call: AccessContext) => void | Promise<void> };

/** A right for the documentation; `<name>` stands for the parameter of that name. */
export interface Right {
  /** A clause: "`kv` `read` of each key, in its namespace". */
  readonly words: string;
  readonly scopes?: readonly Scope[];
  readonly permissions?: readonly Permission[];
}

/** Super Token only, with the method's own denial text. */
export const superOnly = (denied: string) => ({ super: denied }) as const;
/** All scope × permission pairs of the requirement. */
export const needs = <I>(of: (input: I) => Requirement) => ({ needs: of }) as const;
/** Any one of the requirements; the first one's text is the denial. */
export const anyOf = <I>(of: (input: I) => readonly Requirement[]) => ({ anyOf: of }) as const;

/** Members that methods and subscriptions share. Write them in this order: TypeScript infers `Input` from `prepare`. */
interface MethodBase<P extends Params, Input> {
  /** One sentence for the generated reference. */
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  /** An addition of this server: others of the protocol may lack it (docs/reference/additions.md). */
  readonly addition?: boolean;
  readonly params: P;
  /** Name of the credential parameter, the first in position. Default `token`; a `public` method has none. */
  readonly credential?: string;
  /** The error of a credential with neither `:` nor `|`; receives the reason. Default: 101 `Failed to parse token: …`. */
  readonly malformed?: (reason: string) => Error;
  /** Changes any error before it is sent: other texts, `error.data` (the eight methods of conventions.md §5.1). */
  readonly mapError?: (error: RpcError) => RpcError;
  /** The result holds a secret: it is never logged. */
  readonly secret?: boolean;
  /** The plugin logs refused calls itself (hook `settled`); the log of calls leaves them out. */
  readonly logsRefusals?: boolean;
  /** Lets the method begin, in an array of calls, without waiting for the commits of those before it (`Committing`); any other method waits. */
  readonly gathered?: boolean;
  /**
   * States that the method changes something of which a record is kept (hook `settled`, plugin `audit`), and names what: a
   * key, a UUID, a text of SQL; never a secret. `result` is what the handler gave; undefined when the call was refused.
   * undefined: this call is not worth a record.
   */
  readonly audit?: (params: ParamsOf<P>, result: unknown) => string | undefined;
  /**
   * Checks what a schema cannot say and returns the form that `access`, `check` and `handle` work with. It runs after
   * the parameters passed their schemas and before the credential is looked at. Default: the parameters themselves.
   */
  prepare?(params: ParamsOf<P>): Input;
  readonly access: Access<NoInfer<Input>>;
  /** Right that a `custom` rule asks for; `needs` and `anyOf` are documented by running them on an example. */
  readonly right?: Right;
  /** Domain rules that come after authorisation. */
  check?(input: NoInfer<Input>, call: CallContext): void | Promise<void>;
}

/** One RPC method. */
export interface Method<P extends Params, R extends TSchema, Input = ParamsOf<P>>
  extends MethodBase<P, Input> {
  readonly result: R;
  handle(
    input: NoInfer<Input>,
    call: CallContext,
  ): Handled<Static<R>> | Promise<Handled<Static<R>>>;
}

/** Answer that a handler gives. */
export type Handled<R> = R | RawJson | Committing<R | RawJson>;

/** One subscription: the kernel keeps ids, replies before the first item, and closes it on unsubscribe, disconnect, credential end and stop. */
export interface Subscription<P extends Params, I extends TSchema, Input = ParamsOf<P>>
  extends MethodBase<P, Input> {
  /** Name of the unsubscribe method; takes `[subscription id]` or `{"subscription":id}`. */
  readonly unsubscribe: string;
  /** Name in notification frames; default: the subscribe method's own name. */
  readonly notification?: string;
  readonly item: I;
  /**
   * Rights that the stream lives on besides its credential. Default: what `access` asks for; a `custom` rule has to say it.
   * The stream ends within a second after it has gone.
   */
  livesOn?(input: NoInfer<Input>, call: CallContext): LivesOn;
  /**
   * Opens the stream. `push` sends one item and answers false once the subscription is closed.
   * @returns what to do when it closes
   */
  open(
    input: NoInfer<Input>,
    call: CallContext & { readonly peer: Peer },
    push: Push<Static<I>>,
  ): (() => void) | Promise<() => void>;
}

export interface Push<I> {
  (item: I | RawJson): boolean;
  /** Bytes that wait in this peer's socket: look before pushing much. */
  readonly buffered: () => number;
  /** Tells whether a slow reader has left more than 64 KiB in this peer's socket: the next item can wait for `peer.drained()`. */
  readonly isCongested: () => boolean;
  /** Ends the subscription from the server's side. */
  readonly end: () => void;
}

/** A method or a subscription without its types: it has `handle` or `open`. */
export type Definition = Omit<Method<Params, TSchema, unknown>, 'handle' | 'result'> &
  Partial<Method<Params, TSchema, unknown>> &
  Partial<
    Pick<
      Subscription<Params, TSchema, unknown>,
      'item' | 'livesOn' | 'open' | 'notification' | 'unsubscribe'
    >
  >;

/** A method of an enabled plugin. */
export interface RegisteredMethod {
  /** Name as clients call it: with the brand. */
  readonly name: string;
  readonly plugin: string;
  /** Parameter that carries the credential; undefined for public methods. */
  readonly credential: string | undefined;
  /** Method name in the frames of a subscription. */
  readonly notification: string;
  readonly definition: Definition;
  /** The parameters as `prepare` gets them, without the credential. @throws RpcError -32602 */
  bind(params: Record<string, unknown>): Record<string, unknown>;
}

/** Registry of RPC methods. A duplicate name, a name outside the plugin's namespaces, or a faulty definition stops the start. */
export interface Methods {
  add<const P extends Params, R extends TSchema, Input = ParamsOf<P>>(
    name: string,
    method: Method<P, R, Input>,
  ): void;
  addSubscription<const P extends Params, I extends TSchema, Input = ParamsOf<P>>(
    name: string,
    subscription: Subscription<P, I, Input>,
  ): void;
}

/** One call of a method, or of a method of another plugin that prepares it, and its answer. */
export interface Example {
  readonly method: string;
  /** Parameters by name, without the credential. */
  readonly params: { readonly [name: string]: unknown };
  readonly result?: unknown;
  /** Item of a subscription. */
  readonly item?: unknown;
  /** Error in place of a result: the call is refused. */
  readonly error?: { readonly code: number; readonly message: string };
}
