import type { Logger, Principal } from '@svc/plugin-sdk';
import { BoundedCache } from '@svc/plugin-sdk/util';
import type { Dependents, OwnerState, Owners, Wanted } from '../api.ts';
import type { Records } from '../records/cache.ts';
import type { Lookups } from '../records/lookups.ts';
import type { TokenStore } from '../records/store.ts';
import type { TokenReads } from '../records/store-reads.ts';
import { type Token, WITHOUT_CREDENTIALS } from '../records/token.ts';

interface OwnersDependencies {
  readonly store: Pick<TokenStore, 'deletedToken'>;
  readonly reads: Pick<TokenReads, 'childrenOf'>;
  readonly records: Records;
  readonly lookups: Lookups;
  /** Rights of the server itself. */
  readonly system: Principal;
  /** `[token] on_delete = "suspend"` */
  readonly suspendsDependents: () => boolean;
  readonly log: Logger;
}

/** Dependents of one kind. */
interface DependentNames {
  readonly kind: string;
  readonly names: string[];
}

/** Service `Owners`: the token that wrote a row, and its rights now. */
export class TokenOwners implements Owners {
  readonly #kinds = new Map<string, Dependents>();
  readonly #deps: OwnersDependencies;
  /** Deleted tokens with dependents, with their last rights. */
  readonly #deleted = new BoundedCache<string, Token>({
    most: 10_000,
    bytes: 8 * 2 ** 20,
    weigh: ({ weight }) => weight,
  });

  constructor(deps: OwnersDependencies) {
    this.#deps = deps;
  }

  register(added: Dependents): void {
    const { kind } = added;
    if (this.#kinds.has(kind)) throw new Error(`'${kind}' depends on tokens already`);
    this.#kinds.set(kind, added);
  }

  async keyOf(username: string): Promise<string | undefined> {
    return (await this.#deps.lookups.byUsername(username))?.key;
  }

  of = (caller: Principal): string | null => (caller.super ? null : caller.id);

  async state(owner: string | null): Promise<OwnerState> {
    return owner === null ? 'super' : stateOf(await this.#deps.lookups.byKey(owner));
  }

  isSuspended(owner: string | null, wanted: readonly Wanted[] = []): boolean | Promise<boolean> {
    if (owner === null || !this.#deps.suspendsDependents()) return false;
    return this.#isSuspended(owner, wanted);
  }

  async #isSuspended(owner: string, wanted: readonly Wanted[]): Promise<boolean> {
    if (hasEnded(await this.state(owner))) return true;
    for (const each of wanted) if (!(await this.may(owner, each))) return true;
    return false;
  }

  async principal(owner: string | null): Promise<Principal | undefined> {
    if (owner === null || (await this.state(owner)) === 'super') return this.#deps.system;
    return (await this.#tokenOf(owner))?.principal;
  }

  async may(owner: string | null, wanted: Wanted): Promise<boolean> {
    if (owner === null || (await this.state(owner)) === 'super') return true;
    return (await this.#tokenOf(owner))?.covers(wanted) ?? false;
  }

  /** Dependents of a token: tokens first, then the kinds in the order of their registration. */
  async dependentsOf(key: string): Promise<DependentNames[]> {
    const names = await this.#deps.reads.childrenOf(key);
    return [{ kind: 'token', names }, ...(await this.#pluginDependents(key))];
  }

  /** Tells whether rows of another plugin depend on it; true when that cannot be determined. */
  async hasDependents(key: string): Promise<boolean> {
    try {
      return (await this.#pluginDependents(key)).some(({ names }) => names.length > 0);
    } catch (error) {
      const { log } = this.#deps;
      log.warn('what hangs on a token cannot be told, so its rights are kept', { key, error });
      return true;
    }
  }

  /** Clears the cache of deleted tokens: one may exist again with other rights. */
  forgetDeleted(): void {
    this.#deleted.clear();
  }

  /** Suspends the dependents of a deleted token and of its descendants, if so configured. */
  async suspend(key: string): Promise<void> {
    this.#deleted.delete(key);
    if (!this.#deps.suspendsDependents()) return;
    const family = new Set([key]);
    try {
      for (const owner of family) {
        for (const kind of this.#kinds.values()) void this.#suspendKind(owner, kind);
        for (const child of await this.#deps.reads.childrenOf(owner)) family.add(child);
      }
    } catch (error) {
      this.#deps.log.error('what hangs on a token could not be found', { key, error });
    }
  }

  /** Token with the rights of an owner: its own, or the last ones of an expired or deleted one. */
  async #tokenOf(owner: string): Promise<Token | undefined> {
    const { lookups, suspendsDependents } = this.#deps;
    const token = await lookups.byKey(owner);
    if (suspendsDependents() && hasEnded(stateOf(token))) return undefined;
    if (!token) return this.#deletedTokenOf(owner);
    return token.validity() === 'late' ? token.rightsOnly : token;
  }

  async #deletedTokenOf(owner: string): Promise<Token | undefined> {
    const { records, store } = this.#deps;
    const known = this.#deleted.get(owner);
    if (known) return known;
    const row = await store.deletedToken(owner);
    if (!row) return undefined;
    const token = records.rightsOnly({ ...WITHOUT_CREDENTIALS, id: 0, ...row });
    this.#deleted.set(owner, token);
    return token;
  }

  async #suspendKind(key: string, dependents: Dependents): Promise<void> {
    try {
      await dependents.suspend?.(key);
    } catch (error) {
      const { kind } = dependents;
      this.#deps.log.error('what hangs on a token could not be stopped', { kind, key, error });
    }
  }

  #pluginDependents(key: string): Promise<DependentNames[]> {
    const name = async (dependents: Dependents) => ({
      kind: dependents.kind,
      names: [...(await dependents.list(key))],
    });
    return Promise.all([...this.#kinds.values()].map(name));
  }
}

function stateOf(token: Token | undefined): OwnerState {
  if (!token) return 'deleted';
  if (token.super) return 'super';
  return token.validity() === 'late' ? 'expired' : 'valid';
}

const hasEnded = (state: OwnerState): boolean => state === 'deleted' || state === 'expired';
