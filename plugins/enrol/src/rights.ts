import type { Permission, Requirement } from '@svc/plugin-sdk';
import type { Limit } from '@svc/plugin-token/api';

/** Permissions of a machine's token, for its own UUID: write reports, and answer the tasks that its own file allows. */
const OF_A_MACHINE: readonly Permission[] = [
  { static_monitoring: 'write' },
  { dynamic_monitoring: 'write' },
  { dynamic_monitoring_summary: 'write' },
  { task: 'listen' },
  { task: { write: '*' } },
];

/** Permission for sensors and containers, which have no room in reports: the agent writes documents into the namespace of its UUID. */
const DOCUMENTS: readonly Permission[] = [{ kv: { write: 'agent_*' } }];

export const limitsOf = (uuid: string): readonly Limit[] => [
  { scopes: [{ agent_uuid: uuid }], permissions: OF_A_MACHINE },
  { scopes: [{ kv_namespace: uuid }], permissions: DOCUMENTS },
];

/** Right to make codes. They make tokens for machines that are not known yet, so they need the right to make any of them. */
export const mayEnrol: Requirement = {
  scopes: ['global'],
  permissions: [{ token: 'create' }, ...OF_A_MACHINE, ...DOCUMENTS],
  denied:
    'Enrolment takes the permission to create tokens that write reports and documents of machines, in the scope global',
};

/** Right to make codes, and to name the machine where a name or tags are given. */
export const mayEnrolAs = (names: boolean): Requirement =>
  names
    ? { ...mayEnrol, permissions: [...mayEnrol.permissions, { kv: { write: 'metadata_*' } }] }
    : mayEnrol;
