import type { Clock, Logger } from '@svc/plugin-sdk';
import type { Slots, UnansweredBytes } from './budgets.ts';
import type { KernelHooks } from './hooks.ts';
import type { Router } from './http/router.ts';
import type { RunningCalls } from './http/running-calls.ts';
import type { Dispatcher } from './rpc/dispatch.ts';

/** Surroundings that the parts of the network work with. */
export interface Wiring {
  readonly hooks: KernelHooks;
  readonly dispatcher: Dispatcher;
  readonly log: Logger;
  readonly clock: Clock;
  readonly router: Router;
  readonly unanswered: UnansweredBytes;
  readonly slots: Slots;
  readonly calls: RunningCalls;
  readonly maxRequestBytes: () => number;
}
