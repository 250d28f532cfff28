import type { Auth, CallContext, Logger, Principal, Requirement } from '@svc/plugin-sdk';
import { RpcError } from '@svc/plugin-sdk';
import type { Origin } from '@svc/plugin-sdk/http';
import type { Access as AccessRule, Hold, LivesOn } from '@svc/plugin-sdk/kernel';
import { after } from '@svc/plugin-sdk/util';
import type { KernelHooks } from '../hooks.ts';
import type { Context } from './context.ts';
import { Holds } from './holds.ts';
import type { Registered } from './registry.ts';

const WRONG = RpcError.denied('Invalid credentials');
const SUPER_REQUIRED = 'Permission Denied: Super token required';
/** Code of a text that has not the form of a credential. Every other failed login is 102. */
const MALFORMED = 101;

/** Requirement of 'authenticated': no right, yet the credential's validity period counts (auth.md §6.3). */
const NOTHING: Requirement = {
  scopes: [],
  permissions: [],
  denied: 'Permission Denied: Token is not valid now',
};

/** Authentication and authorisation through the hooks; deny by default (auth.md §6). */
export class Access implements Auth {
  readonly #hooks: KernelHooks;
  readonly #holds: Holds;

  constructor(hooks: KernelHooks, log: Logger) {
    this.#hooks = hooks;
    this.#holds = new Holds((caller, requirement) => this.#isAllowed(caller, requirement), log);
  }

  async authenticate(credential: string, origin: Origin): Promise<Principal> {
    return this.#principal(credential, origin);
  }

  async allows(caller: Principal, requirement: Requirement): Promise<boolean> {
    return caller.super || this.#isAllowed(caller, requirement);
  }

  hold(caller: Principal, livesOn: LivesOn): Hold {
    return this.#holds.hold(caller, livesOn);
  }

  changed(id?: string): void {
    this.#holds.changed(id);
  }

  /** Holds a stream that a method opened for its caller. */
  holdStream({ definition }: Registered, input: unknown, call: CallContext): Hold {
    const { access, livesOn } = definition;
    if (livesOn) return this.hold(call.caller, livesOn(input, call));
    // The Super Token stays the Super Token, and an unauthenticated caller has no right to lose.
    const isPlain = access === 'public' || superDenial(access) !== undefined;
    const rights = isPlain ? () => true : requirementsOf(access, input);
    return this.hold(call.caller, rights);
  }

  /**
   * Finds the caller behind the call's credential, unless it is known already, and demands the method's rights.
   * Returns without a promise when no tap has to wait, as for a cached credential.
   * @throws RpcError 101, 102 with the method's own texts
   */
  admit(method: Registered, input: unknown, call: Context): void | Promise<void> {
    const { access } = method.definition;
    if (access === 'public') return;
    if (typeof access === 'object' && 'custom' in access) return access.custom(input, call);
    if (!call.origin) return this.#authorize(access, input, call.caller);
    const caller = this.identify(method, call.credential, call.origin);
    return after(caller, (found) => {
      call.caller = found;
      return this.#authorize(access, input, found);
    });
  }

  /** The caller behind a credential. @throws RpcError 101, 102 with the method's own texts */
  identify(method: Registered, credential: string, origin: Origin): Principal | Promise<Principal> {
    try {
      const principal = this.#principal(credential, origin);
      return principal instanceof Promise
        ? principal.catch((error) => refuse(method, error))
        : principal;
    } catch (error) {
      return refuse(method, error);
    }
  }

  #authorize(
    access: Exclude<AccessRule<unknown>, 'public'>,
    input: unknown,
    caller: Principal,
  ): void | Promise<void> {
    if (caller.super) return;
    const denied = superDenial(access);
    if (denied !== undefined) throw RpcError.denied(denied);
    return this.#require(requirementsOf(access, input), caller, 0);
  }

  /** Returns at the first requirement that holds. @throws RpcError 102 when none does */
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
    return after(found, (principal) => identified(principal, origin));
  }

  #isAllowed(caller: Principal, requirement: Requirement): boolean | Promise<boolean> {
    const answer = ask<'allow' | 'deny' | undefined>((done) =>
      this.#hooks.authorize.callAsync(caller, requirement, done),
    );
    return after(answer, (word) => word === 'allow');
  }
}

function identified(principal: Principal | undefined, origin: Origin): Principal {
  if (!principal) throw WRONG;
  origin.connection?.vouch(principal, origin);
  return principal;
}

/** Throws the error of a failed login, in the method's own words. */
function refuse({ definition }: Registered, error: unknown): never {
  if (!(error instanceof RpcError)) throw error;
  if (error.code === MALFORMED) {
    const reason = error.message.replace(/^Parse error: (?:Failed to parse token: )?/, '');
    throw definition.malformed?.(reason) ?? error;
  }
  const denied = superDenial(definition.access);
  // Only a wrong secret takes the method's text; other failures (no Super Token record) keep their own.
  if (denied === undefined || error.message !== WRONG.message) throw error;
  throw RpcError.denied(denied, { data: error.data });
}

function superDenial(access: AccessRule<unknown>): string | undefined {
  if (access === 'super') return SUPER_REQUIRED;
  return typeof access === 'object' && 'super' in access ? access.super : undefined;
}

function requirementsOf(access: AccessRule<unknown>, input: unknown): readonly Requirement[] {
  if (typeof access === 'string') return [NOTHING];
  if ('needs' in access) return [access.needs(input)];
  return 'anyOf' in access ? access.anyOf(input) : [];
}

/** The result of a hook; a promise only when a tap had to wait. */
export function ask<T>(run: (done: (error: unknown, value?: T) => void) => void): T | Promise<T> {
  let settled: { readonly error: unknown; readonly value: T } | undefined;
  let later: PromiseWithResolvers<T> | undefined;
  run((error, value) => {
    if (!later) settled = { error, value: value as T };
    else if (error) later.reject(error);
    else later.resolve(value as T);
  });
  if (!settled) {
    later = Promise.withResolvers<T>();
    return later.promise;
  }
  if (settled.error) throw settled.error;
  return settled.value;
}
