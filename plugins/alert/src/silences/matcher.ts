import { SEVERITIES, type Severity } from '@svc/plugin-notify/api';
import { canonicalUuid } from '@svc/plugin-sdk';
import type { Matcher, SubjectKind } from '../types.ts';

/** Facts of an alert that matchers look at. */
export interface Facts {
  readonly rule: string;
  readonly kind: SubjectKind;
  readonly subject: string;
  readonly tags: readonly string[];
  readonly severity: Severity;
}

export const rankOf = (severity: Severity): number => SEVERITIES.indexOf(severity);

/** Tells whether all kinds that the matcher names match; a matcher without any matches nothing. */
export function matches(matcher: Matcher, facts: Facts): boolean {
  const { rules, agents, tags, monitors, severity } = matcher;
  const asked: (boolean | undefined)[] = [
    rules?.includes(facts.rule),
    agents && facts.kind === 'agent' && agents.includes(facts.subject),
    tags?.some((tag) => facts.tags.includes(tag)),
    monitors && facts.kind === 'monitor' && monitors.includes(facts.subject),
    severity && rankOf(facts.severity) <= rankOf(severity),
  ];
  const present = asked.filter((answer) => answer !== undefined);
  return present.length > 0 && present.every(Boolean);
}

/** Returns the matcher as it is stored: agents in their one spelling. */
export const storedMatcher = (given: Matcher): Matcher =>
  given.agents ? { ...given, agents: given.agents.map(canonicalUuid) } : given;
