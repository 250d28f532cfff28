import type { Logger, Principal } from '@svc/plugin-sdk';
import type { Dependents, OwnerState, Owners, Wanted } from './api.ts';
import type { Records } from './records.ts';
import type { Token } from './token.ts';

interface OwnersParts {
  readonly records: Records;
  /** Rights of the server itself. */
  readonly system: Principal;
  /** `[token] on_delete = "suspend"` */
  readonly suspends: () => boolean;
  readonly log: Logger;
}

/** Things of one kind. */
interface Hanging {
  readonly kind: string;
  readonly names: string[];
}

/** Who wrote what, and what that token may do now. */
export class TokenOwners implements Owners {
  readonly #kinds = new Map<string, Dependents>();
  readonly #parts: OwnersParts;

  constructor(parts: OwnersParts) {
    this.#parts = parts;
  }

  register(added: Dependents): void {
    const { kind } = added;
    if (this.#kinds.has(kind)) throw new Error(`'${kind}' depends on tokens already`);
    this.#kinds.set(kind, added);
  }

  keyOf = (username: string): string | undefined => this.#parts.records.byUsername(username)?.key;

  of = (caller: Principal): string | null => (caller.super ? null : caller.id);

  state(owner: string | null): OwnerState {
    if (owner === null) return 'super';
    const token = this.#parts.records.byKey(owner);
    if (!token) return 'deleted';
    if (token.super) return 'super';
    return token.validity() === 'late' ? 'expired' : 'valid';
  }

  isSuspended(owner: string | null, wanted: readonly Wanted[] = []): boolean {
    if (!this.#parts.suspends()) return false;
    const state = this.state(owner);
    if (state === 'deleted' || state === 'expired') return true;
    return wanted.some((each) => !this.may(owner, each));
  }

  principal(owner: string | null): Principal | undefined {
    if (owner === null || this.state(owner) === 'super') return this.#parts.system;
    return this.#tokenOf(owner)?.principal;
  }

  may(owner: string | null, wanted: Wanted): boolean {
    if (owner === null || this.state(owner) === 'super') return true;
    return this.#tokenOf(owner)?.covers(wanted) ?? false;
  }

  /** What hangs on a token: tokens first, then the kinds in the order of their registration. */
  async hanging(key: string): Promise<Hanging[]> {
    const names = [...this.#parts.records.childrenOf(key)].map((child) => child.key).sort();
    return [{ kind: 'token', names }, ...(await this.#others(key))];
  }

  /** True when something of another plugin hangs on it, or when that cannot be told. */
  async leavesBehind(key: string): Promise<boolean> {
    try {
      return (await this.#others(key)).some(({ names }) => names.length > 0);
    } catch (error) {
      const { log } = this.#parts;
      log.warn('what hangs on a token cannot be told, so its rights are kept', { key, error });
      return true;
    }
  }

  /** A token has gone: what runs for it and for those that it created ends, when the operator wants that. */
  suspend(key: string): void {
    if (!this.#parts.suspends()) return;
    const kinds = [...this.#kinds.values()];
    for (const owner of this.#parts.records.lineOf(key))
      for (const kind of kinds) void this.#end(owner, kind);
  }

  #tokenOf(owner: string): Token | undefined {
    return this.isSuspended(owner) ? undefined : this.#parts.records.owner(owner);
  }

  async #end(key: string, dependents: Dependents): Promise<void> {
    try {
      await dependents.suspend?.(key);
    } catch (error) {
      const { kind } = dependents;
      this.#parts.log.error('what hangs on a token could not be stopped', { kind, key, error });
    }
  }

  #others(key: string): Promise<Hanging[]> {
    const name = async (dependents: Dependents) => ({
      kind: dependents.kind,
      names: [...(await dependents.list(key))],
    });
    return Promise.all([...this.#kinds.values()].map(name));
  }
}
