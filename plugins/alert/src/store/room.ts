import { type Alert, CLOSED, PENDING, type Transition } from '../types.ts';

/** Alerts that may be open or clearing; beyond, none opens. */
export const MOST_ACTIVE = 50_000;
/** Alerts of one agent that may be pending, open or clearing; beyond, none of it begins. */
export const MOST_OF_AGENT = 500;
/** Alerts of one agent that may be pending: others of it can still open at once. */
const MOST_PENDING = 250;

/** Alerts of one agent that are not closed. */
export interface Share {
  active: number;
  pending: number;
}

/** Tells whether an alert begins to be active. */
export const begins = (from: Alert | undefined, to: Transition['to']): boolean =>
  to !== CLOSED && (from?.state ?? CLOSED) === CLOSED;

/** Tells whether an alert counts as open, where it did not. */
const opens = (from: Alert | undefined, to: Transition['to']): boolean =>
  to > PENDING && (from?.state ?? CLOSED) <= PENDING;

/** Room for alerts that begin, of the fleet and of each agent. */
export class Room {
  #free: number;
  readonly #shares: Map<string, Share>;

  constructor(free: number, shares: Map<string, Share>) {
    this.#free = free;
    this.#shares = shares;
  }

  /** Takes the place that a change needs. @returns who has none left; undefined: there was one */
  take(change: Transition, from: Alert | undefined): 'fleet' | 'agent' | undefined {
    const { subject_kind, subject_id, to } = change;
    if (opens(from, to) && this.#free <= 0) return 'fleet';
    if (begins(from, to) && subject_kind === 'agent') {
      const share = this.#shares.get(subject_id) ?? { active: 0, pending: 0 };
      const isPending = to === PENDING;
      if (share.active >= MOST_OF_AGENT || (isPending && share.pending >= MOST_PENDING))
        return 'agent';
      share.active++;
      if (isPending) share.pending++;
      this.#shares.set(subject_id, share);
    }
    if (opens(from, to)) this.#free--;
    return undefined;
  }
}
