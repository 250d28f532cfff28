import type { PermissionKind, Requirement } from '@svc/plugin-sdk';

/**
 * The kind `monitor`, in the scope `monitor` of a name; `report` in the scope `agent_uuid`: additions to those of the protocol.
 * `answer` reads what targets answered and jobs sent.
 */
export const permissions: { readonly [kind: string]: PermissionKind } = {
  monitor: { words: ['read', 'write', 'delete', 'report', 'answer'] },
};
export const scopes = { monitor: 'prefix' } as const;

/** The right to do this with one monitor. */
export const mayDo = (word: 'read' | 'write' | 'delete' | 'answer', name: string): Requirement => ({
  scopes: [{ monitor: name }],
  permissions: [{ monitor: word }],
  denied: `Missing monitor ${word} permission for the monitor '${name}'`,
});
