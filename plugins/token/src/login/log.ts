import type { Clock, Logger } from '@svc/plugin-sdk';
import type { Origin } from '@svc/plugin-sdk/http';
import type { Records } from '../records/cache.ts';
import type { ActiveSessions } from '../sessions/active.ts';
import type { Credential } from './credential.ts';
import type { Secret } from './secret.ts';

export interface LoginLogDependencies {
  readonly records: Records;
  readonly sessions: Pick<ActiveSessions, 'byKey'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Counts a refused login; `key` where there is such a token. @returns true when it is to be logged */
  readonly onRefused: (origin: Origin, key: string | undefined) => boolean;
}

/** Fields of a login that may be logged. */
interface Facts {
  readonly [name: string]: unknown;
  readonly address: string;
  readonly token_key?: string;
}

const WARN_MS = 60_000;

/** Log of logins. Refused agents try again a thousand times a second, so refusals are counted. */
export class LoginLog {
  readonly #deps: LoginLogDependencies;

  constructor(deps: LoginLogDependencies) {
    this.#deps = deps;
  }

  accepted({ token }: Secret): void {
    this.#deps.log.debug('login accepted', { token_key: token.key });
  }

  refused(credential: Credential, origin: Origin): void {
    const { log, onRefused } = this.#deps;
    const facts = this.#facts(credential, origin);
    if (onRefused(origin, facts.token_key)) log.info('login refused', facts);
  }

  /** Warns once a minute for each name that exists; attacks on others are reported by address. */
  warn({
    secret,
    credential,
    origin,
  }: {
    readonly secret: Secret | undefined;
    readonly credential: Credential;
    readonly origin: Origin;
  }): void {
    const now = this.#deps.clock.monotonic();
    if (!secret || now - (secret.warnedAt ?? -WARN_MS) < WARN_MS) return;
    secret.warnedAt = now;
    const facts = this.#facts(credential, origin);
    this.#deps.log.warn('repeated wrong credentials, further attempts are delayed', facts);
  }

  /** Names a key or username only where it exists: anything else may be a mistyped secret. */
  #facts({ mode, name }: Credential, { address }: Origin): Facts {
    const { records, sessions } = this.#deps;
    const owner = () => records.byKey(name) ?? sessions.byKey(name)?.token;
    const token = mode === 'token' ? owner() : records.byUsername(name);
    return { address, ...(token ? { token_key: token.key } : {}) };
  }
}
