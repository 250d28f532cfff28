import type { Subscriptions } from '@svc/client';

/** Subscription to the figures of the whole fleet: the log-in may open it before the page is there. */
export const fleetStream = {
  /** Kind of the right to read the figures of a machine. */
  right: 'dynamic_monitoring_summary',
  params: {
    fields: [
      'cpu_usage',
      'used_memory',
      'total_memory',
      'total_space',
      'available_space',
      'receive_speed',
      'transmit_speed',
      'uptime',
      'load_one',
    ],
    interval_ms: 1_000,
  } satisfies Subscriptions['agent_subscribe']['params'],
  /** Items that wait while the page is slow. */
  options: { queue: 4 },
};
