import type { PermissionKind, Requirement } from '@svc/plugin-sdk';

/** The kind `channel`, in the scope `channel` of a name: additions to those of the protocol. */
export const permissions: { readonly [kind: string]: PermissionKind } = {
  channel: { words: ['read', 'write', 'delete', 'use'] },
};
export const scopes = { channel: 'prefix' } as const;

/** The right to do this with one channel. */
export const mayDo = (word: 'read' | 'write' | 'delete' | 'use', name: string): Requirement => ({
  scopes: [{ channel: name }],
  permissions: [{ channel: word }],
  denied: `Missing channel ${word} permission for the channel '${name}'`,
});
