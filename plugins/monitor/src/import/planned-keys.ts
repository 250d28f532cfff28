import { RpcError } from '@svc/plugin-sdk';
import { hashOf, keyOf } from '../heartbeat/key.ts';
import type { MonitorStore } from '../store/monitors.ts';

/** Letters of a key from which on nobody guesses it. */
const SAFE = 22;

/** Demands that a key can be used, and notes one that is short. @throws RpcError 108 */
export function demandKey(key: string, notes: string[]): void {
  if (keyOf(key) === undefined)
    throw RpcError.invalid(
      'its key is too short, or has other characters than letters, digits, - and _: give its job a new one',
    );
  if (key.length < SAFE)
    notes.push(
      `its key is short (${key.length} characters): make a new one when its job is changed`,
    );
}

/** Keys of the heartbeats of a plan, which makes none of them. */
export class PlannedKeys {
  readonly #monitors: Pick<MonitorStore, 'byKeyHash'>;
  readonly #planned = new Set<string>();

  constructor(monitors: Pick<MonitorStore, 'byKeyHash'>) {
    this.#monitors = monitors;
  }

  /** Demands that nothing has this key, here or before it in the plan, in the words of what makes it. @throws RpcError 103, 108 */
  async demandFree(given: string | undefined): Promise<void> {
    const key = given === undefined ? undefined : keyOf(given);
    if (key === undefined) return;
    const hash = hashOf(key);
    if (this.#planned.has(hash) || (await this.#monitors.byKeyHash(hash)))
      throw RpcError.invalid('another heartbeat has this key already: leave it out');
    this.#planned.add(hash);
  }
}
