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
    const principal = await this.#hooks.authenticate.promise(credential, origin);
    if (!principal) throw RpcError.denied(INVALID_CREDENTIALS);
    return principal;
  }

  async allows(caller: Principal, requirement: Requirement): Promise<boolean> {
    return caller.super || (await this.#hooks.authorize.promise(caller, requirement)) === 'allow';
  }

  /** The caller behind a credential, with the method's own error for a malformed one. */
  async caller(method: Registered, credential: string, origin: Origin): Promise<Principal> {
    try {
      return await this.authenticate(credential, origin);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      if (error.code === MALFORMED) throw method.malformed?.(malformedReason(error)) ?? error;
      const denied = superDenial(method);
      // Only a wrong secret takes the method's text; other failures (no Super Token record) keep their own.
      const wrong = error.message === WRONG.message;
      throw denied !== undefined && wrong ? RpcError.denied(denied) : error;
    }
  }

  /** @throws RpcError 102 with the method's own text */
  async authorize(
    method: Registered,
    params: Record<string, unknown>,
    call: AdmittedCall,
    credential: string,
    origin?: Origin,
  ): Promise<void> {
    const { access } = method;
    const { caller } = call;
    if (access === 'public') return;
    if (typeof access === 'object' && 'custom' in access) {
      await access.custom(params, new CredentialContext(this, call, credential, origin));
      return;
    }
    if (caller.super) return;
    if (access === 'authenticated') {
      // Nothing is asked for, yet the credential's validity period counts (auth.md §6.3).
      if (await this.allows(caller, NOTHING)) return;
      throw RpcError.denied(NOTHING.denied);
    }
    const denied = superDenial(method);
    if (denied !== undefined) throw RpcError.denied(denied);
    const requirements =
      'needs' in (access as object)
        ? [(access as { needs: (params: unknown) => Requirement }).needs(params)]
        : (access as { anyOf: (params: unknown) => readonly Requirement[] }).anyOf(params);
    for (const requirement of requirements) {
      if (await this.allows(caller, requirement)) return;
    }
    throw RpcError.denied(requirements[0]?.denied ?? 'Permission Denied');
  }
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
