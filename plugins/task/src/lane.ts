import type { Delivery } from './delivery.ts';

/** Unanswered tasks: the agent's ring of 32 messages also carries the answers to its reports and uploads (clients.md §8). */
const TASKS = 10;
/** Terminals stay unanswered until they end, so they have places of their own; agents have eight at a time (clients.md §2.8). */
const SHELLS = 10;

const SECOND_MS = 1_000;
/** How long agents work on a task of each kind (task.md §6), a terminal's connection included. */
const limits_ms: { readonly [kind: string]: number } = {
  ping: 10 * SECOND_MS,
  tcp_ping: 10 * SECOND_MS,
  http_ping: 10 * SECOND_MS,
  http_request: 10 * SECOND_MS,
  dns: 10 * SECOND_MS,
  ip: 10 * SECOND_MS,
  web_shell: 10 * SECOND_MS,
  execute: 60 * SECOND_MS,
};
/** No agent works longer on a task. */
const LONGEST_MS = 600 * SECOND_MS;

/** Places of one agent: its tasks have one lane, its terminals another, and neither delays the other. */
export type LaneName = 'tasks' | 'shells';

/** What a task's kind decides about its delivery. */
export interface Place {
  readonly lane: LaneName;
  /** A task that is never answered gives its place back after so many ms. */
  readonly hold_ms: number;
}

/** @param type JSON text of a task in its normal form: a bare word, or an object of one member */
export function placeOf(type: string): Place {
  const [, kind = ''] = /^\{?"(\w+)"/.exec(type) ?? [];
  return {
    lane: kind === 'web_shell' ? 'shells' : 'tasks',
    hold_ms: limits_ms[kind] ?? LONGEST_MS,
  };
}

/** Deliveries of one agent that share their places, each set in order. */
export class Lane {
  readonly queued = new Set<Delivery>();
  readonly sent = new Set<Delivery>();
  readonly #places: number;

  constructor(places: number) {
    this.#places = places;
  }

  /** The delivery whose turn it is; none while every place is taken. */
  next(): Delivery | undefined {
    if (this.sent.size >= this.#places) return undefined;
    const [delivery] = this.queued;
    return delivery;
  }
}

export const createLanes = (): { readonly [name in LaneName]: Lane } => ({
  shells: new Lane(SHELLS),
  tasks: new Lane(TASKS),
});
