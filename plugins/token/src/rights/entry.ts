import { canonicalUuid, type Permission, type Scope } from '@svc/plugin-sdk';
import type { Grants } from './grants.ts';
import { everyMember, Names } from './names.ts';
import type { Vocabulary } from './vocabulary.ts';

/** One limit entry, made ready for matching. */
export class Entry {
  readonly scopes: readonly Scope[];
  readonly #grants: Grants;
  readonly #names = new Map<string, Names>();
  readonly #vocabulary: Vocabulary;
  #global = false;

  constructor(scopes: readonly Scope[], grants: Grants, vocabulary: Vocabulary) {
    this.scopes = scopes;
    this.#grants = grants;
    this.#vocabulary = vocabulary;
    for (const scope of scopes) this.#add(scope);
  }

  get permissions(): readonly Permission[] {
    return this.#grants.permissions;
  }

  /** Tells whether the entry grants both at once (auth.md §6.2). */
  covers(scope: Scope, permission: Permission): boolean {
    return this.coversScope(scope) && this.#grants.covers(permission);
  }

  coversPermission(permission: Permission): boolean {
    return this.#grants.covers(permission);
  }

  /** Tells whether a holder of this permission can do nothing that these permissions do not allow. */
  containsPermission(permission: Permission): boolean {
    return this.#grants.contains(permission);
  }

  coversScope(scope: Scope): boolean {
    if (this.#global) return true;
    if (scope === 'global') return false;
    return everyMember(scope, (tag, name) => {
      const names = this.#names.get(tag);
      if (!names) return false;
      if (names.covers(name)) return true;
      return this.#matchOf(tag) === 'uuid' && names.covers(canonicalUuid(name));
    });
  }

  /** Tells whether a holder of this scope reaches nothing that these scopes do not reach. */
  containsScope(scope: Scope): boolean {
    if (this.#global) return true;
    if (scope === 'global') return false;
    return everyMember(scope, (tag, name) => {
      const wildcard = this.#matchOf(tag) === 'prefix';
      return this.#names.get(tag)?.contains(name, wildcard) ?? false;
    });
  }

  #add(scope: Scope): void {
    if (scope === 'global') {
      this.#global = true;
      return;
    }
    for (const [tag, name] of Object.entries(scope)) {
      const names = this.#names.get(tag) ?? new Names();
      names.add(name, this.#matchOf(tag) === 'prefix');
      this.#names.set(tag, names);
    }
  }

  #matchOf(tag: string) {
    return this.#vocabulary.scopes.get(tag);
  }
}
