import type { Permissions, Requirement } from '@svc/plugin-sdk';

/** Registers the kind `terminal` (terminal.md §4.1). */
export function addPermissions(permissions: Permissions): void {
  permissions.add('terminal', { words: ['connect'] });
}

/** The right to open terminals of one agent. */
export const mayConnect = (uuid: string): Requirement => ({
  scopes: [{ agent_uuid: uuid }],
  permissions: [{ terminal: 'connect' }],
  denied: '',
});
