import type { PermissionKind, Requirement } from '@svc/plugin-sdk';
import type { AgentEntry } from './page.ts';

/** The kind `status_page`, in the scope `status_page` of a slug: additions to those of the protocol. */
export const permissions: { readonly [kind: string]: PermissionKind } = {
  status_page: { words: ['read', 'write', 'delete'] },
};
export const scopes = { status_page: 'prefix' } as const;

/** The right to do this with one page. */
export const mayDo = (word: 'read' | 'write' | 'delete', slug: string): Requirement => ({
  scopes: [{ status_page: slug }],
  permissions: [{ status_page: word }],
  denied: `Missing status_page ${word} permission for the page '${slug}'`,
});

/** The right to what an entry of a page shows: summaries of its agent, or results of its probe. */
export const maySee = ({ agent, name, probe }: AgentEntry): Requirement => ({
  scopes: [{ agent_uuid: agent }],
  permissions: [probe ? { task: { read: probe.type } } : { dynamic_monitoring_summary: 'read' }],
  denied: `the entry '${name}' needs ${
    probe
      ? `the permission to read ${probe.type} tasks`
      : 'the permission to read dynamic_monitoring_summary'
  } of its agent`,
});

/** The right to what an entry of a monitor shows. */
export const maySeeMonitor = (name: string): Requirement => ({
  scopes: [{ monitor: name }],
  permissions: [{ monitor: 'read' }],
  denied: 'an entry needs the permission to read its monitor',
});
