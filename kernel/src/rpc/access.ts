import {
  type AccessContext,
  type Auth,
  type CallContext,
  type Origin,
  type Principal,
  type Requirement,
  RpcError,
} from '@svc/plugin-sdk';
import type { KernelHooks } from '../hooks.ts';
import type { Registered } from './registry.ts';

const INVALID_CREDENTIALS = 'Invalid credentials';
const WRONG = RpcError.denied(INVALID_CREDENTIALS);
const SUPER_REQUIRED = 'Permission Denied: Super token required';
/** Code of a credential that is no credential; everything else of a failed login is 102. */
const MALFORMED = 101;

const NOTHING: Requirement = {
  scopes: [],
  permissions: [],
  denied: 'Permission Denied: Token is not valid now',
};

const never = new AbortController().signal;
/** The caller of a public method: no name, no right. */
export const anonymous: Principal = { id: '', super: false, ended: never };
/** The server itself, for calls it makes in-process. */
export const system: Principal = { id: 'system', super: true, ended: never };

/** Authentication and authorisation through the hooks; deny by default (auth.md §6). */
export class Access implements Auth {
  readonly #hooks: KernelHooks;

  constructor(hooks: KernelHooks) {
    this.#hooks = hooks;
  }

  async authenticate(credential: string, origin: Origin): Promise<Principal> {
    return this.#principal(credential, origin);
  }

  async allows(caller: Principal, requirement: Requirement): Promise<boolean> {
    return caller.super || this.#isAllowed(caller, requirement);
  }

  /** The caller behind a credential, with the method's own error for a malformed one; at once when nobody has to wait. */
  caller(method: Registered, credential: string, origin: Origin): Principal | Promise<Principal> {
    const refused = (error: unknown): never => {
      if (!(error instanceof RpcError)) throw error;
      if (error.code === MALFORMED) throw method.malformed?.(malformedReason(error)) ?? error;
      const denied = superDenial(method);
      // Only a wrong secret takes the method's text; other failures (no Super Token record) keep their own.
      const wrong = error.message === WRONG.message;
      throw denied !== undefined && wrong ? RpcError.denied(denied) : error;
    };
    try {
      const principal = this.#principal(credential, origin);
      return principal instanceof Promise ? principal.catch(refused) : principal;
    } catch (error) {
      return refused(error);
    }
  }

  /** @throws RpcError 102 with the method's own text */
  authorize(
    method: Registered,
    input: unknown,
    call: AdmittedCall,
    credential: string,
    origin?: Origin,
  ): void | Promise<void> {
    const { access } = method;
    const { caller } = call;
    if (access === 'public') return;
    if (typeof access === 'object' && 'custom' in access) {
      return access.custom(input, new CredentialContext(this, call, credential, origin));
    }
    if (caller.super) return;
    const denied = superDenial(method);
    if (denied !== undefined) throw RpcError.denied(denied);
    return this.#require(requirementsOf(access, input), caller, 0);
  }

  /** Allowed by the first requirement that holds. */
  #require(
    requirements: readonly Requirement[],
    caller: Principal,
    from: number,
  ): void | Promise<void> {
    for (let at = from; at < requirements.length; at++) {
      const allowed = this.#isAllowed(caller, requirements[at] as Requirement);
      if (allowed === true) return;
      if (allowed === false) continue;
      return allowed.then((is) => (is ? undefined : this.#require(requirements, caller, at + 1)));
    }
    throw RpcError.denied(requirements[0]?.denied ?? 'Permission Denied');
  }

  #principal(credential: string, origin: Origin): Principal | Promise<Principal> {
    const found = ask<Principal | undefined>((done) =>
      this.#hooks.authenticate.callAsync(credential, origin, done),
    );
    return found instanceof Promise ? found.then(known) : known(found);
  }

  #isAllowed(caller: Principal, requirement: Requirement): boolean | Promise<boolean> {
    const answer = ask<'allow' | 'deny' | undefined>((done) =>
      this.#hooks.authorize.callAsync(caller, requirement, done),
    );
    return answer instanceof Promise ? answer.then((word) => word === 'allow') : answer === 'allow';
  }
}

function known(principal: Principal | undefined): Principal {
  if (!principal) throw RpcError.denied(INVALID_CREDENTIALS);
  return principal;
}

function requirementsOf(access: Registered['access'], input: unknown): readonly Requirement[] {
  // Nothing is asked for, yet the credential's validity period counts (auth.md §6.3).
  if (typeof access === 'string') return [NOTHING];
  if ('needs' in access) return [access.needs(input)];
  return (access as { anyOf: (input: unknown) => readonly Requirement[] }).anyOf(input);
}

/** Result of a hook: at once when its taps answered at once. On the hot path every promise counts. */
function ask<T>(run: (done: (error: unknown, value?: T) => void) => void): T | Promise<T> {
  let answered = false;
  let failure: unknown;
  let result: T | undefined;
  let later: { resolve: (value: T) => void; reject: (error: unknown) => void } | undefined;
  run((error, value) => {
    if (later) {
      if (error) later.reject(error);
      else later.resolve(value as T);
      return;
    }
    answered = true;
    failure = error;
    result = value;
  });
  if (!answered) {
    return new Promise<T>((resolve, reject) => {
      later = { resolve, reject };
    });
  }
  if (failure) throw failure;
  return result as T;
}

/** A call whose caller is learned on the way. */
type AdmittedCall = { -readonly [K in keyof CallContext]: CallContext[K] };

/** Custom access rules read the credential themselves: they decide when and whether it must authenticate. */
class CredentialContext implements AccessContext {
  readonly credential: string;
  readonly #auth: Auth;
  readonly #call: AdmittedCall;
  readonly #origin: Origin | undefined;

  constructor(auth: Auth, call: AdmittedCall, credential: string, origin: Origin | undefined) {
    this.#auth = auth;
    this.#call = call;
    this.credential = credential;
    this.#origin = origin;
  }

  async authenticate(credential = this.credential): Promise<Principal> {
    if (this.#origin) this.#call.caller = await this.#auth.authenticate(credential, this.#origin);
    return this.#call.caller;
  }

  get method() {
    return this.#call.method;
  }
  get caller() {
    return this.#call.caller;
  }
  get transport() {
    return this.#call.transport;
  }
  get peer() {
    return this.#call.peer;
  }
  get signal() {
    return this.#call.signal;
  }
  get log() {
    return this.#call.log;
  }
}

function superDenial({ access }: Registered): string | undefined {
  if (access === 'super') return SUPER_REQUIRED;
  return typeof access === 'object' && 'super' in access ? access.super : undefined;
}

const malformedReason = (error: RpcError) =>
  error.message.replace(/^Parse error: (?:Failed to parse token: )?/, '');
