/** Tells whether the first of two versions `X.Y.Z` is the older one; an unknown one is. */
export function isOlder(version: string, than: string): boolean {
  const [ours, theirs] = [than, version].map((text) => text.split('.').map(Number));
  for (const [at, part] of (ours as number[]).entries()) {
    const other = theirs?.[at];
    if (other === undefined || !Number.isInteger(other)) return true;
    if (other !== part) return other < part;
  }
  return false;
}
