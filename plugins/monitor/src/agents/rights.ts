import type { Requirement } from '@svc/plugin-sdk';
import type { CheckedKind, Monitor } from '../types.ts';

/** Kinds of tasks that an agent carries out for checks. */
export const AGENT_KINDS = ['http_request', 'tcp_ping', 'ping', 'dns'] as const;
export type AgentKind = (typeof AGENT_KINDS)[number];

/** Tasks that reach the same; `domain` is asked by servers only. */
const TASK_OF: { readonly [kind in Exclude<CheckedKind, 'domain'>]: AgentKind } = {
  ...{ http: 'http_request', tcp: 'tcp_ping', tls: 'tcp_ping', ping: 'ping', dns: 'dns' },
};

/** Returns the kind of task whose right, and whose permission at the agent, a check needs; undefined: agents make none. */
export const taskOf = (kind: Monitor['kind']): AgentKind | undefined =>
  TASK_OF[kind as keyof typeof TASK_OF];

/** The right to have an agent check something. */
export const mayPlace = (uuid: string, task: AgentKind): Requirement => ({
  scopes: [{ agent_uuid: uuid }],
  permissions: [{ task: { create: task } }],
  denied: `Missing task create permission (${task}) for the agent ${uuid}, which the monitor needs to be checked there`,
});

/** Rights of an agent to take monitors and to report, of which one is enough: tokens that take any task have it without more. */
export const mayReport = (uuid: string): readonly Requirement[] => [
  {
    scopes: [{ agent_uuid: uuid }],
    permissions: [{ monitor: 'report' }],
    denied: 'Missing monitor report permission for this agent',
  },
  {
    scopes: [{ agent_uuid: uuid }],
    permissions: [{ task: 'listen' }, { task: { write: '*' } }],
    denied: 'Missing monitor report permission for this agent',
  },
];
