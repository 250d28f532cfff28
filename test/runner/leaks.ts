/** Resources that keep a process alive and that a test must not leave behind. */
const watched = ['TCPServerWrap', 'ProcessWrap'];

/** Open resources by kind. */
export function openResources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

/** Waits until no more watched resources are open than `before`; names the ones that stay past the deadline. */
export async function leakedSince(
  before: Map<string, number>,
  deadline_ms = 60_000,
): Promise<string[]> {
  const end = Date.now() + deadline_ms;
  for (;;) {
    const now = openResources();
    const leaked = watched.filter((kind) => (now.get(kind) ?? 0) > (before.get(kind) ?? 0));
    if (leaked.length === 0 || Date.now() > end) return leaked;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
