import type { PermissionKind } from '@svc/plugin-sdk';

/** The kind `alert`, in the scope of the machine that an alert is about: an addition to those of the protocol. */
export const permissions: { readonly [kind: string]: PermissionKind } = {
  alert: { words: ['read', 'write', 'ack', 'silence'] },
};
