import { canonicalUuid, type Requirement } from '@svc/plugin-sdk';
import { mayDo } from '../rules/rights.ts';
import type { Matcher } from '../types.ts';

export interface Scoped {
  readonly scope: Matcher;
}

/** The right to do this with all that a matcher can hide: with the agents or monitors that it names, or everywhere. */
export function mayHide(word: 'silence' | 'write', matcher: Matcher): Requirement {
  const subjects = subjectsOf(matcher);
  const each = subjects?.monitors ? 'monitor' : 'agent';
  const denied = `Missing alert ${word} permission of each ${each} that it names`;
  return { ...mayDo(word, subjects), ...(subjects && { denied }) };
}

/** The right to see a silence or a window: to read the alerts of each agent or monitor that it names, or all. */
export const maySeeSettings = (matcher: Matcher): Requirement => mayDo('read', subjectsOf(matcher));

/** All kinds of names must match, so the right to one kind is enough. */
function subjectsOf({ agents = [], monitors = [] }: Matcher) {
  if (agents.length > 0) return { agents: agents.map(canonicalUuid) };
  return monitors.length > 0 ? { monitors } : undefined;
}
