import type { Clock } from './types.ts';

const BEAT_MS = 1_000;
/** Time between two beats from which on the process has stood still. */
const MOST_MS = 4_000;

/** Watches whether the process stands still, or the clock is set. Returns a function that ends it, and tells whether. */
export function watchPauses(clock: Clock): () => boolean {
  let [monotonic, wall] = [clock.monotonic(), clock.now()];
  let isPaused = false;
  const look = () => {
    const passed = clock.monotonic() - monotonic;
    const jump = Math.abs(clock.now() - wall - passed);
    isPaused ||= passed > MOST_MS || jump > MOST_MS;
    [monotonic, wall] = [clock.monotonic(), clock.now()];
  };
  const beat = () => {
    look();
    cancel = clock.timeout(beat, BEAT_MS);
  };
  let cancel = clock.timeout(beat, BEAT_MS);
  return () => {
    cancel();
    look();
    return isPaused;
  };
}
