import { fleetStream, type Server } from '../../frame/index.ts';
import type { Fleet, Summary } from './model.ts';

/** A card's curve: 15 minutes in buckets of 15 s. */
const BUCKET_MS = 15_000;
const BUCKETS = 60;
/** Most agents in a call of `agent_query_series`. */
const MOST_AGENTS = 100;
/** Cards that come into the window together ask together. */
const GATHER_MS = 60;

interface Curve {
  /** Number of the newest bucket since 1970. */
  last: number;
  readonly values: (number | null)[];
}

/** The CPU of the last minutes of the machines that are shown: asked for once, then kept from the reports. */
export class History {
  readonly #server: Server;
  readonly #fleet: Fleet;
  readonly #curves = new Map<string, Curve>();
  #wanted = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(server: Server, fleet: Fleet) {
    this.#server = server;
    this.#fleet = fleet;
  }

  /** The curve of a card that is drawn; empty until it has come. */
  of(uuid: string): readonly (number | null)[] {
    const curve = this.#curves.get(uuid);
    if (curve) return curve.values;
    this.#curves.set(uuid, { last: bucketOf(Date.now()), values: Array<null>(BUCKETS).fill(null) });
    if (!this.#server.covers(fleetStream.right, 'read', uuid)) return [];
    this.#wanted.add(uuid);
    this.#timer ??= setTimeout(() => void this.#request(), GATHER_MS);
    return [];
  }

  add(rows: readonly (Summary & { readonly uuid?: string })[]): void {
    const now = bucketOf(Date.now());
    for (const { uuid = '', cpu_usage } of rows) {
      const curve = this.#curves.get(uuid);
      if (!curve || cpu_usage == null) continue;
      shift(curve, now);
      curve.values[BUCKETS - 1] = cpu_usage;
    }
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  async #request(): Promise<void> {
    this.#timer = undefined;
    const agents = [...this.#wanted].slice(0, MOST_AGENTS);
    for (const uuid of agents) this.#wanted.delete(uuid);
    if (this.#wanted.size > 0) this.#timer = setTimeout(() => void this.#request(), GATHER_MS);
    if (!this.#server.has('series')) return;
    const last = bucketOf(Date.now());
    const from = (last - BUCKETS + 1) * BUCKET_MS;
    try {
      const { series } = await this.#server.call('agent_query_series', {
        agents,
        fields: ['cpu_usage'],
        from,
        to: from + BUCKETS * BUCKET_MS,
        points: BUCKETS,
      });
      for (const { uuid, avg } of series) {
        const curve = this.#curves.get(uuid);
        if (!curve) continue;
        shift(curve, last);
        for (const [at, value] of avg.slice(-BUCKETS).entries()) curve.values[at] ??= value;
      }
      this.#fleet.touch();
    } catch {
      // A curve is a help, not the news: without the right or the connection the card stands without one.
      for (const uuid of agents) this.#curves.delete(uuid);
    }
  }
}

const bucketOf = (ms: number) => Math.floor(ms / BUCKET_MS);

function shift(curve: Curve, now: number): void {
  const steps = Math.min(now - curve.last, BUCKETS);
  if (steps <= 0) return;
  curve.values.splice(0, steps);
  for (let step = 0; step < steps; step++) curve.values.push(null);
  curve.last = now;
}
