import type { Permission } from '@svc/plugin-sdk';
import type { Entry } from './entry.ts';

/** Permissions that the same entries of a limit give, with these entries in their order; none gives them where the list is empty. */
export interface Holders {
  readonly entries: readonly Entry[];
  readonly permissions: readonly Permission[];
}

/**
 * The permissions by the entries that give them. Each scope is then compared with these few lists, instead of with every
 * permission: thousands of scopes with thousands of permissions are tens of millions of pairs.
 */
export function holdersOf(
  entries: readonly Entry[],
  permissions: readonly Permission[],
  gives: (entry: Entry, permission: Permission) => boolean,
): Holders[] {
  const found = new Map<string, { entries: Entry[]; permissions: Permission[] }>();
  for (const permission of permissions) {
    const places: number[] = [];
    for (const [at, entry] of entries.entries()) if (gives(entry, permission)) places.push(at);
    const name = places.join();
    const known = found.get(name);
    if (known) known.permissions.push(permission);
    else
      found.set(name, {
        entries: places.map((at) => entries[at] as Entry),
        permissions: [permission],
      });
  }
  return [...found.values()];
}
