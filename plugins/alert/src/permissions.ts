import type { PermissionKind, Requirement } from '@svc/plugin-sdk';

/** The kind `alert`, in the scope of the machine that an alert is about: an addition to those of the protocol. */
export const permissions: { readonly [kind: string]: PermissionKind } = {
  alert: { words: ['read', 'write', 'ack', 'silence'] },
};

/** The right to show something on the status page with this slug. */
export const mayShowOn = (slug: string): Requirement => ({
  scopes: [{ status_page: slug }],
  permissions: [{ status_page: 'write' }],
  denied: `Missing status_page write permission for the page '${slug}'`,
});

/** The right to know that a channel of this name is there. */
export const maySeeChannel = (name: string): Requirement => ({
  scopes: [{ channel: name }],
  permissions: [{ channel: 'read' }],
  denied: '',
});
