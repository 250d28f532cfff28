import { SEVERITIES, type Severity } from '@svc/plugin-notify/api';
import { canonicalUuid, RpcError } from '@svc/plugin-sdk';
import { namedBy } from '../patterns.ts';
import type { Matcher, SubjectKind } from '../types.ts';

/** Facts of an alert that matchers look at. */
export interface Facts {
  readonly rule: string;
  readonly kind: SubjectKind;
  /** Its id; names of a monitor: the one that it has, and the one that it had when the alert opened. */
  readonly subjects: readonly string[];
  readonly tags: readonly string[];
  readonly severity: Severity;
}

/** Names of one matcher, of all kinds together. */
const MOST_NAMES = 1_000;

type Test = (facts: Facts) => boolean;

/** Tests of matchers: each matcher is made into sets once. */
const compiled = new WeakMap<Matcher, readonly Test[]>();

export const rankOf = (severity: Severity): number => SEVERITIES.indexOf(severity);

/** Tells whether all kinds that the matcher names match; a matcher without any matches nothing. */
export function matches(matcher: Matcher, facts: Facts): boolean {
  let tests = compiled.get(matcher);
  if (!tests) {
    tests = testsOf(matcher);
    compiled.set(matcher, tests);
  }
  return tests.length > 0 && tests.every((test) => test(facts));
}

function testsOf({ rules, agents, tags, monitors, severity }: Matcher): Test[] {
  const tests: Test[] = [];
  if (severity) {
    const most = rankOf(severity);
    tests.push((facts) => rankOf(facts.severity) <= most);
  }
  const among = (names: readonly string[] | undefined, testOf: (set: Set<string>) => Test) => {
    if (names) tests.push(testOf(new Set(names)));
  };
  among(rules, (set) => (facts) => set.has(facts.rule));
  among(
    agents,
    (set) => (facts) => facts.kind === 'agent' && facts.subjects.some((id) => set.has(id)),
  );
  among(tags, (set) => (facts) => facts.tags.some((tag) => set.has(tag)));
  if (monitors) {
    const isNamed = namedBy(monitors);
    tests.push((facts) => facts.kind === 'monitor' && facts.subjects.some(isNamed));
  }
  return tests;
}

/** Returns the matcher as it is stored: agents as lower-case UUIDs. @throws RpcError 108 for one with too many names */
export function storedMatcher(given: Matcher): Matcher {
  const { rules = [], agents = [], tags = [], monitors = [] } = given;
  const names = rules.length + agents.length + tags.length + monitors.length;
  if (names > MOST_NAMES)
    throw RpcError.invalid(
      `scope names ${names} rules, agents, tags and monitors together, and ${MOST_NAMES} are allowed: name a tag instead of its machines, or make several`,
    );
  return given.agents ? { ...given, agents: agents.map(canonicalUuid) } : given;
}
