import type { Pulse, Signs } from './pulse.ts';

/** A thread stops a run at its limit by itself; this much later the main thread looks whether it does, ms. */
const GRACE_MS = 2;
/** Time between two looks. A script that computes and does not look at the clock meanwhile is in a loop of the engine's. */
const RECHECK_MS = 8;
/** Time after the first look at which a run is over in any case, ms. */
const WALL_MS = 150;
/** The same as long as looks come late themselves: what the thread has said may not be read yet. */
const BUSY_WALL_MS = 600;
/** The same for one that has not begun, ms. */
const BEGIN_MS = 15_000;
const LONGEST_MS = 2 ** 31 - 1;

interface Watched {
  readonly id: number;
  readonly limit_ms: number;
}

/** Signs as they were `at` some time, after a `first` look; ms of the machine's monotonic clock. */
interface Look extends Signs {
  readonly at: number;
  readonly first: number;
}

/** One deadline of a script thread, seen from outside: it may be in a loop that looks at no clock. */
export class Watch {
  readonly #pulse: Pulse;
  readonly #late: (signs: Signs) => void;
  #timer: NodeJS.Timeout | undefined;

  /** `late`: the run that is watched has not ended by itself. */
  constructor(pulse: Pulse, late: (signs: Signs) => void) {
    this.#pulse = pulse;
    this.#late = late;
  }

  /** Takes the place of what was watched before. */
  after(ms: number, work: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(work, Math.min(ms, LONGEST_MS));
  }

  run(run: Watched): void {
    this.after(run.limit_ms + GRACE_MS, () => this.#look(run));
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Looks at least twice: answers that arrived while the main thread was busy are read in between. */
  #look(run: Watched, last?: Look): void {
    const signs = this.#pulse.read(run.id);
    // What was seen before the run began says nothing about its end.
    const hasBegun = signs.age !== undefined;
    const before = hasBegun === (last?.age !== undefined) ? last : undefined;
    const left = run.limit_ms + GRACE_MS - (signs.age ?? Number.POSITIVE_INFINITY);
    const at = performance.now();
    const first = before?.first ?? at;
    const wall = isPunctual(before, at) ? WALL_MS : BUSY_WALL_MS;
    const isLate = at - first >= (hasBegun ? wall : BEGIN_MS);
    // It began later than it was posted: its context was made first, or its thread got no processor.
    if (left > 0) this.after(left, () => this.#look(run));
    else if (before && (isLate || isStuck(signs, before, at))) this.#late(signs);
    else this.after(RECHECK_MS, () => this.#look(run, { ...signs, at, first }));
  }
}

/** A look that comes late says that the processors are busy: the script may have had none. */
const isPunctual = (before: Look | undefined, at: number): boolean =>
  before !== undefined && at - before.at < 2 * RECHECK_MS;

const isStuck = ({ isInside, beats }: Signs, before: Look, at: number): boolean =>
  isInside && beats === before.beats && isPunctual(before, at);
