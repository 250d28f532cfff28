import { BoundedCache } from '@svc/plugin-sdk/util';

/** Agents that are remembered. */
const MOST = 20_000;
/** Reports are announced up to this late, ms. */
const SLACK_MS = 2_000;
const LONGEST_MS = 60_000;
/** Share of a new interval in the usual one. */
const WEIGHT = 0.2;

interface Heard {
  at: number;
  /** Usual time between two reports, ms; undefined: only one came. */
  interval: number | undefined;
}

/** Times of the last reports of agents, on whichever server, and how often they report. */
export class LastHeard {
  readonly #agents = new BoundedCache<string, Heard>({ most: MOST });

  /** Agents reported just now. @param now Unix ms */
  heard(uuids: readonly string[], now: number): void {
    for (const uuid of uuids) {
      const agent = this.#agents.get(uuid);
      if (!agent) {
        this.#agents.set(uuid, { at: now, interval: undefined });
        continue;
      }
      const gap = now - agent.at;
      if (gap > 0 && gap <= LONGEST_MS) {
        agent.interval =
          agent.interval === undefined ? gap : agent.interval + WEIGHT * (gap - agent.interval);
      }
      agent.at = now;
    }
  }

  /** Unix ms of the last report of an agent that is late by more than two of its intervals; undefined: it is not, or nothing is known. */
  lateSince(uuid: string, now: number): number | undefined {
    const agent = this.#agents.get(uuid);
    if (agent?.interval === undefined) return undefined;
    return now - agent.at > 2 * agent.interval + SLACK_MS ? agent.at : undefined;
  }
}
