import { needs, type Requirement } from '@svc/plugin-sdk';

/** The kind of the register of agents, and the scope of one agent (auth.md §5). */
export const permissions = { monitoring_uuid: { words: ['list', 'delete'] } };
export const scopes = { agent_uuid: 'uuid' } as const;

const globally = (word: string, right: string) =>
  needs(
    (): Requirement => ({
      scopes: ['global'],
      permissions: [{ monitoring_uuid: word }],
      denied: `Permission Denied: Missing MonitoringUuid ${right} permission`,
    }),
  );

export const mayList = globally('list', 'List');
export const mayDelete = globally('delete', 'Delete');

/** Detail of the 102 that the first report of an agent gets when `max_agents` are active. */
export const tooManyAgents = (limit: number) =>
  `Permission Denied: ${limit} agents are active, and max_agents allows no more`;

/** Detail of the 102 for an agent that a check of another plugin refuses. */
export const NOT_ADMITTED =
  'Permission Denied: this agent came too late, another machine has its place: enrol it again';
