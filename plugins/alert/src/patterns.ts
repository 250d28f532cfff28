type Test = (name: string) => boolean;

const known = new WeakMap<readonly string[], Test>();

/** Returns a test for names of monitors: a `*` at the end of a pattern stands for any rest, as in scopes of rights. */
export function namedBy(patterns: readonly string[]): Test {
  const made = known.get(patterns) ?? testOf(patterns);
  known.set(patterns, made);
  return made;
}

function testOf(patterns: readonly string[]): Test {
  const names = new Set(patterns);
  const starts = patterns.flatMap((one) => (one.endsWith('*') ? one.slice(0, -1) : []));
  return (name) => names.has(name) || starts.some((start) => name.startsWith(start));
}
