import { canonicalUuid, type Requirement } from '@svc/plugin-sdk';
import { mayDo } from '../rules/rights.ts';
import type { Matcher } from '../types.ts';

export interface Scoped {
  readonly scope: Matcher;
}

/** The right to do this with all that a matcher can hide: with the agents that it names, or everywhere. */
export function mayHide(word: 'silence' | 'write', matcher: Matcher): Requirement {
  const agents = agentsOf(matcher);
  const denied = `Missing alert ${word} permission of each agent that it names`;
  return { ...mayDo(word, agents), ...(agents && { denied }) };
}

/** The right to see a silence or a window: to read the alerts of each agent that it names, or all. */
export const maySeeSettings = (matcher: Matcher): Requirement => mayDo('read', agentsOf(matcher));

const agentsOf = ({ agents = [] }: Matcher) =>
  agents.length > 0 ? agents.map(canonicalUuid) : undefined;
