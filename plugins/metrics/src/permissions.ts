import type { PermissionKind, Requirement } from '@svc/plugin-sdk';

/** `{"metrics":"read"}`: what the server counts about itself. */
export const permissions: { readonly [kind: string]: PermissionKind } = {
  metrics: { words: ['read'] },
};

export const mayReadServer: Requirement = {
  scopes: ['global'],
  permissions: [{ metrics: 'read' }],
  denied: 'Permission Denied: Missing Metrics Read permission',
};
