import { BoundedCache, type Logger, type Principal } from '@svc/plugin-sdk';
import type { Dependents, OwnerState, Owners, Wanted } from '../api.ts';
import type { Records } from '../records/cache.ts';
import type { Lookups } from '../records/lookups.ts';
import type { TokenStore } from '../records/store.ts';
import type { TokenReads } from '../records/store-reads.ts';
import { GONE, type Token } from '../records/token.ts';

interface OwnersParts {
  readonly store: Pick<TokenStore, 'goneWith'>;
  readonly reads: Pick<TokenReads, 'childrenOf'>;
  readonly records: Records;
  readonly lookups: Lookups;
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
  /** Deleted tokens on which something hangs, with their last rights. */
  readonly #gone = new BoundedCache<string, Token>({
    most: 10_000,
    bytes: 8 * 2 ** 20,
    weigh: ({ weight }) => weight,
  });

  constructor(parts: OwnersParts) {
    this.#parts = parts;
  }

  register(added: Dependents): void {
    const { kind } = added;
    if (this.#kinds.has(kind)) throw new Error(`'${kind}' depends on tokens already`);
    this.#kinds.set(kind, added);
  }

  async keyOf(username: string): Promise<string | undefined> {
    return (await this.#parts.lookups.byUsername(username))?.key;
  }

  of = (caller: Principal): string | null => (caller.super ? null : caller.id);

  async state(owner: string | null): Promise<OwnerState> {
    return owner === null ? 'super' : stateOf(await this.#parts.lookups.byKey(owner));
  }

  isSuspended(owner: string | null, wanted: readonly Wanted[] = []): boolean | Promise<boolean> {
    if (owner === null || !this.#parts.suspends()) return false;
    return this.#isSuspended(owner, wanted);
  }

  async #isSuspended(owner: string, wanted: readonly Wanted[]): Promise<boolean> {
    if (hasEnded(await this.state(owner))) return true;
    for (const each of wanted) if (!(await this.may(owner, each))) return true;
    return false;
  }

  async principal(owner: string | null): Promise<Principal | undefined> {
    if (owner === null || (await this.state(owner)) === 'super') return this.#parts.system;
    return (await this.#tokenOf(owner))?.principal;
  }

  async may(owner: string | null, wanted: Wanted): Promise<boolean> {
    if (owner === null || (await this.state(owner)) === 'super') return true;
    return (await this.#tokenOf(owner))?.covers(wanted) ?? false;
  }

  /** What hangs on a token: tokens first, then the kinds in the order of their registration. */
  async hanging(key: string): Promise<Hanging[]> {
    const names = await this.#parts.reads.childrenOf(key);
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

  /** The tokens that were deleted may have been made again, with other rights. */
  forget(): void {
    this.#gone.clear();
  }

  /** A token has gone: what runs for it and for those that it created ends, when the operator wants that. */
  async suspend(key: string): Promise<void> {
    this.#gone.delete(key);
    if (!this.#parts.suspends()) return;
    const line = new Set([key]);
    try {
      for (const owner of line) {
        for (const kind of this.#kinds.values()) void this.#end(owner, kind);
        for (const child of await this.#parts.reads.childrenOf(owner)) line.add(child);
      }
    } catch (error) {
      this.#parts.log.error('what hangs on a token could not be found', { key, error });
    }
  }

  /** The rights of what a token wrote: its own, or the last ones of one that expired or was deleted. */
  async #tokenOf(owner: string): Promise<Token | undefined> {
    const { lookups, suspends } = this.#parts;
    const token = await lookups.byKey(owner);
    if (suspends() && hasEnded(stateOf(token))) return undefined;
    if (!token) return this.#lastOf(owner);
    return token.validity() === 'late' ? token.ghost : token;
  }

  async #lastOf(owner: string): Promise<Token | undefined> {
    const { records, store } = this.#parts;
    const known = this.#gone.get(owner);
    if (known) return known;
    const row = await store.goneWith(owner);
    if (!row) return undefined;
    const token = records.ghost({ ...GONE, id: 0, ...row });
    this.#gone.set(owner, token);
    return token;
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

function stateOf(token: Token | undefined): OwnerState {
  if (!token) return 'deleted';
  if (token.super) return 'super';
  return token.validity() === 'late' ? 'expired' : 'valid';
}

const hasEnded = (state: OwnerState): boolean => state === 'deleted' || state === 'expired';
