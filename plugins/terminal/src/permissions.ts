import type { Requirement } from '@svc/plugin-sdk';

/** The kind `terminal` (terminal.md §4.1). */
export const permissions = { terminal: { words: ['connect'] } };

/** The right to open terminals of one agent. */
export const mayConnect = (uuid: string): Requirement => ({
  scopes: [{ agent_uuid: uuid }],
  permissions: [{ terminal: 'connect' }],
  denied: 'Permission Denied: Missing Terminal Connect permission for this agent',
});
