import { canonicalUuid, type Requirement, type Scope } from '@svc/plugin-sdk';
import type { Matcher } from '../types.ts';

export interface Scoped {
  readonly scope: Matcher;
}

/** The right to do this with all that a matcher can hide: with the agents that it names, or everywhere. */
export function mayHide(word: 'silence' | 'write', { agents = [] }: Matcher): Requirement {
  const named: Scope[] = agents.map((uuid) => ({ agent_uuid: canonicalUuid(uuid) }));
  const where = named.length > 0 ? 'of each agent that it names' : 'in the scope global';
  return {
    scopes: named.length > 0 ? named : ['global'],
    permissions: [{ alert: word }],
    denied: `Missing alert ${word} permission ${where}`,
  };
}

export const EVERYWHERE: Requirement = {
  scopes: ['global'],
  permissions: [{ alert: 'write' }],
  denied: 'Missing alert write permission in the scope global',
};

/** The right to see a silence or a window: to read the alerts of each agent that it names, or all. */
export function maySeeSettings(matcher: Matcher): Requirement {
  const { scopes } = mayHide('silence', matcher);
  return { scopes, permissions: [{ alert: 'read' }], denied: 'Missing alert read permission' };
}
