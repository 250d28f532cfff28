import type { Kernel } from '@svc/plugin-sdk';
import type { Routes } from '@svc/plugin-sdk/http';
import { AttemptThrottle } from '@svc/plugin-token/api';
import { HeartbeatStore } from '../store/heartbeats.ts';
import { KeyStore } from '../store/keys.ts';
import type { MonitorStore } from '../store/monitors.ts';
import { RunStore } from '../store/runs.ts';
import type { StateStore } from '../store/states.ts';
import { Pings } from './heartbeats.ts';
import { Keys } from './keys.ts';
import { type JudgedHeartbeat, Lateness, type When } from './late.ts';
import { addPingRoutes } from './routes.ts';

export { nextCallOf } from './due.ts';
export { hashOf, KEY_FIELD, keyOf, keyUrl, newKey, pushUrl } from './key.ts';
export type { JudgedHeartbeat, When } from './late.ts';

/** Heartbeats: monitors that are called, and told when the call does not come. */
export interface Heartbeats {
  /** Adds what jobs call. */
  routes(routes: Routes): void;
  /** Reads the keys of all again: after a monitor changed. @throws RpcError 103 */
  readKeys(): Promise<void>;
  /**
   * Turns heartbeats down that are late at this time; only the server whose turn it is calls it. @returns the verdict of each and,
   * in `next_at`, when it has to be judged again without a ping; a monitor that has gone has none @throws RpcError 103
   */
  judge(ids: readonly number[], when: When): Promise<ReadonlyMap<number, JudgedHeartbeat>>;
  /** Lets a heartbeat wait anew from now on: after it was switched on. @throws RpcError 103 */
  renew(id: number): Promise<void>;
  /** Lets a heartbeat of which a ping was due by now wait anew: after its times changed, or a pause of it. @throws RpcError 103 */
  resume(id: number): Promise<void>;
}

export interface HeartbeatParts {
  /** Kernel of a plugin that lists the services `Audit` and `Refusals` as optional. */
  readonly kernel: Kernel<unknown>;
  readonly monitors: MonitorStore;
  readonly states: StateStore;
}

/** Opens the heartbeats of this server. */
export function openHeartbeats(parts: HeartbeatParts): Heartbeats {
  const { kernel, monitors, states } = parts;
  const { clock, db, log } = kernel;
  const store = new HeartbeatStore(db, clock);
  const pings = new Pings(store, clock);
  const runs = new RunStore(db);
  const lateness = new Lateness({ log, store, monitors, states, runs });
  const keys = new Keys({ clock, monitors, store: new KeyStore(db) });
  const throttle = new AttemptThrottle(kernel, {
    refusal: 'wrong key of a heartbeat',
    message: 'ping of a heartbeat refused',
  });
  return {
    routes: (routes) => addPingRoutes(routes, { clock, log, keys, pings, throttle }),
    readKeys: () => keys.read(),
    judge: (ids, when) => lateness.judge(ids, when),
    renew: (id) => pings.renew(id),
    resume: (id) => pings.resume(id),
  };
}
