import type { Permission, PermissionKind, Requirement, Scope } from '@svc/plugin-sdk';
import type { Filter } from './conditions.ts';
import type { Selection } from './fields.ts';
import { KINDS, type Kind } from './kinds.ts';

/** The three permission kinds of monitoring data (agent.md §2). */
export const permissions: { readonly [kind: string]: PermissionKind } = Object.fromEntries(
  KINDS.map(({ name, permission, fields }) => [
    permission,
    name === 'summary'
      ? { words: ['read', 'write', 'delete'] }
      : { words: ['write', 'delete'], choices: { read: fields.map((field) => field.name) } },
  ]),
);

/** Every agent named in the conditions, or everything when none is named. */
export const scopesOf = ({ uuids }: Filter): readonly Scope[] =>
  uuids.length === 0 ? ['global'] : agents(uuids);

export const agents = (uuids: readonly string[]): readonly Scope[] =>
  uuids.map((uuid) => ({ agent_uuid: uuid }));

/** The right to report for one agent. */
export function mayWrite(kind: Kind): (uuid: string) => Requirement {
  const permissions = [{ [kind.permission]: 'write' }];
  const denied = `Permission Denied: Missing ${kind.label} Write permission for this agent`;
  return (uuid) => ({ scopes: [{ agent_uuid: uuid }], permissions, denied });
}

/** The right to delete under these scopes. */
export function mayDelete(kind: Kind): (scopes: readonly Scope[]) => Requirement {
  const permissions = [{ [kind.permission]: 'delete' }];
  const denied = `Permission Denied: Missing ${kind.label} Delete permission in the required scope`;
  return (scopes) => ({ scopes, permissions, denied });
}

/** The right to read: any one of these. Static and dynamic data are granted field by field. */
export type MayRead = (scopes: readonly Scope[], selection: Selection) => readonly Requirement[];

export function mayRead(kind: Kind): MayRead {
  if (kind.name === 'summary') {
    const permissions = [{ [kind.permission]: 'read' }];
    const denied = `Permission Denied: Missing ${kind.label} Read permission`;
    return (scopes) => [{ scopes, permissions, denied }];
  }
  const denied = `Permission Denied: Insufficient ${kind.label} Read permissions`;
  const reading = (name: string): Permission => ({ [kind.permission]: { read: name } });
  return (scopes, { fields }) =>
    fields.length > 0
      ? [{ scopes, permissions: fields.map(({ name }) => reading(name)), denied }]
      : kind.fields.map(({ name }) => ({ scopes, permissions: [reading(name)], denied }));
}
