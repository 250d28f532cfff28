import { type Clock, RpcError } from '@svc/plugin-sdk';
import { LEAST_DOMAIN_S } from '../settings.ts';
import type { StateStore } from '../store/states.ts';
import type { Monitor } from '../types.ts';

/** Monitors whose last call is remembered; beyond, the oldest are forgotten. */
const MOST = 20_000;

export interface PaceParts {
  readonly clock: Clock;
  readonly states: Pick<StateStore, 'ofMonitors'>;
  /** Seconds between two calls for a monitor that is not asked at a registry. */
  readonly leastS: () => number;
}

/** Pace at which one monitor is checked by calls; a registry counts planned checks, too: it refuses who asks often. */
export class CheckPace {
  readonly #parts: PaceParts;
  /** Monotonic ms of the last call by monitor, the oldest first. */
  readonly #called = new Map<number, number>();

  constructor(parts: PaceParts) {
    this.#parts = parts;
  }

  /** Counts a call. @throws RpcError 103; 108 when it comes too early */
  async demand({ id, kind }: Pick<Monitor, 'id' | 'kind'>): Promise<void> {
    const { clock, leastS } = this.#parts;
    const isAsked = kind === 'domain';
    const least_ms = (isAsked ? LEAST_DOMAIN_S : leastS()) * 1_000;
    const checked_at = isAsked ? await this.#checkedAt(id) : undefined;
    const called_at = this.#called.get(id);
    const now = clock.monotonic();
    const passed = Math.min(
      called_at === undefined ? least_ms : now - called_at,
      // A time that lies ahead is of a clock that was set back.
      checked_at === undefined || checked_at > clock.now() ? least_ms : clock.now() - checked_at,
    );
    if (passed < least_ms) throw early(passed, clock.now() + least_ms - passed);
    this.#called.delete(id);
    this.#called.set(id, now);
    const [oldest] = this.#called.keys();
    if (this.#called.size > MOST && oldest !== undefined) this.#called.delete(oldest);
  }

  async #checkedAt(id: number): Promise<number | undefined> {
    const states = await this.#parts.states.ofMonitors([id]);
    return states.length === 0 ? undefined : Math.max(...states.map(({ last_at }) => last_at));
  }
}

const early = (passed_ms: number, next: number) =>
  RpcError.invalid(
    `it was checked ${Math.floor(passed_ms / 1_000)} s ago; the next at ${new Date(next).toISOString()}`,
  );
