import { needs, type Permission, type Requirement, superOnly } from '@svc/plugin-sdk';
import type { Item } from './patterns.ts';

const requirement = (namespace: string, permission: Permission, denied: string): Requirement => ({
  scopes: [{ kv_namespace: namespace }],
  permissions: [permission],
  denied,
});

const onKey = (verb: 'read' | 'write' | 'delete') =>
  needs(({ namespace, key }: Item) =>
    requirement(
      namespace,
      { kv: { [verb]: key } },
      `No ${verb} permission for key '${key}' in namespace '${namespace}'`,
    ),
  );

export const mayCreate = superOnly('Only SuperToken can create KV namespace');
export const mayRead = onKey('read');
export const mayWrite = onKey('write');
export const mayDelete = onKey('delete');

/** The right to a pattern is checked as plain text, star included (kv.md §2). */
export const reading = mayRead.needs;

export const mayDeleteNamespace = needs(({ namespace }: { namespace: string }) =>
  requirement(
    namespace,
    { kv: { delete: '*' } },
    `No permission to delete namespace '${namespace}'`,
  ),
);

export const mayListKeys = needs(({ namespace }: { namespace: string }) =>
  requirement(
    namespace,
    { kv: 'list_all_keys' },
    `No permission to list keys in namespace '${namespace}'`,
  ),
);
