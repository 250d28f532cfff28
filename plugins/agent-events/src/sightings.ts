export const DAY_MS = 86_400_000;
export const dayOf = (time: number): number => Math.floor(time / DAY_MS);

/** Milliseconds to add to an agent's day, counted since 1970. */
export interface Uptime {
  readonly id: number;
  readonly day: number;
  readonly ms: number;
}

/** Times when an agent was seen, and its uptime that is not written yet. */
export interface Sighting {
  /** `Agent.id` */
  readonly id: number;
  readonly uuid: string;
  /** First and last report since the last silence, Unix ms. */
  since: number;
  last: number;
  /** Uptime of the day of `last`, and of the day before it. */
  ms: number;
  earlier: number;
  isNew: boolean;
}

/** Agents that have reported, to whichever server. Every server counts, so that any of them can go on writing. */
export class Sightings {
  readonly #seen = new Map<string, Sighting>();
  readonly #idOf: (uuid: string) => number | undefined;
  readonly #silence_ms: () => number;

  constructor(idOf: (uuid: string) => number | undefined, silence_ms: () => number) {
    this.#idOf = idOf;
    this.#silence_ms = silence_ms;
  }

  of(uuid: string): Sighting | undefined {
    return this.#seen.get(uuid);
  }

  all(): Iterable<Sighting> {
    return this.#seen.values();
  }

  /** The agents reported about now. A time that was longer than the silence counts as absence. */
  reported(uuids: readonly string[], now: number): void {
    const silence = this.#silence_ms();
    for (const uuid of uuids) {
      const sighting = this.#seen.get(uuid);
      if (!sighting) this.#first(uuid, now);
      else if (now > sighting.last) count(sighting, now, silence);
    }
  }

  #first(uuid: string, now: number): void {
    const id = this.#idOf(uuid);
    if (id === undefined) return;
    this.#seen.set(uuid, { id, uuid, since: now, last: now, ms: 0, earlier: 0, isNew: true });
  }

  /** Returns uptime that is not written yet; each with the function to call when it is. */
  unwritten(): { readonly row: Uptime; readonly written: () => void }[] {
    const found: ReturnType<Sightings['unwritten']> = [];
    for (const sighting of this.#seen.values()) {
      const { id, last, ms, earlier, isNew } = sighting;
      const day = dayOf(last);
      if (earlier > 0) {
        const written = () => {
          sighting.earlier = 0;
        };
        found.push({ row: { id, day: day - 1, ms: earlier }, written });
      }
      if (ms === 0 && !isNew) continue;
      const written = () => {
        // Midnight may have passed meanwhile.
        if (dayOf(sighting.last) === day) sighting.ms -= ms;
        else sighting.earlier = Math.max(0, sighting.earlier - ms);
        sighting.isNew = false;
      };
      found.push({ row: { id, day, ms }, written });
    }
    return found;
  }

  /** Another server has written what was counted. */
  forgetUptime(): void {
    for (const sighting of this.#seen.values()) {
      sighting.ms = 0;
      sighting.earlier = 0;
    }
  }
}

function count(sighting: Sighting, now: number, silence: number): void {
  const { last } = sighting;
  const midnight = dayOf(now) * DAY_MS;
  const wasHere = now - last <= silence;
  if (last < midnight) {
    sighting.earlier = dayOf(last) === dayOf(now) - 1 ? sighting.earlier + sighting.ms : 0;
    sighting.ms = 0;
    sighting.isNew = true;
  }
  if (wasHere) {
    sighting.earlier += Math.max(0, midnight - last);
    sighting.ms += now - Math.max(last, midnight);
  } else sighting.since = now;
  sighting.last = now;
}
