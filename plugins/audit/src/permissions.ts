import type { PermissionKind, Requirement } from '@svc/plugin-sdk';

/** Kind `audit`, in the global scope: an addition to the kinds of the protocol. */
export const permissions: { readonly [kind: string]: PermissionKind } = {
  audit: { words: ['read'] },
};

export const mayRead = (): Requirement => ({
  scopes: ['global'],
  permissions: [{ audit: 'read' }],
  denied: 'No permission to read the audit',
});
