import type { Permission } from '@svc/plugin-sdk';
import type { Entry } from './entry.ts';

/** Permissions that the same entries of a limit give, with these entries in their order; none gives them where the list is empty. */
export interface PermissionGroup {
  readonly entries: readonly Entry[];
  readonly permissions: readonly Permission[];
}

/**
 * Groups permissions by the entries that grant them. Each scope is then compared with these few lists, instead of with every
 * permission: thousands of scopes with thousands of permissions are tens of millions of pairs.
 */
export function groupByEntries(
  entries: readonly Entry[],
  permissions: readonly Permission[],
  gives: (entry: Entry, permission: Permission) => boolean,
): PermissionGroup[] {
  const found = new Map<string, { entries: Entry[]; permissions: Permission[] }>();
  for (const permission of permissions) {
    const indexes: number[] = [];
    for (const [at, entry] of entries.entries()) if (gives(entry, permission)) indexes.push(at);
    const name = indexes.join();
    const group = found.get(name);
    if (group) group.permissions.push(permission);
    else
      found.set(name, {
        entries: indexes.map((at) => entries[at] as Entry),
        permissions: [permission],
      });
  }
  return [...found.values()];
}
